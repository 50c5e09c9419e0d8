/*
 * timeline.js - draws the timeline of a page: zoom, search, measuring, the table of what is in view.
 *
 * <script class="jr-timeline-data"> in a figure holds the packed slices (timeline_data.js). The
 * figure is complete without this script, and its still chart is what is printed. This script sets
 * classes, attributes and text, and the sizes of its canvases: no HTML from strings, no eval.
 */
(() => {
	'use strict';

	const { time, summary } = jrTimeline;
	const ROW = 20, LINE = ROW + 1, GAP = 8, AXIS = 24, MAP = 28, APART = 6; // px
	const LEAST = 200; // ns in view
	const ROWS = 6; // of the table
	const STRIPED = 6; // px: narrower slices have no stripes

	const element = (name, className, parent, text) => {
		const node = document.createElement(name);
		if (className)
			node.className = className;
		if (text)
			node.textContent = text;
		if (parent)
			parent.append(node);
		return node;
	};
	const button = (parent, text, title, act) => {
		const node = element('button', '', parent, text);
		node.type = 'button';
		node.title = title;
		if (!/\w/.test(text)) /* signs alone do not name it */
			node.setAttribute('aria-label', title);
		node.addEventListener('click', act);
		return node;
	};
	const idle = (work) => window.requestIdleCallback ? requestIdleCallback(work, { timeout: 1000 })
		: setTimeout(work, 50);

	class Timeline {
		constructor(figure, data) {
			Object.assign(this, data, { number: data.home });
			this.id = 't'; // in the address
			this.figure = figure;
			this.zero = this.steps.length ? this.steps[0][0] : 0;
			const last = Math.max(...this.windows.map((w) => w[1]), 0) || this.span[1];
			this.all = [this.windows.length ? this.windows[0][0] : 0, Math.max(last, LEAST)];
			this.home = this.homeOf();
			[this.from, this.to] = this.home;
			this.chosen = null; // { lane, i }
			this.hovered = null;
			this.range = null;
			this.hits = null; // a set of things
			this.past = []; // views
			this.sought = ''; // text of the last search
			this.groups = [...new Set(this.lanes.filter(({ sort }) => sort !== 2)
				.map(({ group }) => group))];
			for (let k = 0; k < this.path.length; k += 2) {
				const lane = this.lanes[this.path[k]];
				(lane.path = lane.path || []).push(this.path[k + 1]);
			}
			const first = this.first.filter((group) => this.groups.includes(group));
			this.first = first.length ? first : this.groups.slice(0, jrTimeline.MOST);
			this.shown = this.first; // groups
			this.host = !this.groups.length;
			this.dress();
			this.place();
			this.listen();
		}

		/* The median step, or everything; and its name. */
		homeOf() {
			const { steps } = this;
			this.named = 'everything';
			if (!steps.length)
				return this.all;
			const by = steps.slice().sort((a, b) => (a[1] - a[0]) - (b[1] - b[0]) || a[2] - b[2]);
			const [from, to, number] = steps.find((step) => step[2] === this.number)
				|| by[(by.length - 1) >> 1], edge = 0.01 * (to - from);
			this.named = this.total > 1 ? `the median step, ${number}` : `step ${number}`;
			return [from - edge, to + edge];
		}

		/* Whether a step is the slowest or the fastest one of several that differ. */
		rank(i) {
			const ns = this.steps.map(([from, to]) => to - from), most = Math.max(...ns);
			const least = Math.min(...ns);
			return ns.length < 3 || most === least ? '' : i === ns.indexOf(most) ? ', slowest'
				: i === ns.indexOf(least) ? ', fastest' : '';
		}

		/* --- called by jrView.Links --- */

		link() {
			const { chosen, range, zero } = this, since = (ends) => jrTimeline.address(
				ends.slice().sort((a, b) => a - b).map((ns) => ns - zero));
			const groups = this.shown === this.first ? ''
				: this.shown.map((group) => `,${jrTimeline.device(group)}`).join('');
			const rest = (range ? `&m=${since(range)}` : '') + (chosen
				? `&b=${this.lanes.indexOf(chosen.lane)},${
					jrTimeline.ms(chosen.lane.start[chosen.i] - zero)}` : '')
				+ (this.hits ? `&q=${encodeURIComponent(this.input.value)}` : '');
			return !groups && !rest && this.from === this.home[0] && this.to === this.home[1] ? ''
				: since([this.from, this.to]) + groups + rest;
		}

		show(link) {
			const { view, m, b, q } = jrTimeline.addressParts(link);
			const stretch = (text) => (jrTimeline.stretch(text) || []).map((ns) => ns + this.zero);
			const [number, start] = (b || '').split(','), lane = this.lanes[number];
			const i = lane ? lane.at(start * 1e6 + this.zero, 1) : -1;
			this.showGroups(jrTimeline.devices(view, this.groups), false);
			this.range = m && stretch(m).length ? stretch(m) : null;
			try {
				this.search(decodeURIComponent(q || ''));
			} catch (error) {
				this.search(''); /* the address is cut within a character */
			}
			this.view(...stretch(view).length ? stretch(view) : this.home, false);
			this.choose(i < 0 || !this.rows.includes(lane) ? null : { lane, i });
			clearTimeout(this.remembering); /* the address has it, and those of charts still to come */
			this.now = [this.from, this.to, this.shown];
			this.past = [];
			this.back.disabled = true;
		}

		appear() {
			this.box.scrollIntoView({ block: 'start' });
		}

		/* --- the page --- */

		dress() {
			this.box = element('div', 'jr-timeline');
			const bar = element('div', 'jr-timeline-bar', this.box);
			bar.setAttribute('role', 'group');
			bar.setAttribute('aria-label', 'Controls of the timeline');
			button(bar, '+', 'Zoom in (+)', () => this.zoom(0.6));
			button(bar, '−', 'Zoom out (−)', () => this.zoom(1 / 0.6));
			this.back = button(bar, 'Back', 'Back to the view before (Backspace)', () => this.undo());
			const ruler = this.ruler = button(bar, 'Measure', 'Measure with a drag (Shift + drag)', () => {
				ruler.ariaPressed = String(ruler.ariaPressed !== 'true');
				if (ruler.ariaPressed === 'false')
					this.measured(null);
			});
			ruler.ariaPressed = 'false';
			this.back.disabled = true;
			this.places = this.menu(bar, 'Show', [['home', this.named],
				...this.steps.length > 1 && this.windows.length < 2 ? [['all', 'all steps']] : [],
				...this.steps.length > 1 ? this.steps.map(([from, to, number], i) =>
					[String(i), `step ${number}, ${time(to - from)}${this.rank(i)}`]) : [],
				['part', '']],
			(value) => this.go(value));
			this.places.lastChild.hidden = true;
			if (this.groups.length > 1)
				this.dressDevices(bar);
			if (this.groups.length && this.lanes.some(({ sort }) => sort === 2)) {
				const label = element('label', '', bar);
				const box = element('input', '', label);
				box.type = 'checkbox';
				label.append(' Host');
				box.addEventListener('change', () => {
					this.host = box.checked;
					this.place();
				});
			}
			const search = element('span', 'search', bar);
			this.input = element('input', '', element('label', '', search, 'Search '));
			this.input.type = 'search';
			this.input.title = 'Text, or a regular expression';
			this.input.placeholder = 'name, op_name or file:line';
			this.input.spellcheck = false;
			button(search, '‹', 'Previous match, or bar of the same name (N)', () => this.next(-1));
			button(search, '›', 'Next match, or bar of the same name (n)', () => this.next(1));
			this.found = element('output', '', bar);
			this.position = element('output', 'position', bar);
			if (this.strip)
				this.picker = new jrStrip(this);
			this.dressLegend();
			this.map = element('canvas', 'map', this.box);
			this.map.setAttribute('aria-hidden', 'true');
			this.canvas = element('canvas', 'main', this.box);
			const { canvas } = this;
			canvas.tabIndex = 0;
			canvas.setAttribute('role', 'application');
			canvas.setAttribute('aria-roledescription', 'timeline');
			this.detail = element('p', 'detail', this.box);
			this.live = element('p', 'spoken', this.box);
			this.live.setAttribute('role', 'status');
			const table = element('table', '', element('div', 'scroll', this.box));
			this.caption = element('caption', '', table);
			const head = element('tr', '', element('thead', '', table));
			for (const title of ['Name', 'Time', 'Share', 'Count', 'Longest'])
				element('th', title === 'Name' ? '' : 'n', head, title).scope = 'col';
			this.body = element('tbody', '', table);
			const still = this.strip && this.figure.querySelector('figcaption > p');
			if (still) /* why these devices are the first */
				element('p', 'left', this.box,
					`${still.textContent.split('. ')[0].replace(/^The/, 'The first view is the')}.`);
			if (this.left)
				element('p', 'left', this.box, this.left);
			this.part = element('code', '', element('p', 'left', this.box, 'All slices, for Perfetto: '));
			(this.figure.querySelector('.picture') || this.figure.querySelector('figcaption'))
				.before(this.box);
			this.figure.classList.add('live');
		}

		dressDevices(bar) {
			const { groups, first } = this, some = first.length < groups.length;
			const options = [['first', some ? `${first.length} selected` : 'all']];
			if (some && groups.length <= jrTimeline.MOST)
				options.push(['all', 'all']);
			if (this.strip)
				options.push(['chosen', 'chosen in the strip']);
			this.list = this.menu(bar, 'Devices', [...options, ...groups.map((g) => [g, g])], (value) =>
				this.showGroups(value === 'first' ? null : value === 'all' ? groups
					: value === 'chosen' ? this.shown : [value]));
		}

		/* Show the lanes of these groups; null: those of the first view. */
		showGroups(groups, remember = true) {
			this.shown = groups && groups.length ? groups : this.first;
			if (this.list) {
				const [only] = this.shown, value = this.shown === this.first ? 'first'
					: this.shown === this.groups ? 'all' : this.shown.length > 1 ? 'chosen' : only;
				this.list.value = value;
			}
			this.place();
			if (remember)
				this.remember();
		}

		menu(bar, text, options, choose) {
			const label = element('label', '', bar, `${text} `), list = element('select', '', label);
			for (const [value, name] of options)
				element('option', '', list, name).value = value;
			list.addEventListener('change', () => choose(list.value));
			return list;
		}

		dressLegend() {
			const list = element('ul', 'legend', this.box), NS = 'http://www.w3.org/2000/svg';
			this.swatches = this.kinds.map(([role, meaning, outlined, on, off, stripes], kind) => {
				const item = element('li', '', list), svg = document.createElementNS(NS, 'svg');
				const rect = document.createElementNS(NS, 'rect');
				for (const [name, value] of Object.entries({ class: 'jr-figure', width: 14,
					height: 14, viewBox: '0 0 14 14', 'aria-hidden': 'true' }))
					svg.setAttribute(name, value);
				for (const [name, value] of Object.entries({ x: 0.5, y: 0.5, width: 13, height: 13,
					class: outlined ? `a-${role} s-${role}` : `a-${role}` }))
					rect.setAttribute(name, value);
				svg.append(rect);
				if (stripes) {
					const line = document.createElementNS(NS, 'path');
					for (const [name, value] of Object.entries({ d: 'M.5 7H13.5', 'stroke-width': 13,
						'stroke-dasharray': `${on} ${off}`, class: `s-${stripes}` }))
						line.setAttribute(name, value);
					svg.append(line);
				}
				item.append(svg, ` ${meaning}`);
				item.hidden = !this.lanes.some((lane) => lane.sort !== 2
					&& lane.kind.includes(kind));
				return rect;
			});
			if (this.path.length)
				element('li', '', list,
					`▁ critical path of step ${this.number}: what the next step waits for`);
		}

		colors() {
			const root = getComputedStyle(document.documentElement);
			const of = (name) => root.getPropertyValue(`--jr-${name}`).trim();
			this.color = Object.fromEntries(['background', 'panel', 'ink', 'muted', 'grid', 'axis',
				'accent', 'bad'].map((name) => [name, of(name)]));
			this.fills = this.swatches.map((rect) => getComputedStyle(rect).fill);
			this.lines = this.kinds.map(([role]) => of(role));
			this.stripes = this.kinds.map(([, , , , , stripes]) => stripes && of(stripes));
			const g = this.map.getContext('2d'), same = (a, b) => {
				[g.fillStyle, g.strokeStyle] = [a, b];
				return g.fillStyle === g.strokeStyle;
			};
			/* too narrow for outlines and stripes, an area would be too pale */
			this.thin = this.fills.map((fill, kind) => same(fill, this.color.background)
				|| this.stripes[kind] === this.lines[kind] ? this.lines[kind] : fill);
		}

		/* Which lanes are shown, and where. */
		place() {
			this.rows = this.lanes.filter(({ sort, group }) =>
				sort === 2 ? this.host : this.shown.includes(group));
			const shown = this.groups.filter((group) => this.shown.includes(group)).join(', ');
			this.canvas.setAttribute('aria-label', `Timeline of ${shown || 'the host'}. `
				+ 'Arrow keys move from bar to bar, plus and minus zoom, Escape leaves.');
			let y = AXIS, group, below;
			for (const lane of this.rows) {
				if (group !== undefined && group !== lane.group)
					y += GAP;
				lane.first = group !== lane.group;
				[, lane.host] = below ? lane.group.split(/ on “|”/) : [];
				below = lane.first;
				group = lane.group;
				lane.y = y;
				y += LINE;
			}
			this.height = y + 4;
			if (this.chosen && !this.rows.includes(this.chosen.lane))
				this.choose(null);
			this.pair();
			this.search(this.input.value); /* it counts in the lanes shown */
			this.measure();
		}

		measure() {
			const width = this.box.clientWidth, ratio = devicePixelRatio || 1;
			this.width = width;
			this.gutter = width < 600 ? 72 : 128;
			for (const [canvas, height] of [[this.canvas, this.height], [this.map, MAP]]) {
				canvas.width = Math.round(width * ratio);
				canvas.height = Math.round(height * ratio);
				canvas.style.height = `${height}px`;
			}
			this.colors();
			this.changed();
			this.draw();
			this.drawMap();
			if (this.picker)
				this.picker.measure();
		}

		/* --- the view --- */

		view(from, to, remember = true) {
			const edge = 0.02 * (this.all[1] - this.all[0]);
			const [low, high] = [this.all[0] - edge, this.all[1] + edge];
			const span = Math.min(high - low, Math.max(LEAST, to - from)), middle = (from + to) / 2;
			this.from = Math.max(low, Math.min(high - span, middle - span / 2));
			this.to = this.from + span;
			if (Math.abs(from - this.home[0]) < 1 && Math.abs(to - this.home[1]) < 1)
				[this.from, this.to] = this.home;
			this.changed();
			if (remember)
				this.remember();
		}

		/* A gesture ends when nothing changes for some time. */
		remember() {
			clearTimeout(this.remembering);
			this.remembering = setTimeout(() => {
				this.settle();
				jrView.links.remember(false);
			}, 300);
		}

		/* Keep the view before, to which undo() leads, if the view is another one. */
		settle() {
			const now = [this.from, this.to, this.shown], before = this.now
				|| [...this.home, this.first];
			if (now.some((part, i) => part !== before[i]))
				this.past = [...this.past.slice(-99), before];
			this.now = now;
			this.back.disabled = !this.past.length;
		}

		undo() {
			this.settle();
			const before = this.past.pop();
			if (!before)
				return false;
			this.now = before;
			if (before[2] !== this.shown)
				this.showGroups(before[2], false);
			this.view(before[0], before[1]);
			this.now = [this.from, this.to, this.shown];
			this.back.disabled = !this.past.length;
			return true;
		}

		/* Draw in the next frame; the rest when there is time. */
		changed() {
			if (!this.due) {
				this.due = true;
				requestAnimationFrame(() => {
					this.due = false;
					this.draw();
				});
			}
			clearTimeout(this.resting);
			this.resting = setTimeout(() => idle(() => {
				this.drawMap();
				this.tabulate();
			}), 120);
		}

		x(t) {
			return this.gutter + (t - this.from) / (this.to - this.from) * (this.width - this.gutter);
		}

		t(x) {
			return this.from + (x - this.gutter) / (this.width - this.gutter) * (this.to - this.from);
		}

		zoom(factor, x = this.anchor()) {
			const t = this.t(x);
			this.view(t - (t - this.from) * factor, t + (this.to - t) * factor);
		}

		/* Where keys and buttons zoom: at the chosen slice if it is in view. */
		anchor() {
			const { chosen, gutter, width } = this;
			const x = chosen ? this.x((chosen.lane.start[chosen.i] + chosen.lane.end[chosen.i]) / 2) : 0;
			return x > gutter && x < width ? x : (gutter + width) / 2;
		}

		pan(share) {
			const by = share * (this.to - this.from);
			this.view(this.from + by, this.to + by);
		}

		/* Show the same part of the next step, or of the one before. */
		turn(by) {
			const { steps } = this, t = (this.from + this.to) / 2;
			const at = Math.max(0, steps.findLastIndex(([from]) => from <= t)), to = steps[at + by];
			if (!to)
				return false;
			const ns = to[0] - steps[at][0];
			this.view(this.from + ns, this.to + ns);
			return true;
		}

		go(value) {
			const [from, to] = value === 'home' ? this.home : value === 'all' ? this.all
				: this.steps[value];
			const edge = value === 'home' ? 0 : 0.01 * (to - from);
			this.view(from - edge, to + edge);
		}

		/* Whether a stretch fills the view. */
		isAt([from, to]) {
			const edge = 0.03 * (to - from);
			return Math.abs(this.from - from) < edge && Math.abs(this.to - to) < edge;
		}

		/* The step that has all of the view, of overlapping ones the later; or undefined. */
		stepInView() {
			return this.steps.findLast(([from, to]) => this.from >= from - 0.02 * (to - from)
				&& this.to <= to + 0.02 * (to - from));
		}

		/* What is in view: in the menu and beside it. */
		namePlace(step) {
			const { places, steps } = this, since = step || steps[0];
			const known = [...places.options].find(({ value }) => value === 'home'
				? this.isAt(this.home) : value === 'all' ? this.isAt(this.all)
					: value !== 'part' && this.isAt(steps[value]));
			places.lastChild.textContent = step ? `part of step ${step[2]}` : 'another stretch';
			places.value = known ? known.value : 'part';
			this.position.textContent = `${time(this.to - this.from)} in view${
				since ? `; times since step ${since[2]} began` : ''}`;
		}

		/* --- drawing --- */

		draw() {
			const { canvas, color, width, gutter, height } = this;
			const ratio = devicePixelRatio || 1, g = canvas.getContext('2d');
			g.setTransform(ratio, 0, 0, ratio, 0, 0);
			g.fillStyle = color.background;
			g.fillRect(0, 0, width, height);
			g.font = '12px system-ui, sans-serif';
			g.textBaseline = 'middle';
			const step = this.stepInView();
			this.namePlace(step);
			this.drawAxis(g, step ? step[0] : this.zero);
			g.save();
			g.beginPath();
			g.rect(gutter, AXIS - 4, width - gutter, height);
			g.clip();
			const named = [];
			for (const lane of this.rows)
				this.drawLane(g, lane, ratio, named);
			g.fillStyle = color.ink;
			g.textAlign = 'left';
			for (const [text, x, end, y, kind] of named)
				this.drawName(g, text, Math.max(gutter, x), Math.min(width, end), y, this.stripes[kind]);
			this.drawMarks(g);
			g.restore();
		}

		drawAxis(g, zero) {
			const { color, width, gutter, height, from, to } = this;
			const by = jrTimeline.step(to - from, Math.max(2, (width - gutter) / (width < 600 ? 70 : 110)));
			g.textAlign = 'center';
			g.beginPath();
			g.fillStyle = color.muted;
			for (let t = Math.ceil((from - zero) / by) * by + zero; t <= to; t += by) {
				const x = Math.round(this.x(t)) + 0.5;
				g.moveTo(x, AXIS - 4);
				g.lineTo(x, height);
				const text = Math.abs(t - zero) < by / 2 ? '0' : time(t - zero, 3 + Math.max(0,
					Math.ceil(Math.log10(Math.abs(t - zero) / by)) - 2));
				const half = g.measureText(text).width / 2;
				if (x > gutter)
					g.fillText(text, Math.max(gutter + half, Math.min(width - half, x)), 10);
			}
			g.strokeStyle = color.grid;
			g.lineWidth = 1;
			g.stroke();
			g.textAlign = 'right';
			for (const lane of this.rows) {
				const alone = !this.rows.some((o) => o !== lane && o.group === lane.group);
				const pair = lane.sort < 2 && !lane.name.startsWith('Stream');
				if (lane.first) {
					g.fillStyle = color.ink;
					this.drawLabel(g, this.shortName(lane.group), lane.y + ROW / 2);
				} else if (!alone) {
					g.fillStyle = color.muted;
					this.drawLabel(g, pair ? lane.host || '' : lane.name, lane.y + ROW / 2, pair);
				}
			}
		}

		/* `end`: what is too long keeps its end. */
		fit(g, text, room, end) {
			const width = g.measureText(text).width;
			if (width <= room)
				return text;
			const n = Math.floor(text.length * room / width) - 1;
			return n < 3 ? '' : end ? `…${text.slice(-n)}` : `${text.slice(0, n)}…`;
		}

		/* Without the host; on a phone only the number. */
		shortName(group) {
			const [name] = group.split(' on ');
			return this.gutter < 100 ? name.replace(/^Devices? /, '').replace(' to ', '–') : name;
		}

		/* Right-aligned at x. */
		fitLabel(g, text, x, y, end) {
			g.fillText(this.fit(g, text, x - 4, end), x, y);
		}

		drawLabel(g, text, y, end) {
			this.fitLabel(g, text, this.gutter - 8, y, end);
		}

		/* Over stripes with an edge in the color of the background. */
		drawName(g, text, x, end, y, striped) {
			const shown = end - x > 40 ? this.fit(g, text, end - x - 8) : '';
			if (shown && striped) {
				g.strokeStyle = this.color.background;
				g.lineWidth = 3;
				g.lineJoin = 'round';
				g.strokeText(shown, x + 4, y);
			}
			if (shown)
				g.fillText(shown, x + 4, y);
		}

		drawLane(g, lane, ratio, named) {
			const { gutter, width, from, to, color } = this;
			g.fillStyle = color.panel;
			g.fillRect(gutter, lane.y, width - gutter, ROW);
			const rects = lane.pixels(from, to, width - gutter), kinds = this.kinds.map(() => []);
			for (let k = 0; k < rects.length; k += 4)
				kinds[lane.kind[rects[k + 3]]].push(k);
			const edge = (x) => Math.round(x * ratio) / ratio;
			kinds.forEach((of, kind) => {
				const [, , outlined] = this.kinds[kind];
				for (const k of of) {
					const w = rects[k + 1], a = edge(gutter + rects[k]);
					const b = edge(gutter + rects[k] + w), h = Math.max(3, Math.round(ROW * rects[k + 2]));
					g.fillStyle = w <= 4 ? this.thin[kind] : this.fills[kind];
					g.fillRect(a, lane.y + ROW - h, Math.max(1 / ratio, b - a - (w > 3 ? 0.5 : 0)), h);
					if (w > 40)
						named.push([this.names[lane.thing[rects[k + 3]]], a, b, lane.y + ROW / 2, kind]);
				}
				this.drawStripes(g, lane, kind, of.filter((k) => rects[k + 1] > STRIPED), rects);
				if (!outlined)
					return;
				g.strokeStyle = this.lines[kind];
				g.lineWidth = 1;
				g.beginPath();
				for (const k of of)
					if (rects[k + 1] > 4) {
						const a = Math.max(gutter - 2, gutter + rects[k]);
						const b = Math.min(width + 4, gutter + rects[k] + rects[k + 1]);
						g.rect(a + 0.5, lane.y + 0.5, b - a - 1.5, ROW - 1);
					}
				g.stroke();
			});
		}

		/* Stripes are a dashed line as thick as the lane. They begin where the slice does. */
		drawStripes(g, lane, kind, of, rects) {
			const { gutter, width } = this, [, , , on, off] = this.kinds[kind];
			if (!of.length || !on)
				return;
			g.strokeStyle = this.stripes[kind];
			g.lineWidth = ROW;
			g.setLineDash([on, off]);
			g.beginPath();
			for (const k of of) {
				const hidden = Math.max(0, Math.floor(-rects[k] / (on + off)));
				g.moveTo(gutter + rects[k] + hidden * (on + off), lane.y + ROW / 2);
				g.lineTo(Math.min(width + 4, gutter + rects[k] + rects[k + 1] - 0.5), lane.y + ROW / 2);
			}
			g.stroke();
			g.setLineDash([]);
		}

		drawMarks(g) {
			const { color, rows, width, gutter, from, to } = this;
			if (this.hits) {
				g.fillStyle = color.bad;
				for (const lane of rows) {
					const [a, b] = lane.within(from, to);
					for (let i = a, last = -9; i < b; i++) {
						const x = this.x(lane.start[i]), end = Math.max(x + 1, this.x(lane.end[i]));
						if (end < last + 1 || !this.hits.has(lane.thing[i]))
							continue;
						g.fillRect(x, lane.y - 2, end - x, 4);
						last = end;
					}
				}
			}
			for (const [mark, style] of [[this.hovered, color.muted], [this.chosen, color.ink]]) {
				if (!mark || !rows.includes(mark.lane))
					continue;
				const x = this.x(mark.lane.start[mark.i]), end = this.x(mark.lane.end[mark.i]);
				g.strokeStyle = style;
				g.lineWidth = 2;
				g.strokeRect(x - 1, mark.lane.y - 1, Math.max(3, end - x + 2), ROW + 2);
			}
			this.drawPeers(g);
			g.fillStyle = color.ink;
			for (const lane of rows)
				for (const i of lane.path || [])
					if (lane.end[i] > from && lane.start[i] < to)
						g.fillRect(this.x(lane.start[i]), lane.y + ROW - 2,
							Math.max(1, this.x(lane.end[i]) - this.x(lane.start[i])), 3);
			this.drawOutside(g);
			if (this.range) {
				const [a, b] = this.range.map((t) => this.x(t)).sort((p, q) => p - q);
				g.fillStyle = color.accent;
				g.globalAlpha = 0.15;
				g.fillRect(a, AXIS - 4, b - a, this.height);
				g.globalAlpha = 1;
				g.fillRect(a, AXIS - 4, 1, this.height);
				g.fillRect(b, AXIS - 4, 1, this.height);
				g.fillStyle = color.ink;
				g.textAlign = 'center';
				g.fillText(time(Math.abs(this.range[1] - this.range[0])),
					Math.max(gutter + 30, Math.min(width - 30, (a + b) / 2)), AXIS + 6);
			}
		}

		/* A line through the starts of a collective on all devices shown, and their outlines. */
		drawPeers(g) {
			const { chosen, color } = this;
			if (!chosen || !this.peers.length)
				return;
			g.strokeStyle = color.ink;
			g.lineWidth = 1;
			g.beginPath();
			[chosen, ...this.peers].sort((a, b) => a.lane.y - b.lane.y).forEach(({ lane, i }, k) => {
				const x = this.x(lane.start[i]);
				g[k ? 'lineTo' : 'moveTo'](x, lane.y);
				g.lineTo(x, lane.y + ROW);
			});
			for (const { lane, i } of this.peers)
				g.rect(this.x(lane.start[i]), lane.y, this.x(lane.end[i]) - this.x(lane.start[i]), ROW);
			g.stroke();
		}

		/* Between the windows nothing is in the page. */
		drawOutside(g) {
			const { windows, color } = this;
			for (let i = 0; i + 1 < windows.length; i++) {
				const a = this.x(windows[i][1]), b = this.x(windows[i + 1][0]);
				if (b - a < 1)
					continue;
				g.fillStyle = color.grid;
				g.fillRect(a, AXIS, b - a, this.height - AXIS);
				g.fillStyle = color.muted;
				g.textAlign = 'center';
				if (b - a > 120)
					g.fillText('not in this page', (a + b) / 2, AXIS + ROW / 2);
			}
		}

		/* Where times are in the map. */
		overview() {
			const { windows, all, width, gutter } = this;
			return jrTimeline.overview(windows.length > 1 ? windows : [all],
				Math.max(0, width - gutter), APART);
		}

		/* Everything, with the part in view framed. */
		drawMap() {
			const { width, gutter, color, steps } = this, ratio = devicePixelRatio || 1;
			const g = this.map.getContext('2d'), { parts, x } = this.overview();
			g.setTransform(ratio, 0, 0, ratio, 0, 0);
			g.fillStyle = color.background;
			g.fillRect(0, 0, width, MAP);
			for (const part of parts)
				this.drawPart(g, part);
			const from = gutter + x(this.from), to = gutter + x(this.to);
			g.strokeStyle = color.ink;
			g.lineWidth = 2;
			g.strokeRect(from, 1, Math.max(3, to - from), MAP - 2);
			g.font = '12px system-ui, sans-serif';
			g.fillStyle = color.muted;
			g.textAlign = 'right';
			g.textBaseline = 'middle';
			this.drawLabel(g, steps.length < this.total ? gutter < 100 ? `Of ${this.total}`
				: `${steps.length} of ${this.total.toLocaleString('en-US')} steps`
				: steps.length > 1 ? 'All steps' : 'All', MAP / 2);
		}

		/* By pixel the time of each kind, compute above communication, which hangs from the top. */
		drawPart(g, { from, to, x, w }) {
			const { gutter, color } = this, n = this.kinds.length;
			g.fillStyle = color.panel;
			g.fillRect(gutter + x, 0, w, MAP);
			const shown = this.rows.filter(({ sort }) => sort < 2 || !this.groups.length);
			for (const [below, high] of [[true, MAP * 2 / 3], [false, MAP / 3]]) {
				const lanes = shown.filter(({ sort }) => (sort !== 1) === below);
				const sums = jrTimeline.shares(lanes, from, to, w, n);
				const full = (to - from) / w * new Set(lanes.map(({ group }) => group)).size;
				for (let i = 0; i < sums.length; i += n) {
					const kinds = sums.subarray(i, i + n), busy = kinds.reduce((a, b) => a + b, 0);
					const tall = Math.min(high, Math.max(1, high * busy / full)) / busy;
					let y = 0;
					kinds.forEach((ns, kind) => {
						const h = ns ? ns * tall : 0;
						g.fillStyle = this.thin[kind];
						g.fillRect(gutter + x + i / n, below ? MAP - y - h : y, 1, h);
						y += h;
					});
				}
			}
		}

		/* --- words --- */

		/* The table of what is in view, or in the measured stretch. */
		tabulate() {
			const [from, to] = this.range ? this.range.slice().sort((a, b) => a - b)
				: [this.from, this.to];
			const rows = this.rows.filter(({ sort }) => sort < 2 || !this.groups.length);
			const n = new Set(rows.map(({ group }) => group)).size || 1;
			const of = n > 1 ? `, mean time of ${n} devices, total count` : '';
			this.caption.textContent = `${this.range ? 'In the measured stretch' : 'In view'} (${
				time(to - from)})${of}`;
			const part = jrTimeline.option([from + this.begin, to + this.begin]);
			this.part.textContent = `jaxreport INPUT --format perfetto --time ${part}`;
			const things = summary(rows, from, to).slice(0, ROWS);
			const labels = jrView.apart(things.map(({ thing }) => this.names[thing]), 40);
			this.body.replaceChildren(...things.map((row, i) => {
				const line = document.createElement('tr'), name = element('td', '', line);
				button(name, labels[i], `Search for ${this.names[row.thing]}`,
					() => this.search(this.names[row.thing]));
				name.lastChild.classList.toggle('parted', labels[i] !== this.names[row.thing]);
				if (this.src[row.thing])
					element('span', 'op', name, this.src[row.thing]).title = this.src[row.thing];
				line.dataset.ns = row.time;
				for (const text of [time(row.time / n),
					jrView.percent(row.time / n, to - from), row.count.toLocaleString('en-US'), time(row.longest)])
					element('td', 'n', line, text);
				return line;
			}));
		}

		tell(mark, spoken) {
			const { detail } = this;
			detail.replaceChildren();
			if (!mark) {
				detail.textContent = matchMedia('(hover: none)').matches
					? 'Tap a bar for its details. Drag to move, pinch to zoom; press Measure, then drag to '
					+ 'measure.'
					: 'Point at a bar, or use the arrow keys. Drag to move (a, d), Ctrl + wheel '
					+ 'to zoom (w, s), Shift + drag to measure (m at two bars). Enter zooms to a bar, '
					+ 'n shows the next of its name, Shift + up or down the same on another device, '
					+ '/ searches, Backspace goes back, Home shows the first view'
					+ `${this.steps.length > 1 ? ', [ and ] the same part of another step' : ''}.`;
				return;
			}
			const { lane, i } = mark, thing = lane.thing[i], wait = lane.wait ? lane.wait[i] : 0;
			const step = this.steps.filter(([from, to]) => lane.start[i] >= from
				&& lane.start[i] < to).pop(); // of overlapping ones the later
			const facts = [time(lane.length(i)), `${lane.group}, ${lane.name.toLowerCase()}`,
				step ? `starts ${time(lane.start[i] - step[0], 6)} into step ${step[2]}`
					: `starts at ${time(lane.start[i] - this.zero, 6)}`];
			if (wait > 0)
				facts.push(`${time(wait)} of it waiting for other devices`);
			if (this.flops[thing])
				facts.push(`${jrView.fixed(this.flops[thing] / 1e9, 3)}\u00a0GFLOP`);
			if (this.of[thing] !== null)
				facts.push(`${this.roofline(thing)}\u00a0% of roofline on average`);
			if (mark === this.chosen && this.peers.length)
				facts.push(this.spread(mark));
			element('strong', '', detail, this.names[thing]);
			detail.append(` ${facts.join('; ')}. `);
			if (this.at[thing] && document.getElementById(this.at[thing]))
				element('a', '', detail, this.src[thing]).href = `#${this.at[thing]}`;
			else if (this.src[thing])
				detail.append(this.src[thing]);
			if (this.ops[thing])
				element('span', 'op', detail, ` ${this.ops[thing]}`);
			if (spoken)
				this.live.textContent = `${this.names[thing]}, ${facts.join('; ')}`;
		}

		/* Which of the devices shown start a collective first and last. */
		spread(mark) {
			const by = [mark, ...this.peers].sort((a, b) => a.lane.start[a.i] - b.lane.start[b.i]);
			const [first, last] = [by[0], by[by.length - 1]], name = ({ lane }) => lane.group.split(' on ')[0];
			const ns = last.lane.start[last.i] - first.lane.start[first.i];
			return `of the ${by.length} devices shown, ${name(first).toLowerCase()} starts it first and ${
				name(last).toLowerCase()} last, ${time(ns, 3)} later`;
		}

		/* In percent. */
		roofline(thing) {
			const share = 100 * this.of[thing];
			return share > 0 && share < 0.05 ? '<0.1' : jrView.fixed(share, 1);
		}

		pair() {
			const { chosen, rows } = this;
			this.peers = chosen && chosen.lane.sort === 1
				? jrTimeline.peers(rows, chosen.lane, chosen.i) : [];
		}

		choose(mark, spoken) {
			this.chosen = mark;
			this.pair();
			this.tell(mark, spoken);
			if (mark) {
				const { lane, i } = mark, span = this.to - this.from;
				if (lane.start[i] < this.from || lane.end[i] > this.to)
					if (lane.length(i) < span || lane.end[i] < this.from || lane.start[i] > this.to) {
						const middle = (lane.start[i] + lane.end[i]) / 2;
						this.view(middle - span / 2, middle + span / 2);
					}
			}
			this.changed();
			this.remember();
		}

		/* --- search --- */

		search(text) {
			this.input.value = text;
			this.hits = jrTimeline.matching(text, [this.names, this.src, this.ops]);
			this.found.textContent = '';
			if (this.hits) {
				let n = 0;
				for (const lane of this.rows)
					for (const thing of lane.thing)
						n += this.hits.has(thing);
				this.found.textContent = n ? `${n.toLocaleString('en-US')} found` : 'none found';
			}
			this.changed();
			if (text !== this.sought)
				this.remember();
			this.sought = text;
		}

		/* Choose the nearest hit after the chosen slice, or before it; cyclically. Without a search,
		 * slices of the chosen one's name are hits. */
		next(by) {
			const hits = this.hits
				|| new Set(this.chosen ? [this.chosen.lane.thing[this.chosen.i]] : []);
			const here = this.chosen ? this.chosen.lane.start[this.chosen.i] : this.from - 0.5;
			const row = (lane) => this.rows.indexOf(lane);
			const later = (a, b) => a.lane.start[a.i] - b.lane.start[b.i] || row(a.lane) - row(b.lane);
			let best = null, first = null;
			for (const lane of this.rows)
				for (let i = 0; hits.size && i < lane.n; i++) {
					const mark = { lane, i };
					if (!hits.has(lane.thing[i]))
						continue;
					const ahead = this.chosen ? by * later(mark, this.chosen) > 0
						: by * (lane.start[i] - here) > 0;
					if (ahead && (!best || by * later(mark, best) < 0))
						best = mark;
					if (!first || by * later(mark, first) < 0)
						first = mark;
				}
			if (best || first)
				this.choose(best || first, true);
		}

		/* Show the longest slice of that name in the first view, or else in the page. */
		find(name) {
			this.view(...this.home);
			this.search(name);
			let best = null;
			for (const part of [this.home, [-Infinity, Infinity]])
				for (const lane of best ? [] : this.rows) {
					const [a, b] = lane.within(...part);
					for (let i = a; i < b; i++)
						if (this.names[lane.thing[i]] === name
							&& (!best || lane.length(i) > best.lane.length(best.i)))
							best = { lane, i };
				}
			if (best)
				this.choose(best, true);
			return !!best;
		}

		/* --- pointer and keys --- */

		markAt(event) {
			const box = this.canvas.getBoundingClientRect();
			const x = event.clientX - box.left, y = event.clientY - box.top;
			const lane = x < this.gutter ? null
				: this.rows.find((row) => y >= row.y && y < row.y + ROW);
			const i = lane ? lane.at(this.t(x), 1.5 * (this.to - this.from) / (this.width - this.gutter))
				: -1;
			return i < 0 ? null : { lane, i };
		}

		listen() {
			const { canvas } = this, fingers = new Map();
			const left = () => canvas.getBoundingClientRect().left;
			let mode = '', begun = 0;
			canvas.addEventListener('pointerdown', (event) => {
				if (event.button)
					return; /* a menu opens, and the end of the click may not arrive */
				canvas.setPointerCapture(event.pointerId);
				fingers.set(event.pointerId, event.clientX);
				begun = event.clientX;
				mode = event.shiftKey || this.ruler.ariaPressed === 'true' ? 'measure' : 'pan';
				if (mode === 'measure')
					this.range = [this.t(begun - left()), this.t(begun - left())];
			});
			canvas.addEventListener('pointermove', (event) => {
				if (!fingers.size) {
					const mark = this.markAt(event), old = this.hovered;
					if ((mark && mark.i) !== (old && old.i) || (mark && mark.lane) !== (old && old.lane)) {
						this.hovered = mark;
						this.tell(mark || this.chosen);
						this.changed();
					}
					return;
				}
				const before = [...fingers.values()], was = fingers.get(event.pointerId);
				fingers.set(event.pointerId, event.clientX);
				const now = [...fingers.values()];
				if (fingers.size === 2) {
					const apart = ([a, b]) => Math.max(8, Math.abs(a - b));
					this.zoom(apart(before) / apart(now), (now[0] + now[1]) / 2 - left());
				} else if (mode === 'measure') {
					this.range[1] = this.t(event.clientX - left());
					this.changed();
				} else {
					this.pan((was - event.clientX) / (this.width - this.gutter));
				}
			});
			const up = (event) => {
				if (!fingers.delete(event.pointerId) || fingers.size)
					return;
				if (mode === 'measure')
					this.measured(this.range[0] === this.range[1] ? null : this.range);
				else if (mode === 'pan' && event.type === 'pointerup'
					&& Math.abs(event.clientX - begun) < 5)
					this.choose(this.markAt(event));
				this.changed();
			};
			canvas.addEventListener('pointerup', up);
			canvas.addEventListener('pointercancel', up);
			canvas.addEventListener('pointerleave', () => {
				this.hovered = null;
				this.tell(this.chosen);
				this.changed();
			});
			canvas.addEventListener('dblclick', () => this.zoomToChosen());
			canvas.addEventListener('wheel', (event) => {
				const zooms = event.ctrlKey || event.metaKey;
				if (!zooms && Math.abs(event.deltaX) <= Math.abs(event.deltaY))
					return;
				event.preventDefault();
				if (zooms)
					this.zoom(1.0015 ** event.deltaY, event.clientX - left());
				else
					this.pan(event.deltaX / (this.width - this.gutter));
			}, { passive: false });
			const keys = this.keys();
			canvas.addEventListener('keydown', (event) => jrView.press(event, keys));
			this.input.addEventListener('input', () => this.search(this.input.value));
			this.input.addEventListener('keydown', (event) => {
				if (event.key === 'Enter')
					this.next(event.shiftKey ? -1 : 1);
				else if (event.key === 'Escape' && this.input.value)
					this.search('');
				else
					return;
				event.preventDefault();
			});
			const jump = (event) => {
				if (event.buttons !== 1 && event.type !== 'click')
					return;
				const t = this.overview().t(event.clientX - this.map.getBoundingClientRect().left
					- this.gutter);
				const half = (this.to - this.from) / 2;
				this.view(t - half, t + half);
			};
			this.map.addEventListener('click', jump);
			this.map.addEventListener('pointermove', jump);
			new ResizeObserver(() => this.box.clientWidth !== this.width && this.measure())
				.observe(this.box);
			const dark = matchMedia('(prefers-color-scheme: dark)'), repaint = () => this.measure();
			dark.addEventListener('change', repaint);
			new MutationObserver(repaint).observe(document.documentElement,
				{ attributes: true, attributeFilter: ['data-theme'] });
			this.tell(null);
		}

		keys() {
			return {
				'+': () => this.zoom(0.8), '=': () => this.zoom(0.8), '-': () => this.zoom(1.25),
				w: () => this.zoom(0.8), s: () => this.zoom(1.25), a: () => this.pan(-0.25),
				d: () => this.pan(0.25), '[': () => this.turn(-1), ']': () => this.turn(1),
				Home: () => this.view(...this.home),
				ArrowLeft: (event) => event.shiftKey ? this.pan(-0.25) : this.walk(-1, 0),
				ArrowRight: (event) => event.shiftKey ? this.pan(0.25) : this.walk(1, 0),
				ArrowUp: (event) => this.walk(0, -1, event.shiftKey),
				ArrowDown: (event) => this.walk(0, 1, event.shiftKey),
				Backspace: () => this.undo(),
				Enter: () => this.zoomToChosen(),
				Escape: () => this.leave(),
				'/': () => {
					this.input.focus();
					this.input.select();
				},
				m: () => this.markRange(),
				n: () => this.next(1), N: () => this.next(-1),
			};
		}

		/* `alike`: among the lanes of this sort, to the same collective if there is one. */
		walk(by, down, alike) {
			const { chosen, rows } = this;
			if (!chosen) {
				const lane = rows.find((row) => row.n);
				if (!lane)
					return;
				this.choose({ lane, i: Math.min(lane.n - 1, lane.within(this.from, this.to)[0]) }, true);
				return;
			}
			let { lane, i } = chosen;
			if (down) {
				const t = (lane.start[i] + lane.end[i]) / 2;
				const from = rows.indexOf(lane);
				const { sort, name } = lane;
				lane = (down > 0 ? rows.slice(from + 1) : rows.slice(0, from).reverse())
					.find((row) => row.n && (!alike || (row.sort === sort && row.name === name)));
				if (!lane)
					return;
				const peer = alike && this.peers.find((mark) => mark.lane === lane);
				i = peer ? peer.i : Math.min(lane.n - 1, jrTimeline.lower(lane.end, t, 0, lane.n));
			} else {
				i = Math.max(0, Math.min(lane.n - 1, i + by));
			}
			this.choose({ lane, i }, true);
		}

		zoomToChosen() {
			if (!this.chosen)
				return false;
			const { lane, i } = this.chosen, edge = 0.5 * lane.length(i);
			this.view(lane.start[i] - edge, lane.end[i] + edge);
			return true;
		}

		/* The stretch from the start of one chosen slice to the end of another. */
		markRange() {
			if (!this.chosen)
				return;
			const { lane, i } = this.chosen;
			const range = this.mark === undefined ? null : [Math.min(this.mark, lane.start[i]),
				Math.max(this.mark, lane.end[i])];
			this.measured(range);
			this.mark = range ? undefined : lane.start[i];
			this.live.textContent = range
				? `Measured ${time(range[1] - range[0])}` : 'Measuring from here';
		}

		/* The measured stretch, or null: none. */
		measured(range) {
			this.range = range;
			this.mark = undefined;
			this.changed();
			this.remember();
		}

		leave() {
			if (this.range || this.mark !== undefined)
				this.measured(null);
			else if (this.chosen)
				this.choose(null);
			else
				return false;
			return true;
		}
	}

	const data = document.querySelector('script.jr-timeline-data');
	if (!data || !window.DecompressionStream)
		return;
	let made = null;
	const make = () => made = made || jrTimeline.unpack(data.textContent).then((parsed) => {
		const timeline = new Timeline(data.closest('figure'), parsed);
		jrView.links.add(timeline);
		return timeline;
	}).catch(() => null); // the still chart stays
	/* Links to a name in the timeline. */
	document.addEventListener('click', (event) => {
		const link = event.target.closest('a[data-find]');
		if (link)
			make().then((timeline) =>
				timeline && timeline.find(link.dataset.find || link.textContent));
	});
	const follow = () => made && made.then((timeline) => timeline && jrView.links.recall());
	addEventListener('popstate', follow);
	addEventListener('hashchange', follow);
	if (/^#(.*;)?t=/.test(location.hash))
		make();
	else
		addEventListener('load', () => idle(make));
})();
