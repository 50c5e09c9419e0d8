/*
 * flame.js - toolbar, keyboard, touch and address of the flamegraphs of a page.
 *
 * Each <script type="application/json" class="jr-flame-data" data-figure="ID"> holds the packed tree
 * of the flamegraph <svg id="ID">. It is complete without this script, which lets flame_draw.js
 * redraw it from the state of flame_state.js. It sets classes, attributes and text only: no inline
 * style, no HTML from strings, no eval. A figures/NAME.interactive.svg is one such flamegraph.
 */
(() => {
	'use strict';

	const { fixed, signed } = jrView;
	const { BY_KIND, BY_ROOF, WIDTHS, element, shape, writeName } = jrFlame;

	const button = (parent, text, title, onclick) => {
		const node = element('button', '', parent, text);
		node.type = 'button';
		node.title = title;
		node.addEventListener('click', onclick);
		return node;
	};
	const { links } = jrView;

	class Flame {
		constructor(svg, packed) {
			this.svg = svg;
			this.id = svg.id;
			this.state = new jrFlame.State(packed);
			this.tree = this.state.tree;
			for (const [name, link] of this.tree.links)
				if (!document.getElementById(link.slice(1)))
					this.tree.links.delete(name);
			this.picture = new jrFlame.Picture(svg, this.state);
			this.dress(packed.legend);
		}

		/* Separate from construction, so that the page is laid out only once. */
		start() {
			this.listen();
			this.refresh();
		}

		/* --- called by jrView.Links --- */

		link() {
			return this.state.link();
		}

		show(link) {
			this.state.show(link);
			this.input.value = this.state.search.query;
			this.refresh();
		}

		appear() {
			this.box.scrollIntoView({ block: 'start' });
		}

		/* --- the view --- */

		/* Change the state and the address; `push`: back returns from it. */
		change(push, what) {
			what();
			this.refresh();
			links.remember(push);
		}

		refresh() {
			this.state.refresh();
			this.tellMatches();
			this.draw(false);
			this.controls();
		}

		draw(keepHeight) {
			this.picture.draw(keepHeight);
			this.current = null;
			this.select(this.picture.pinned());
		}

		tellMatches() {
			if (this.state.search.invalid)
				this.input.setAttribute('aria-invalid', 'true');
			else
				this.input.removeAttribute('aria-invalid');
			this.matched.textContent = this.state.matches();
		}

		tell(box, spoken) {
			const { state } = this;
			const frame = box && !box.n ? jrFlame.parts(state.view.text(box.i)) : undefined;
			const values = box ? state.values(box) : state.whole();
			const line = box ? `${state.name(box)}: ${values}` : '';
			writeName(this.detailName, frame ? frame.name : box ? state.name(box)
				: this.tree.rootName);
			this.detailValues.textContent = values;
			writeName(this.detailMore, box ? state.more(box, frame) : this.hint);
			this.picture.tip.textContent = box && box.band ? [line, ...state.list(box)].join('\n')
				: line;
			if (spoken)
				this.live.textContent = line;
			if (this.source) {
				const link = box && !box.n ? state.view.link(box.i) : undefined;
				this.source.hidden = !link;
				this.source.setAttribute('href', link || '#');
			}
		}

		/* --- controls --- */

		dress(legend) {
			const figure = this.svg.closest('figure') || this.svg.parentElement;
			/* A box that scrolls the flamegraph sideways must not scroll the controls. */
			const around = this.svg.parentElement === figure ? this.svg : this.svg.parentElement;
			const title = this.svg.getAttribute('aria-label') || 'flamegraph';
			this.svg.replaceChildren(this.picture.group);
			this.box = element('div', 'jr-flame-bar');
			this.box.setAttribute('role', 'group');
			this.box.setAttribute('aria-label', `Controls of: ${title}`);
			around.before(this.box);
			this.dressSearch();
			this.dressButtons();
			const list = element('ul', 'jr-flame-legend');
			this.meanings = legend.map(([role, meaning]) =>
				[role, this.addStep(list, this.tree.style(role), meaning)]);
			if (this.tree.base)
				this.dressScale(list);
			around.before(list);
			this.legends = { [BY_KIND]: list };
			if (this.tree.roofs)
				around.before(this.legends[BY_ROOF] = this.dressRoofs());
			this.dressDetail(around);
			this.svg.classList.add('jr-flame');
			this.svg.setAttribute('tabindex', '0');
			this.svg.setAttribute('role', 'application');
			this.svg.setAttribute('aria-roledescription', 'flamegraph');
			this.svg.setAttribute('aria-describedby', this.detail.id);
		}

		/* Legend: a color class and its meaning. */
		addStep(list, style, meaning) {
			const item = element('li', '', list);
			const box = shape('svg', { class: 'jr-figure', viewBox: '0 0 40 11', width: 40,
				height: 11, 'aria-hidden': true }, item);
			shape('rect', { class: style, width: 40, height: 11, rx: 2 }, box);
			const hem = this.tree.hem(style);
			if (hem)
				shape('path', { class: hem, d: jrFlame.hemPath(0, 0, 40) }, box);
			item.append(meaning);
			return item;
		}

		dressRoofs() {
			const list = element('ul', 'jr-flame-legend jr-flame-scale'), n = jrFlame.ROOFS.length;
			const bound = (i) => fixed(100 * jrFlame.ROOFS[i], 0);
			for (let i = 0; i <= n; i++)
				this.addStep(list, `f-roof-${i + 1} t0`, i === 0 ? `below ${bound(0)} % of roofline`
					: i === n ? `${bound(n - 1)} % and more` : `${bound(i - 1)} to ${bound(i)} %`);
			this.addStep(list, jrFlame.NEUTRAL, 'no roofline: idle or unknown work');
			return list;
		}

		/* Legend of the colors of a comparison. */
		dressScale(list) {
			const n = jrFlame.BOUNDS.length;
			const bound = (i) => signed(Math.sign(i) * 100 * jrFlame.BOUNDS[Math.abs(i) - 1], 0);
			const range = (i) => i === -n ? `below ${bound(i)} %` : i === n ? `above ${bound(i)} %`
				: i === 0 ? `${bound(-1)} to ${bound(1)} %`
					: `${bound(i < 0 ? i - 1 : i)} to ${bound(i < 0 ? i : i + 1)} %`;
			list.classList.add('jr-flame-scale');
			for (let i = -n; i <= n; i++) {
				this.addStep(list, jrFlame.stepStyle(i), range(i));
			}
		}

		dressSearch() {
			const search = element('span', 'jr-flame-search', this.box);
			const label = element('label', '', search);
			label.append('Search ');
			this.input = element('input', '', label);
			this.input.type = 'search';
			this.input.placeholder = 'regular expression';
			this.input.spellcheck = false;
			this.input.autocomplete = 'off';
			const steps = element('span', 'jr-flame-steps', search);
			this.previous = button(steps, '‹', 'Previous match (Shift+Enter)', () => this.go(-1));
			this.next = button(steps, '›', 'Next match (Enter)', () => this.go(1));
			this.previous.setAttribute('aria-label', 'Previous match');
			this.next.setAttribute('aria-label', 'Next match');
			this.matched = element('output', 'jr-flame-matched', this.box);
		}

		/* A menu of [value, name]; a choice calls `choose`. */
		dressChoice(kind, text, title, options, choose) {
			const label = element('label', `jr-flame-${kind}`, this.box);
			label.append(`${text} `);
			label.title = title;
			const list = element('select', '', label);
			for (const [value, name] of options)
				element('option', '', list, name).value = value;
			list.addEventListener('change', () => this.change(true, () => choose(list.value)));
			return list;
		}

		dressButtons() {
			const { state, tree } = this, names = ['all', 'without wrappers', 'without libraries'];
			if (tree.base)
				this.widths = this.dressChoice('width', 'Width',
					'What the width of a frame shows (w)', WIDTHS, (by) => state.measureBy(by));
			if (tree.roofs)
				this.choose = this.dressChoice('colors', 'Color', 'What the color of a frame '
					+ 'shows: the kind of code, or how close its kernels come to the roofline',
				[[BY_KIND, 'kind of code'], [BY_ROOF, 'efficiency']],
				(by) => state.colors = by);
			if (state.levels.length > 1)
				this.choice = this.dressChoice('level', 'Frames', 'Hide frames that only forward '
					+ `calls, or all frames outside your code; their ${state.noun} stays with their `
					+ 'callers',
				state.levels.map((level) => [level, names[level]]),
				(level) => state.setLevel(Number(level)));
			this.fold = button(this.box, '', `Fold long chains of frames that do not divide ${state.noun}`,
				() => this.change(true, () => state.fold()));
			this.flip = button(this.box, '', 'Show callers on top or at the bottom', () =>
				this.change(true, () => state.flipped = !state.flipped));
			this.reset = button(this.box, 'Reset', 'Restore the initial view', () =>
				this.change(true, () => {
					state.clear();
					this.input.value = '';
				}));
		}

		dressDetail(around) {
			this.detail = element('p', 'jr-flame-detail');
			this.detail.id = `${this.svg.id}-detail`;
			this.detailName = element('strong', '', this.detail);
			this.detail.append(' ');
			this.detailValues = element('span', 'jr-flame-values', this.detail);
			this.detail.append(' ');
			if (this.tree.links.size) {
				this.source = element('a', 'jr-flame-source', this.detail, 'Source line');
				this.detail.append(' ');
			}
			this.detailMore = element('span', 'jr-flame-more', this.detail);
			this.hint = `Point at a frame or tap it to see its ${this.state.noun}. Click or tap again to zoom; `
				+ 'Esc goes back. Keys: arrows move, Enter zooms or unfolds, / searches, '
				+ 'n goes to the next match'
				+ `${this.tree.base ? ', w changes the width' : ''}${
					this.source ? ', s shows the source line' : ''}.`;
			around.after(this.detail);
			this.live = element('span', 'jr-flame-live');
			this.live.setAttribute('aria-live', 'polite');
			this.detail.after(this.live);
		}

		controls() {
			const { state } = this, roles = state.view.roles();
			this.reset.disabled = state.link() === '';
			this.flip.textContent = state.flipped ? 'Show as icicle' : 'Show as flame';
			this.fold.textContent = state.folds && !state.open.size ? 'Unfold' : 'Fold';
			this.fold.hidden = !state.view.run.some(Boolean);
			this.previous.disabled = this.next.disabled = !state.search.count();
			if (this.choice)
				this.choice.value = state.level;
			if (this.widths)
				this.widths.value = state.by;
			if (this.choose)
				this.choose.value = state.colors;
			for (const by in this.legends)
				this.legends[by].hidden = by !== state.colors;
			for (const [role, item] of this.meanings)
				item.hidden = !roles.has(role);
		}

		/* --- events --- */

		listen() {
			const { svg, picture, state } = this, keys = this.keys();
			svg.addEventListener('pointermove', (event) => {
				if (event.pointerType !== 'touch')
					this.select(picture.at(event));
			});
			svg.addEventListener('pointerdown', (event) => this.pointer = event.pointerType);
			svg.addEventListener('pointerleave', () => this.select(picture.pinned()));
			svg.addEventListener('click', (event) => {
				const box = picture.at(event), known = this.current;
				this.select(box);
				/* A finger cannot hover: the first tap shows details, the second acts. */
				if (box && this.pointer === 'touch' && known !== box)
					state.pinned = state.view.base[box.i];
				else if (box)
					this.act(box);
			});
			svg.addEventListener('keydown', (event) => jrView.press(event, keys));
			svg.addEventListener('focus', () => {
				if (svg.matches(':focus-visible') && !this.current)
					this.select(picture.boxOf(state.focus()[0]) || picture.rows[0][0], true);
			});
			this.input.addEventListener('input', () => this.change(!state.search.query,
				() => state.search.set(this.input.value)));
			this.input.addEventListener('keydown', (event) => {
				if (event.key === 'Enter')
					this.go(event.shiftKey ? -1 : 1);
				else if (event.key === 'Escape' && state.search.query)
					this.clearSearch();
				else
					return;
				event.preventDefault();
			});
			new ResizeObserver(() => picture.measure() && this.draw(true)).observe(svg);
		}

		keys() {
			const { state } = this, arrow = (event) => this.walk(event.key);
			const act = () => !!this.current && this.act(this.current);
			return {
				ArrowLeft: arrow, ArrowRight: arrow, ArrowUp: arrow, ArrowDown: arrow,
				Enter: act, ' ': act,
				Escape: () => state.zoomed || state.from ? this.zoom(0, 0)
					: !!state.search.query && this.clearSearch(),
				Backspace: () => state.zoomed > 0 && this.zoom(...state.out()),
				'/': () => this.input.focus(),
				w: () => !!this.tree.base && this.measureBy(state.nextWidth()),
				n: () => this.go(1),
				N: () => this.go(-1),
				s: () => this.goToSource(),
			};
		}

		/* --- the frame under the pointer or the keyboard --- */

		select(box, spoken) {
			const { outline } = this.picture;
			if (box === this.current && outline.hasAttribute('d') && !spoken)
				return;
			this.current = box;
			this.picture.frame(box);
			this.tell(box, spoken && box);
		}

		/* Like select(), but it stays when the pointer leaves. */
		pin(box) {
			this.state.pinned = this.state.view.base[box.i];
			this.select(box, true);
		}

		walk(key) {
			const to = jrView.walk(this.picture.rows, this.current, key, this.state.flipped);
			if (to)
				this.pin(to);
		}

		/* Handle a click: unfold a band, else zoom. */
		act(box) {
			const to = !box.band && this.state.target(box);
			if (box.band)
				this.change(true, () => this.state.unfold(box));
			else if (to)
				this.zoom(...to);
		}

		zoom(to, from) {
			const { state, picture } = this;
			const target = state.view.at[from || to], source = state.focus()[0];
			const boxes = () => [picture.boxOf(target), picture.boxOf(source)], before = boxes();
			if (!state.zoom(to, from))
				return;
			this.draw(true);
			this.controls();
			links.remember(true);
			/* In: start from the frame's box. Out: the wide frame becomes narrow. */
			const after = boxes(), k = target > source ? 0 : 1;
			picture.move(before[k], after[k]);
		}

		measureBy(by) {
			this.change(true, () => this.state.measureBy(by));
		}

		goToSource() {
			const box = this.current, link = box && !box.n && this.state.view.link(box.i);
			if (!link)
				return false;
			location.hash = link;
			return true;
		}

		/* --- search --- */

		clearSearch() {
			this.change(true, () => {
				this.input.value = '';
				this.state.search.set('');
			});
		}

		/* To the next match or the previous one. */
		go(by) {
			const { state, picture } = this, i = state.go(by, picture.width);
			if (i === undefined)
				return;
			this.draw(true);
			this.controls();
			this.tellMatches();
			links.remember(false);
			if (state.view.total[i] > 0)
				this.pin(picture.boxOf(i));
			else
				this.tellUndrawn(i);
		}

		/* A match without width is only in the other run, so only text can show it. */
		tellUndrawn(i) {
			this.state.pinned = 0;
			this.select(null);
			this.tell({ i, end: i + 1, n: 0, value: 0, undrawn: true }, true);
		}
	}

	/* figures/NAME.interactive.svg: the flamegraph becomes the only figure of a page. */
	const page = (svg, root) => {
		const title = root.querySelector('title').textContent;
		const html = element('html'), head = element('head', '', html), body = element('body',
			'jr-flame-page', html);
		html.lang = 'en';
		element('title', '', head, title);
		element('style', '', head, root.querySelector('style').textContent);
		const view = element('meta', '', head);
		view.name = 'viewport';
		view.content = 'width=device-width, initial-scale=1';
		const figure = element('figure', '', element('main', '', body));
		element('h1', '', figure, title);
		figure.append(svg);
		const words = root.querySelector('desc');
		if (words)
			element('figcaption', '', figure, words.textContent);
		root.replaceWith(html);
	};

	/*
	 * Created one by one when the browser is idle, immediately when the pointer reaches one, and
	 * all at once if the address holds their state.
	 */
	const asleep = new Map(); // SVG element: its data
	const wake = (svg) => {
		const data = asleep.get(svg);
		if (!data || !asleep.delete(svg))
			return;
		const flame = new Flame(svg, JSON.parse(data.textContent));
		links.charts.push(flame);
		flame.picture.measure();
		flame.start();
	};
	const wakeAll = () => [...asleep.keys()].forEach(wake);
	const idle = (work) => window.requestIdleCallback ? requestIdleCallback(work, { timeout: 1000 })
		: setTimeout(work, 50);
	const wakeNext = () => {
		const [svg] = asleep.keys();
		if (svg) {
			wake(svg);
			idle(wakeNext);
		}
	};
	const root = document.documentElement;
	const alone = root.localName === 'svg'; // a chart in a file of its own
	for (const data of document.querySelectorAll('script.jr-flame-data')) {
		const svg = document.getElementById(data.dataset.figure);
		if (!svg || !svg.querySelector('.jr-frames'))
			continue;
		asleep.set(svg, data);
		if (alone)
			page(svg, root);
		for (const type of ['pointerenter', 'pointerdown', 'focus'])
			svg.addEventListener(type, () => wake(svg), { once: true });
	}
	if (asleep.size) {
		const follow = () => {
			wakeAll();
			links.recall();
		};
		addEventListener('popstate', follow);
		addEventListener('hashchange', follow);
		const saved = Object.values((history.state && history.state.flames) || {});
		if (alone || location.hash.includes('!') || saved.some(Boolean))
			wakeAll();
		else
			addEventListener('load', () => idle(wakeNext));
		links.recall();
	}
})();
