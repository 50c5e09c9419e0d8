/*
 * flame.js - zoom, search, keyboard and touch for the flamegraphs of a page.
 *
 * Each <script type="application/json" class="jr-flame-data" data-figure="ID"> holds the packed tree
 * of the picture <svg id="ID">. The picture is complete as it stands; this script redraws the inside
 * of its group .jr-frames. It sets classes, attributes and text only: no inline style, no HTML from
 * strings, no eval. A file figures/NAME.interactive.svg is one such picture alone.
 */
(() => {
	'use strict';

	const SVG = 'http://www.w3.org/2000/svg', HTML = 'http://www.w3.org/1999/xhtml';
	const ROW = 17; // JR_FLAME_ROW
	const TOP = 2; // px over the first row
	const MIN_LABEL = 22, PADDING = 4;
	const MIN_CHANGED = 40; // px of a label, where it is told how much the frame changed
	const WIDTHS = [[jrFlame.AFTER, 'time in the new run'], [jrFlame.BEFORE, 'time in the base'],
		[jrFlame.CHANGE, 'what changed']];
	const MOVE_MS = 160;
	const BY_KIND = 'kind', BY_ROOF = 'roof'; // what the colours of frames tell

	/* In a file of its own the document is no HTML: elements need their namespace. */
	const element = (name, className, parent, text) => {
		const node = document.createElementNS(HTML, name);
		if (className)
			node.className = className;
		if (text)
			node.textContent = text;
		if (parent)
			parent.append(node);
		return node;
	};
	const button = (parent, text, title, onclick) => {
		const node = element('button', '', parent, text);
		node.type = 'button';
		node.title = title;
		node.addEventListener('click', onclick);
		return node;
	};
	const shape = (name, attributes, parent) => {
		const node = document.createElementNS(SVG, name);
		for (const key in attributes)
			node.setAttribute(key, attributes[key]);
		if (parent)
			parent.append(node);
		return node;
	};
	/* Words from right to left (base/text.c) get an element of their own, so that what stands beside
	 * them stays there. */
	const LETTERS = '[\\u0590-\\u08FF\\uFB1D-\\uFDFF\\uFE70-\\uFEFE\\u{10800}-\\u{10FFF}'
		+ '\\u{1E800}-\\u{1EFFF}]+';
	const RIGHT_TO_LEFT = new RegExp(`${LETTERS}(?:[ ._/-]+${LETTERS})*`, 'gu');
	const writeName = (node, text) => {
		const parts = [];
		let from = 0;
		for (const { 0: words, index } of text.matchAll(RIGHT_TO_LEFT)) {
			const part = node.namespaceURI === SVG ? shape('tspan', { 'unicode-bidi': 'isolate' })
				: element('bdi');
			part.textContent = words;
			parts.push(text.slice(from, index), part);
			from = index + words.length;
		}
		node.replaceChildren(...parts, text.slice(from));
	};
	const px = (v) => Math.round(v * 100) / 100;
	const fixed = (v, digits) => v.toLocaleString('en-US',
		{ minimumFractionDigits: digits, maximumFractionDigits: digits });
	const ms = (ns) => `${fixed(ns / 1e6, 3)} ms`;
	const percent = (part, whole) => `${fixed(whole > 0 ? 100 * part / whole : 0, 2)} %`;
	const signed = (v, digits) => `${v > 0 ? '+' : v < 0 ? '−' : ''}${fixed(Math.abs(v), digits)}`;
	/* "+6.50 %" of a comparison's [before, after]; "added", "removed" where one is nothing. */
	const relative = ([before, after], digits) => before > 0 && after > 0
		? `${signed(100 * (after - before) / before, digits)} %`
		: before > 0 ? 'removed' : after > 0 ? 'added' : '0 %';
	const change = ([before, after]) => `${signed((after - before) / 1e6, 3)} ms`;
	const frames = (n) => `${fixed(n, 0)} frame${n === 1 ? '' : 's'}`;
	const still = () => matchMedia('(prefers-reduced-motion: reduce), print').matches;

	/*
	 * What all flamegraphs of the page show is in its address: #ID!z=12&s=dot;OTHER!f=1, and in the
	 * state of the history's entries, so that it survives links to other places of the page.
	 */
	const all = [];
	const parse = (hash) => new Map(hash.slice(1).split(';').map((part) => {
		const at = part.indexOf('!');
		return at < 0 ? null : [part.slice(0, at), part.slice(at + 1)];
	}).filter(Boolean));
	const states = () => Object.fromEntries(all.map((flame) => [flame.svg.id, flame.state()]));
	const write = (how, url) => {
		try {
			history[how]({ ...history.state, flames: states() }, '', url);
		} catch (error) {
			/* A sandboxed page has no history of its own; it then has no permalink. */
		}
	};
	const remember = (push) => {
		const shown = all.map((flame) => [flame.svg.id, flame.state()]).filter(([, state]) => state);
		const hash = shown.map((pair) => pair.join('!')).join(';');
		if (hash)
			write(push ? 'pushState' : 'replaceState', `#${hash}`);
		else
			write(push ? 'pushState' : 'replaceState',
				parse(location.hash).size ? location.pathname + location.search : location.href);
	};
	/* After the address changed, by a link or on the way back. */
	const recall = () => {
		const saved = history.state && history.state.flames, linked = parse(location.hash);
		for (const flame of all) {
			const id = flame.svg.id;
			const to = saved ? saved[id] || '' : linked.size ? linked.get(id) || '' : undefined;
			if (to !== undefined && to !== flame.state())
				flame.show(to);
			if (!saved && linked.has(id))
				flame.box.scrollIntoView({ block: 'start' });
		}
		if (!saved)
			write('replaceState', location.href);
	};

	class Flame {
		constructor(svg, packed) {
			this.svg = svg;
			this.group = svg.querySelector('.jr-frames');
			this.tree = new jrFlame.Tree(packed);
			for (const [name, link] of this.tree.links)
				if (!document.getElementById(link.slice(1)))
					this.tree.links.delete(name);
			this.left = Number(this.group.dataset.left);
			this.width = svg.viewBox.baseVal.width - 2 * this.left;
			this.ruler = new jrFlame.Ruler(getComputedStyle(svg).fontFamily);
			this.upwards = packed.up === 1;
			this.levels = this.tree.levels();
			this.clear();
			this.dress(packed.legend);
		}

		/* Apart from construction, so that the page is laid out once for all of them. */
		start() {
			this.listen();
			this.refresh();
		}

		/* --- what is shown --- */

		clear() {
			this.by = this.tree.width(); // what frames of a comparison are as wide as
			this.zoomed = 0; // a frame, by its index in the tree
			this.from = 0; // of its children only those from this one on; 0: all
			this.query = '';
			this.level = this.tree.level();
			this.colours = BY_KIND;
			this.folds = true;
			this.open = new Set(); // runs that are not folded, by their first frame
			this.flipped = this.upwards;
			this.pinned = 0; // what the detail line tells of when nothing is pointed at
			this.step = -1; // which match was gone to
		}

		/* w: width, z: zoomed, g: from, s: search, l: level, c: colours, u: unfolded, f: flipped */
		state() {
			const state = new URLSearchParams();
			if (this.by !== this.tree.width())
				state.set('w', this.by);
			if (this.zoomed)
				state.set('z', this.zoomed);
			if (this.from)
				state.set('g', this.from);
			if (this.query)
				state.set('s', this.query);
			if (this.level !== this.tree.level())
				state.set('l', this.level);
			if (this.colours !== BY_KIND)
				state.set('c', this.colours);
			if (!this.folds)
				state.set('u', 'all');
			else if (this.open.size)
				state.set('u', [...this.open].join('.'));
			if (this.flipped !== this.upwards)
				state.set('f', '1');
			return state.toString();
		}

		show(text) {
			const state = new URLSearchParams(text);
			const frame = (s) => /^\d{1,9}$/.test(s) && Number(s) < this.tree.n ? Number(s) : 0;
			this.clear();
			if (this.tree.base && WIDTHS.some(([by]) => by === state.get('w')))
				this.by = state.get('w');
			this.zoomed = frame(state.get('z'));
			this.from = frame(state.get('g'));
			this.query = state.get('s') || '';
			this.level = this.levels.find((level) => String(level) === state.get('l')) ?? this.level;
			if (this.tree.roofs && state.get('c') === BY_ROOF)
				this.colours = BY_ROOF;
			this.folds = state.get('u') !== 'all';
			if (this.folds)
				this.open = new Set((state.get('u') || '').split('.').map(frame).filter(Boolean));
			this.flipped = this.upwards !== (state.get('f') === '1');
			this.pinned = this.zoomed;
			this.input.value = this.query;
			this.refresh();
			/* A link to a frame that is left out at first shows it. */
			if (this.found && !this.found.frames.length && !state.has('l') && this.hiddenMatches()) {
				this.level = jrFlame.ALL;
				this.refresh();
			}
		}

		/* To another state, told to the address; `push`: back returns from it. */
		change(push, what) {
			what();
			this.refresh();
			remember(push);
		}

		refresh() {
			this.view = this.tree.view(this.level, this.by);
			this.find();
			this.draw(false);
			this.controls();
		}

		/* --- drawing --- */

		/* The frame at full width, and the first of its children that are shown (0: all). */
		focus() {
			const top = this.view.at[this.zoomed], from = this.view.at[this.from];
			return [top, from > top && this.view.parent[from] === top ? from : 0];
		}

		folded(i, top) {
			return this.folds && this.view.run[i] > 0 && this.view.runOf[top] !== i
				&& !this.open.has(this.view.base[i]);
		}

		draw(keepHeight) {
			const [top, from] = this.focus();
			this.boxes = this.view.layout(top, from, this.width, (i) => this.folded(i, top));
			this.rows = [];
			for (const box of this.boxes)
				(this.rows[box.row] ??= []).push(box);
			this.nRows = keepHeight ? Math.max(this.nRows, this.rows.length) : this.rows.length;
			this.top = TOP;
			const paths = new Map();
			for (const box of this.boxes) {
				const key = this.classes(box), gap = box.w > 3 ? 0.5 : 0;
				const d = `M${px(this.left + box.x)} ${px(this.y(box.row))}h${px(box.w - gap)}v${
					ROW - 1}h${px(gap - box.w)}z`;
				const list = paths.get(key);
				if (list)
					list.push(d);
				else
					paths.set(key, [d]);
			}
			const parts = [];
			for (const [className, list] of paths)
				parts.push(shape('path', { class: className, d: list.join('') }));
			this.outline = shape('path', { class: 'f-none s-ink jr-flame-current' });
			this.tip = shape('title', {});
			this.group.replaceChildren(this.tip, ...parts, this.labels(), this.outline);
			this.size();
			this.current = null;
			this.select(this.boxOf(this.view.at[this.pinned]));
		}

		y(row) {
			return this.top + (this.flipped ? this.nRows - 1 - row : row) * ROW;
		}

		size() {
			const width = this.width + 2 * this.left, height = this.nRows * ROW + 2 * TOP;
			this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
			this.svg.setAttribute('width', width);
			this.svg.setAttribute('height', height);
		}

		isMatch(box) {
			return this.found && this.found.before[box.end] > this.found.before[box.i];
		}

		classes(box) {
			if (this.isMatch(box))
				return 'f-accent t0 jr-match';
			const style = this.colours === BY_ROOF ? this.roofStyle(box) : this.tree.base ? jrFlame.stepStyle(jrFlame.step(...this.view.both(box)))
				: box.n ? this.tree.style(this.tree.unknown) : this.view.style(box.i);
			return box.above || this.found ? `${style} jr-dim` : style;
		}

		roofStyle(box) {
			const found = this.view.efficiency(box);
			return found ? `f-roof-${jrFlame.roofClass(found.fraction)} t0` : 'f-unknown t1';
		}

		labels() {
			const group = shape('g', { class: 'f-ink jr-flame-labels', 'font-size': 12 });
			for (const box of this.boxes) {
				if (box.w < MIN_LABEL)
					continue;
				const text = this.label(box, box.w - 2 * PADDING);
				if (!text)
					continue;
				const node = shape('text', { x: px(this.left + box.x + PADDING),
					y: px(this.y(box.row) + 12) }, group);
				if (this.isMatch(box))
					node.setAttribute('class', 'f-background');
				writeName(node, text);
			}
			return group;
		}

		/* As jr_flame_label() has it, and behind it how much the frame changed. */
		label(box, room) {
			const name = this.name(box), both = this.tree.base ? this.view.both(box) : null;
			const fit = (width) => box.n ? this.ruler.fit(name, width) : this.ruler.label(name, width);
			if (!both || !jrFlame.step(...both))
				return fit(room);
			const more = `\u00A0 ${relative(both, 1)}`, left = room - this.ruler.width(more);
			const text = left >= MIN_CHANGED ? fit(left) : '';
			return text ? text + more : fit(room);
		}

		/* From where a frame was to where it is: `before` and `after` are its boxes. */
		move(before, after) {
			if (!before || !after || still() || before.w < 1 || after.w < 1)
				return;
			const scale = before.w / after.w, group = this.group;
			const shift = this.left + before.x - scale * (this.left + after.x);
			const begin = performance.now(), boxes = this.boxes;
			group.classList.add('jr-flame-moving');
			const frame = (now) => {
				const t = Math.min(1, Math.max(0, (now - begin) / MOVE_MS)), left = (1 - t) ** 3;
				if (t === 1 || this.boxes !== boxes) {
					group.removeAttribute('transform');
					group.classList.remove('jr-flame-moving');
					return;
				}
				group.setAttribute('transform',
					`matrix(${1 + (scale - 1) * left} 0 0 1 ${shift * left} 0)`);
				requestAnimationFrame(frame);
			};
			frame(begin);
		}

		/* --- in words --- */

		name(box) {
			if (box.band) {
				const short = (i) => (jrFlame.parts(this.view.text(i)) || { name: this.view.text(i) }).name;
				return `… ${frames(box.n)}${this.view.isTrunk(box.i) ? ' that all stacks share' : ''}: ${
					short(box.i)} → ${short(this.view.target(box.i))}`;
			}
			return box.n ? `… ${frames(box.n)}` : this.view.text(box.i);
		}

		values(box) {
			const view = this.view, [top, from] = this.focus();
			if (this.tree.base)
				return this.compare(box);
			let text = `${ms(box.value)}, ${percent(box.value, view.total[0])}`;
			if (top && !from && !box.above && box.i !== top)
				text += ` (${percent(box.value, view.total[top])} of what is zoomed)`;
			if (!box.n && view.self[box.i] > 0 && view.self[box.i] < box.value)
				text += `; itself ${ms(view.self[box.i])}`;
			return text + this.against(box);
		}

		/* "; at 42.00 % of the roof, 1.234 ms lost", and of which part of the time that is. */
		against(box) {
			const found = this.view.efficiency(box);
			if (!found)
				return '';
			const part = found.roofed < 0.995 * box.value ? ` (of ${ms(found.roofed)} that have one)` : '';
			return `; at ${percent(found.fraction, 1)} of the roof${part}, ${ms(found.lost)} lost`;
		}

		compare(box) {
			const both = this.view.both(box), [before, after] = both;
			const own = [this.view.before[box.i], this.view.after[box.i]];
			let text = `${ms(before)} → ${ms(after)}, ${change(both)} (${relative(both, 2)})`;
			if (!box.n && own[0] !== own[1] && (own[0] !== before || own[1] !== after))
				text += `; itself ${change(own)}`;
			return text;
		}

		/* The frames of a band, one a line. */
		list(box) {
			const lines = [];
			for (let i = box.i; i < box.end; i++) {
				const frame = jrFlame.parts(this.view.text(i));
				lines.push(frame ? `${frame.name}  ${frame.place}` : this.view.text(i));
			}
			return lines;
		}

		tell(box, spoken) {
			const frame = box && !box.n ? jrFlame.parts(this.view.text(box.i)) : undefined;
			const name = !box ? '' : frame ? frame.name : this.name(box);
			const values = box ? this.values(box) : '';
			let more = frame ? frame.path : '';
			if (box && box.undrawn)
				more = `It has no width here${this.tree.base ? '; w changes what the width is' : ''}.`;
			else if (box && box.band)
				more = this.list(box).join(' → ');
			else if (box && this.view.count[box.i])
				more = 'The smallest frames of a large profile are not in this page, but in the files '
					+ 'beside it.';
			writeName(this.detailName, name || this.tree.rootName);
			this.detailValues.textContent = values || (this.tree.base
				? this.compare({ i: 0, end: this.view.n, n: 1 }) : ms(this.view.total[0]) + this.against({ i: 0, end: this.view.n, value: this.view.total[0] }));
			writeName(this.detailMore, box ? more : this.hint);
			this.tip.textContent = !box ? '' : box.band ? [`${this.name(box)}: ${values}`,
				...this.list(box)].join('\n') : `${this.name(box)}: ${values}`;
			if (spoken)
				this.live.textContent = `${this.name(box)}: ${values}`;
			if (this.source) {
				const link = box && !box.n ? this.view.link(box.i) : undefined;
				this.source.hidden = !link;
				this.source.setAttribute('href', link || '#');
			}
		}

		/* --- controls --- */

		dress(legend) {
			const figure = this.svg.closest('figure') || this.svg.parentElement;
			/* A box that scrolls the picture sideways must not carry the controls away. */
			const around = this.svg.parentElement === figure ? this.svg : this.svg.parentElement;
			const title = this.svg.getAttribute('aria-label') || 'flamegraph';
			this.svg.replaceChildren(this.group);
			this.box = element('div', 'jr-flame-bar');
			this.box.setAttribute('role', 'group');
			this.box.setAttribute('aria-label', `Controls of: ${title}`);
			around.before(this.box);
			this.dressSearch();
			this.dressButtons();
			const list = element('ul', 'jr-flame-legend');
			this.meanings = legend.map(([role, meaning]) => {
				return [role, this.addStep(list, this.tree.style(role), meaning)];
			});
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

		/* A class of colour and what it means. */
		addStep(list, style, meaning) {
			const item = element('li', '', list);
			const box = shape('svg', { class: 'jr-figure', viewBox: '0 0 40 11', width: 40,
				height: 11, 'aria-hidden': true }, item);
			shape('rect', { class: style, width: 40, height: 11, rx: 2 }, box);
			item.append(meaning);
			return item;
		}

		dressRoofs() {
			const list = element('ul', 'jr-flame-legend jr-flame-scale'), n = jrFlame.ROOFS.length;
			const bound = (i) => fixed(100 * jrFlame.ROOFS[i], 0);
			for (let i = 0; i <= n; i++)
				this.addStep(list, `f-roof-${i + 1} t0`, i === 0 ? `below ${bound(0)} % of the roof`
					: i === n ? `${bound(n - 1)} % and more` : `${bound(i - 1)} to ${bound(i)} %`);
			this.addStep(list, 'f-unknown t1', 'no roof: idle, or work that is not known');
			return list;
		}

		/* What the colours of a comparison mean. */
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

		dressButtons() {
			if (this.tree.base) {
				const label = element('label', 'jr-flame-width', this.box);
				label.append('Width ');
				label.title = 'What a frame is as wide as (w)';
				this.widths = element('select', '', label);
				for (const [by, name] of WIDTHS)
					element('option', '', this.widths, name).value = by;
				this.widths.addEventListener('change', () => this.measureBy(this.widths.value));
			}
			if (this.tree.roofs) {
				const label = element('label', 'jr-flame-colours', this.box);
				label.append('Colour ');
				label.title = 'What the colours tell: whose code a frame is, or how much of what the '
					+ 'device can do its kernels reach';
				this.choose = element('select', '', label);
				for (const [by, name] of [[BY_KIND, 'kind of code'], [BY_ROOF, 'efficiency']])
					element('option', '', this.choose, name).value = by;
				this.choose.addEventListener('change', () =>
					this.change(true, () => this.colours = this.choose.value));
			}
			const names = ['all', 'without wrappers', 'without libraries'];
			if (this.levels.length > 1) {
				const label = element('label', 'jr-flame-level', this.box);
				label.append('Frames ');
				label.title = 'Leave out frames that only pass calls on, or all that are not your own '
					+ 'code; their time stays with what called them';
				this.choice = element('select', '', label);
				for (const level of this.levels)
					element('option', '', this.choice, names[level]).value = level;
				this.choice.addEventListener('change', () => this.change(true, () => {
					this.level = Number(this.choice.value);
					this.open.clear();
					this.step = -1;
				}));
			}
			this.fold = button(this.box, '', 'Fold long runs of frames in which no time is divided',
				() => this.change(true, () => {
					this.folds = !this.folds || this.open.size > 0;
					this.open.clear();
				}));
			this.flip = button(this.box, '', 'Callers on top, or below', () =>
				this.change(true, () => this.flipped = !this.flipped));
			this.reset = button(this.box, 'Reset', 'Show everything as at first', () =>
				this.change(true, () => {
					this.clear();
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
			this.hint = 'Point at a frame or tap it for its time; click or tap again to zoom, Esc to go '
				+ 'back. Keys: arrows walk, Enter zooms or unfolds, / searches, n is the next match'
				+ `${this.tree.base ? ', w changes the width' : ''}${
					this.source ? ', s shows the source line' : ''}.`;
			around.after(this.detail);
			this.live = element('span', 'jr-flame-live');
			this.live.setAttribute('aria-live', 'polite');
			this.detail.after(this.live);
		}

		controls() {
			this.reset.disabled = this.state() === '';
			this.flip.textContent = this.flipped ? 'Show as icicle' : 'Show as flame';
			this.fold.textContent = this.folds && !this.open.size ? 'Unfold' : 'Fold';
			this.fold.hidden = !this.view.run.some(Boolean);
			this.previous.disabled = this.next.disabled = !this.found || !this.found.frames.length;
			if (this.choice)
				this.choice.value = this.level;
			if (this.widths)
				this.widths.value = this.by;
			if (this.choose)
				this.choose.value = this.colours;
			for (const by in this.legends)
				this.legends[by].hidden = by !== this.colours;
			const roles = this.view.roles();
			for (const [role, item] of this.meanings)
				item.hidden = !roles.has(role);
		}

		/* --- events --- */

		listen() {
			const svg = this.svg;
			svg.addEventListener('pointermove', (event) => {
				if (event.pointerType !== 'touch')
					this.select(this.at(event));
			});
			svg.addEventListener('pointerdown', (event) => this.pointer = event.pointerType);
			svg.addEventListener('pointerleave', () => this.select(this.boxOf(this.view.at[this.pinned])));
			svg.addEventListener('click', (event) => {
				const box = this.at(event), known = this.current;
				this.select(box);
				/* A finger cannot hover: the first tap tells, the second acts. */
				if (box && this.pointer === 'touch' && known !== box)
					this.pinned = this.view.base[box.i];
				else if (box)
					this.act(box);
			});
			svg.addEventListener('keydown', (event) => this.key(event));
			svg.addEventListener('focus', () => {
				if (svg.matches(':focus-visible') && !this.current)
					this.select(this.boxOf(this.focus()[0]) || this.rows[0][0], true);
			});
			this.input.addEventListener('input', () => this.change(!this.query, () => {
				this.query = this.input.value;
				this.step = -1;
			}));
			this.input.addEventListener('keydown', (event) => {
				if (event.key === 'Enter')
					this.go(event.shiftKey ? -1 : 1);
				else if (event.key === 'Escape' && this.query)
					this.change(true, () => this.input.value = this.query = '');
				else
					return;
				event.preventDefault();
			});
			new ResizeObserver(() => this.resize()).observe(svg);
		}

		/*
		 * One unit of the picture becomes one pixel, so that text has the size that it was made
		 * for and a wide window shows more of it.
		 */
		resize() {
			const before = this.width;
			this.measure();
			if (this.width !== before)
				this.draw(true);
		}

		measure() {
			const width = Math.round(this.svg.getBoundingClientRect().width) - 2 * this.left;
			if (width >= 100 && Math.abs(width - this.width) > 1 && !matchMedia('print').matches)
				this.width = width;
		}

		key(event) {
			if (event.ctrlKey || event.metaKey || event.altKey)
				return;
			const { key } = event, link = this.current && !this.current.n
				&& this.view.link(this.current.i);
			if (key.startsWith('Arrow'))
				this.walk(key);
			else if ((key === 'Enter' || key === ' ') && this.current)
				this.act(this.current);
			else if (key === 'Escape' && (this.zoomed || this.from))
				this.zoom(0, 0);
			else if (key === 'Escape' && this.query)
				this.change(true, () => this.input.value = this.query = '');
			else if (key === 'Backspace' && this.zoomed)
				this.zoom(this.from ? this.zoomed : this.tree.parent[this.zoomed], 0);
			else if (key === '/')
				this.input.focus();
			else if (key === 'w' && this.tree.base)
				this.measureBy(WIDTHS[(WIDTHS.findIndex(([by]) => by === this.by) + 1) % WIDTHS.length][0]);
			else if (key === 'n' || key === 'N')
				this.go(key === 'n' ? 1 : -1);
			else if (key === 's' && link)
				location.hash = link;
			else
				return;
			event.preventDefault();
		}

		/* --- the frame under the pointer or the keyboard --- */

		at(event) {
			const matrix = this.svg.getScreenCTM();
			if (!matrix)
				return null;
			const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
			const down = Math.floor((p.y - this.top) / ROW);
			const row = this.rows[this.flipped ? this.nRows - 1 - down : down];
			const x = p.x - this.left;
			if (!row)
				return null;
			let low = 0, high = row.length;
			while (low < high) {
				const middle = (low + high) >> 1;
				if (row[middle].x <= x)
					low = middle + 1;
				else
					high = middle;
			}
			const box = row[low - 1];
			return box && x < box.x + box.w ? box : null;
		}

		/* The box that shows frame i or what it is gathered into; null for 0 and what is not shown. */
		boxOf(i) {
			return i ? this.boxes.find((box) => box.i <= i && i < box.end) || null : null;
		}

		select(box, spoken) {
			if (box === this.current && this.outline.hasAttribute('d') && !spoken)
				return;
			this.current = box;
			this.outline.setAttribute('d', box ? `M${px(this.left + box.x)} ${
				px(this.y(box.row))}h${px(box.w)}v${ROW - 1}h${px(-box.w)}z` : '');
			this.tell(box, spoken && box);
		}

		/* As select(), and it stays when the pointer leaves. */
		pin(box) {
			this.pinned = this.view.base[box.i];
			this.select(box, true);
		}

		walk(key) {
			const box = this.current, row = box && this.rows[box.row];
			let to = null;
			if (!box)
				to = this.rows[0][0];
			else if (key === 'ArrowLeft' || key === 'ArrowRight')
				to = row[row.indexOf(box) + (key === 'ArrowLeft' ? -1 : 1)];
			else if ((key === 'ArrowDown') !== this.flipped)
				to = (this.rows[box.row + 1] || []).find((other) =>
					other.x >= box.x - 1e-6 && other.x < box.x + box.w);
			else
				to = (this.rows[box.row - 1] || []).find((other) =>
					other.x <= box.x + box.w / 2 && box.x + box.w / 2 < other.x + other.w);
			if (to)
				this.pin(to);
		}

		/* What a click does: unfold a band, else zoom; into narrow frames by their width together. */
		act(box) {
			const { base, parent, end } = this.view;
			if (box.band)
				this.change(true, () => {
					this.open.add(base[box.i]);
					this.folds = true;
				});
			else if (box.n === 0 || (end[box.i] === box.end && !this.view.count[box.i]))
				this.zoom(base[box.i], 0);
			else if (!this.view.count[box.i])
				this.zoom(base[parent[box.i]], base[box.i]);
		}

		zoom(to, from) {
			if (to === this.zoomed && from === this.from)
				return;
			const target = this.view.at[from || to], source = this.focus()[0];
			const before = [this.boxOf(target), this.boxOf(source)];
			this.zoomed = to;
			this.from = from;
			this.pinned = to;
			this.draw(true);
			this.controls();
			remember(true);
			/* In: from the box that the frame had. Out: the frame that was wide becomes narrow. */
			const after = [this.boxOf(target), this.boxOf(source)];
			const k = target > source ? 0 : 1;
			this.move(before[k], after[k]);
		}

		/* To another width: what was zoomed stays so where it has any. */
		measureBy(by) {
			this.change(true, () => {
				this.by = by;
				this.step = -1;
				const view = this.tree.view(this.level, by);
				if (!(view.total[view.at[this.from || this.zoomed]] > 0))
					this.zoomed = this.from = 0;
			});
		}

		/* --- search --- */

		find() {
			this.found = null;
			this.input.removeAttribute('aria-invalid');
			this.matched.textContent = '';
			if (!this.query)
				return;
			try {
				this.found = this.view.match(new RegExp(this.query, 'i'));
				this.tellMatches();
			} catch (error) {
				this.input.setAttribute('aria-invalid', 'true');
				this.matched.textContent = 'not a regular expression';
			}
		}

		tellMatches() {
			const n = this.found.frames.length, share = percent(this.found.value, this.view.total[0]);
			const hidden = n ? 0 : this.hiddenMatches();
			this.matched.textContent = this.step >= 0 ? `${fixed(this.step + 1, 0)} of ${frames(n)}, ${
				share}` : n ? `${frames(n)}, ${share}` : `nothing found, 0.00 %${
				hidden ? `; ${frames(hidden)} among those left out` : ''}`;
		}

		/* How many frames match that are not shown. */
		hiddenMatches() {
			return this.level === jrFlame.ALL ? 0 : this.tree.view(jrFlame.ALL, this.by)
				.match(new RegExp(this.query, 'i')).frames.length;
		}

		/* To the next match or the one before; what hides it opens. */
		go(by) {
			const n = this.found ? this.found.frames.length : 0;
			if (!n)
				return;
			this.step = this.step < 0 ? (by > 0 ? 0 : n - 1) : (this.step + by + n) % n;
			const i = this.found.frames[this.step], { view } = this;
			const inside = () => {
				const [top, from] = this.focus();
				return i >= top && i < view.end[top] && (!from || i >= from);
			};
			if (view.runOf[i] >= 0 && this.folded(view.runOf[i], this.focus()[0]))
				this.open.add(view.base[view.runOf[i]]);
			if (!inside())
				this.zoomed = this.from = 0;
			this.reveal(i);
			this.draw(true);
			this.controls();
			this.tellMatches();
			remember(false);
			if (view.total[i] > 0)
				this.pin(this.boxOf(i));
			else
				this.tellUndrawn(i);
		}

		/* Of a match without width, one that only the other run has, there is nothing but words. */
		tellUndrawn(i) {
			this.pinned = 0;
			this.select(null);
			this.tell({ i, end: i + 1, n: 0, value: 0, undrawn: true }, true);
		}

		/* Zoom just so far in that frame i is wide enough to be seen. */
		reveal(i) {
			const { view } = this, [top] = this.focus();
			const width = (under) => view.total[i] / view.total[under] * this.width;
			if (!(view.total[i] > 0) || width(top) >= MIN_LABEL && !this.from)
				return;
			let under = i;
			while (view.parent[under] > top && width(view.parent[under]) >= MIN_LABEL)
				under = view.parent[under];
			this.zoomed = view.base[under];
			this.from = 0;
		}
	}

	/* figures/NAME.interactive.svg: the picture becomes the one figure of a page. */
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
	 * Made one after another when the page has nothing better to do, one at once where it is pointed
	 * at, and all at once where the address tells what they show.
	 */
	const asleep = new Map(); // picture: its data
	const wake = (svg) => {
		const data = asleep.get(svg);
		if (!data || !asleep.delete(svg))
			return;
		const flame = new Flame(svg, JSON.parse(data.textContent));
		all.push(flame);
		flame.measure();
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
	const alone = root.namespaceURI === SVG; // a picture in a file of its own
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
			recall();
		};
		addEventListener('popstate', follow);
		addEventListener('hashchange', follow);
		const saved = Object.values((history.state && history.state.flames) || {});
		if (alone || location.hash.includes('!') || saved.some(Boolean))
			wakeAll();
		else
			addEventListener('load', () => idle(wakeNext));
		recall();
	}
})();
