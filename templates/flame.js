/*
 * flame.js - search, zoom and keyboard for the flamegraphs of a page.
 *
 * Each <script type="application/json" class="jr-flame-data" data-figure="ID"> holds the packed tree
 * (render/flame_pack.c) of the picture <svg id="ID">. The picture is complete as it stands; this
 * script redraws the inside of its group .jr-frames when there is something else to show. It sets
 * classes, attributes and text only: no inline style, no HTML from strings, no eval.
 */
(() => {
	'use strict';

	const SVG = 'http://www.w3.org/2000/svg';
	const ROW = 17; // JR_FLAME_ROW
	const MIN = 0.3; // JR_FLAME_MIN
	const MIN_LABEL = 22;
	const PADDING = 4;
	const FRAME = /^(.*\/)?([^/]*?):(\d+)(?::\d+)?\[(.+)\]$/;

	const element = (name, className, parent) => {
		const node = document.createElement(name);
		if (className)
			node.className = className;
		if (parent)
			parent.append(node);
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
	const px = (v) => Math.round(v * 100) / 100;
	const fixed = (v, digits) => v.toLocaleString('en-US',
		{ minimumFractionDigits: digits, maximumFractionDigits: digits });
	const ms = (ns) => `${fixed(ns / 1e6, 3)} ms`;
	const percent = (part, whole) => `${fixed(whole > 0 ? 100 * part / whole : 0, 2)} %`;

	/* Frames in preorder; index 0 is the row over everything. */
	class Tree {
		constructor(packed) {
			const n = packed.n.length + 1;
			this.n = n;
			this.names = Tree.unfold(packed);
			this.tints = packed.t;
			this.roles = packed.roles;
			this.rootName = packed.root;
			this.links = new Map((packed.l || []).map((name, i) => [name, packed.h[i]]));
			this.name = new Int32Array(n).fill(-1);
			this.role = new Uint8Array(n);
			this.depth = new Int32Array(n);
			this.parent = new Int32Array(n).fill(-1);
			this.end = new Int32Array(n);
			this.self = new Float64Array(n);
			this.total = new Float64Array(n);
			this.role[0] = packed.roles.indexOf('unknown');
			for (let i = 1; i < n; i++) {
				const code = packed.r.charCodeAt(i - 1);
				this.name[i] = packed.n[i - 1];
				this.role[i] = code >= 97 ? code - 97 + 26 : code - 65;
				this.self[i] = packed.s[i - 1];
				this.parent[i] = i - 1;
				for (let up = packed.u[i - 1]; up > 0; up--)
					this.parent[i] = this.parent[this.parent[i]];
				this.depth[i] = this.depth[this.parent[i]] + 1;
			}
			for (let i = n - 1; i >= 0; i--) {
				this.total[i] += this.self[i];
				this.end[i] = Math.max(this.end[i], i + 1);
				if (i === 0)
					break;
				const parent = this.parent[i];
				this.total[parent] += this.total[i];
				this.end[parent] = Math.max(this.end[parent], this.end[i]);
			}
			this.height = 1 + this.depth.reduce((a, b) => Math.max(a, b), 0);
		}

		static unfold(packed) {
			let before = '';
			return packed.q.map((rest, i) => (before = before.slice(0, packed.p[i]) + rest));
		}

		text(i) {
			return i === 0 ? this.rootName : this.names[this.name[i]];
		}
		/* "#fragment" of the page with more about a frame, or undefined. */
		link(i) {
			return this.links.get(this.name[i]);
		}
		style(i) {
			const tint = i === 0 ? 1 : this.tints[this.name[i]];
			return `f-${this.roles[this.role[i]]} t${tint}`;
		}

		/*
		 * Boxes of the view that has frame `top` at full width: its ancestors over it, and
		 * everything below it in proportion; too narrow siblings gathered as in the still picture.
		 */
		boxes(top, width) {
			const out = [];
			const scale = this.total[top] > 0 ? width / this.total[top] : 0;
			const next = new Float64Array(this.height + 1); // where the next box of a row begins
			for (let i = top; i >= 0; i = this.parent[i])
				out.unshift({ x: 0, w: width, row: this.depth[i], i, end: i + 1, n: 0,
					value: this.total[i], above: i !== top });
			for (let i = top + 1; i < this.end[top];) {
				const row = this.depth[i];
				const w = this.total[i] * scale;
				const x = next[row];
				if (w >= MIN) {
					out.push({ x, w, row, i, end: i + 1, n: 0, value: this.total[i], above: false });
					next[row] = x + w;
					next[row + 1] = x;
					i++;
					continue;
				}
				const end = this.end[this.parent[i]];
				let value = 0;
				for (let k = i; k < end; k = this.end[k])
					value += this.total[k];
				if (value > 0)
					out.push({ x, w: value * scale, row, i, end, n: end - i, value, above: false });
				i = end;
			}
			return out;
		}

		/* Frames whose text matches, and their share: a match below a match counts once. */
		match(regexp) {
			const hit = this.names.map((name) => regexp.test(name));
			const before = new Int32Array(this.n + 1);
			let covered = 0, value = 0;
			for (let i = 0; i < this.n; i++) {
				const is = i > 0 && hit[this.name[i]];
				before[i + 1] = before[i] + (is ? 1 : 0);
				if (is && i >= covered) {
					value += this.total[i];
					covered = this.end[i];
				}
			}
			return { before, value };
		}
	}

	/* Widths of text as the page sets it, one character at a time. */
	class Ruler {
		constructor(svg) {
			this.pen = document.createElement('canvas').getContext('2d');
			this.pen.font = `11px ${getComputedStyle(svg).fontFamily}`;
			this.known = new Map();
		}
		width(text) {
			let sum = 0;
			for (const c of text) {
				let w = this.known.get(c);
				if (w === undefined)
					this.known.set(c, w = this.pen.measureText(c).width);
				sum += w;
			}
			return sum;
		}
		fit(text, room) {
			let sum = 0, cut = '';
			const mark = this.width('…');
			for (const c of text) {
				const w = this.width(c);
				if (sum + w + mark > room)
					return this.width(text) <= room ? text
						: cut.length < 2 ? '' : `${cut.trimEnd()}…`;
				sum += w;
				cut += c;
			}
			return text;
		}
		/* The same choice as jr_flame_label(). */
		label(text, room) {
			const parts = FRAME.exec(text);
			if (parts) {
				const [, , file, line, name] = parts;
				const whole = this.fit(`${name}\u00A0 ${file}:${line}`, room);
				return whole.length >= name.length + 8 ? whole : this.fit(name, room);
			}
			if (this.width(text) > room)
				for (let at = text.indexOf('/'); at >= 0; at = text.indexOf('/', at + 1)) {
					const tail = `…${text.slice(at)}`;
					if (tail.length > 2 && this.width(tail) <= room)
						return tail;
				}
			return this.fit(text, room);
		}
	}

	class Flame {
		constructor(svg, packed) {
			this.svg = svg;
			this.tree = new Tree(packed);
			this.group = svg.querySelector('.jr-frames');
			if (!this.group || this.tree.total[0] <= 0)
				return;
			this.ruler = new Ruler(svg);
			this.top = Number(this.group.dataset.top);
			this.nRows = Number(this.group.dataset.rows);
			this.left = Number(this.group.dataset.left);
			this.width = Number(this.group.dataset.width);
			this.upwards = packed.up === 1;
			this.flipped = this.upwards;
			this.zoomed = 0;
			this.query = '';
			this.found = null;
			this.current = null;
			this.frames = this.tree.boxes(0, this.width);
			this.index();
			this.toolbar();
			this.listen();
			this.restore();
		}

		index() {
			this.rows = [];
			for (const box of this.frames)
				(this.rows[box.row] ??= []).push(box);
		}

		y(row) {
			return this.top + (this.flipped ? this.nRows - 1 - row : row) * ROW;
		}

		/* --- drawing --- */

		draw() {
			this.frames = this.tree.boxes(this.zoomed, this.width);
			this.nRows = Math.max(this.nRows, 1 + this.frames.reduce((a, b) => Math.max(a, b.row), 0));
			this.index();
			const paths = new Map();
			for (const box of this.frames) {
				const key = this.classes(box);
				const gap = box.w > 3 ? 0.5 : 0;
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
			parts.push(this.labels());
			this.group.replaceChildren(...parts);
			this.outline = null;
			this.select(null);
		}

		classes(box) {
			const style = box.n ? 'f-unknown t1' : this.tree.style(box.i);
			if (this.found && this.found.before[box.end] > this.found.before[box.i])
				return 'f-accent t0 jr-match';
			return box.above || (this.found && this.query) ? `${style} jr-dim` : style;
		}

		labels() {
			const group = shape('g', { class: 'f-ink', 'font-size': 11 });
			for (const box of this.frames) {
				if (box.w < MIN_LABEL)
					continue;
				const text = this.ruler.label(this.caption(box), box.w - 2 * PADDING);
				if (!text)
					continue;
				const matched = this.found && this.found.before[box.end] > this.found.before[box.i];
				const node = shape('text', { x: px(this.left + box.x + PADDING),
					y: px(this.y(box.row) + 12) }, group);
				if (matched)
					node.setAttribute('class', 'f-background');
				node.textContent = text;
			}
			return group;
		}

		caption(box) {
			return box.n ? `… ${fixed(box.n, 0)} frame${box.n === 1 ? '' : 's'}` : this.tree.text(box.i);
		}

		describe(box) {
			const whole = this.tree.total[0];
			let text = `${this.caption(box)}: ${ms(box.value)}, ${percent(box.value, whole)}`;
			if (this.zoomed && !box.above)
				text += ` (${percent(box.value, this.tree.total[this.zoomed])} of what is zoomed)`;
			if (!box.n && this.tree.self[box.i] > 0 && this.tree.self[box.i] < box.value)
				text += `; itself ${ms(this.tree.self[box.i])}`;
			return text;
		}

		/* --- toolbar --- */

		toolbar() {
			const bar = element('div', 'jr-flame-bar');
			const label = element('label', 'jr-flame-search', bar);
			label.append('Search ');
			this.input = element('input', '', label);
			this.input.type = 'search';
			this.input.placeholder = 'regular expression';
			this.input.spellcheck = false;
			this.input.autocomplete = 'off';
			this.matched = element('output', 'jr-flame-matched', bar);
			this.flip = element('button', '', bar);
			this.flip.type = 'button';
			this.reset = element('button', '', bar);
			this.reset.type = 'button';
			this.reset.textContent = 'Reset';
			if (this.tree.links.size) {
				this.source = element('a', 'jr-flame-source', bar);
				this.source.textContent = 'Source line';
			}
			this.detail = element('p', 'jr-flame-detail');
			this.hint = 'Point at a frame for its time; click to zoom, Esc to go back; '
				+ 'arrow keys walk, Enter zooms'
				+ (this.source ? ', s shows the source line.' : '.');
			this.detail.textContent = this.hint;
			/* A box that scrolls the picture sideways must not carry the controls away. */
			const around = this.svg.parentElement.localName === 'div' ? this.svg.parentElement
				: this.svg;
			around.before(bar);
			around.after(this.detail);
			this.svg.classList.add('jr-flame');
			this.svg.setAttribute('tabindex', '0');
			this.svg.setAttribute('role', 'application');
			this.live = element('span', 'jr-flame-live');
			this.live.setAttribute('aria-live', 'polite');
			this.detail.after(this.live);
			this.buttons();
		}

		buttons() {
			this.reset.disabled = !this.zoomed && !this.query;
			this.flip.textContent = this.flipped ? 'Show as icicle' : 'Show as flame';
			if (this.source) {
				const link = this.tree.link(this.zoomed);
				this.source.hidden = !link;
				this.source.href = link || '#';
			}
		}

		listen() {
			this.svg.addEventListener('pointermove', (event) => this.select(this.at(event)));
			this.svg.addEventListener('pointerleave', () => this.select(null));
			this.svg.addEventListener('pointerdown', (event) => {
				this.touched = event.pointerType === 'touch';
				this.before = this.current;
				this.select(this.at(event));
			});
			this.svg.addEventListener('click', (event) => {
				const box = this.at(event);
				/* A finger cannot hover: the first tap tells, the second zooms. */
				if (box && (!this.touched || this.before === box))
					this.zoom(box);
			});
			this.svg.addEventListener('keydown', (event) => this.key(event));
			this.input.addEventListener('input', () => this.search(this.input.value));
			this.input.addEventListener('keydown', (event) => {
				if (event.key === 'Escape')
					this.clear();
			});
			this.reset.addEventListener('click', () => this.clear());
			this.flip.addEventListener('click', () => {
				this.flipped = !this.flipped;
				this.refresh();
			});
			addEventListener('hashchange', () => this.restore());
			new ResizeObserver(() => this.resize()).observe(this.svg);
		}

		/*
		 * One unit of the picture becomes one pixel, so that text has the size that it was made
		 * for and a wide window shows more of it. What is above the frames stays where it is.
		 */
		resize() {
			const view = this.svg.viewBox.baseVal;
			const width = Math.round(this.svg.getBoundingClientRect().width);
			if (width < 300 || Math.abs(width - view.width) < 2 || matchMedia('print').matches)
				return;
			this.svg.setAttribute('viewBox', `0 0 ${width} ${view.height}`);
			this.svg.setAttribute('width', width);
			this.width = width - 2 * this.left;
			this.draw();
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

		select(box, spoken) {
			if (box === this.current && this.outline)
				return;
			this.current = box;
			if (!this.outline) {
				this.outline = shape('path', { class: 'f-none s-ink jr-flame-current' }, this.group);
				this.tip = shape('title', {}, this.group);
			}
			const text = box ? this.describe(box) : '';
			this.outline.setAttribute('d', box ? `M${px(this.left + box.x)} ${
				px(this.y(box.row))}h${px(box.w)}v${ROW - 1}h${px(-box.w)}z` : '');
			for (const still of this.group.querySelectorAll('g > path > title'))
				still.remove();
			this.tip.textContent = text;
			this.detail.textContent = text || this.hint;
			if (spoken)
				this.live.textContent = text;
		}

		/* Box of the row that holds the middle of this one. */
		neighbour(box, row) {
			const middle = box.x + box.w / 2;
			const list = this.rows[row] || [];
			return list.find((other) => other.x <= middle && middle < other.x + other.w)
				|| list.find((other) => other.x >= box.x && other.x < box.x + box.w) || null;
		}

		step(direction) {
			const box = this.current || this.rows[this.tree.depth[this.zoomed]][0];
			const deeper = (direction === 'ArrowDown') !== this.flipped;
			let to = null;
			if (!this.current)
				to = box;
			else if (direction === 'ArrowLeft' || direction === 'ArrowRight')
				to = this.rows[box.row][this.rows[box.row].indexOf(box)
					+ (direction === 'ArrowLeft' ? -1 : 1)];
			else if (deeper)
				to = (this.rows[box.row + 1] || []).find((other) =>
					other.x >= box.x - 1e-6 && other.x < box.x + box.w);
			else
				to = this.neighbour(box, box.row - 1);
			if (to)
				this.select(to, true);
		}

		key(event) {
			if (event.ctrlKey || event.metaKey || event.altKey)
				return;
			if (event.key.startsWith('Arrow'))
				this.step(event.key);
			else if (event.key === 'Enter' && this.current)
				this.zoom(this.current);
			else if (event.key === 'Escape')
				this.clear();
			else if (event.key === '/')
				this.input.focus();
			else if (event.key === 's' && this.current && this.tree.link(this.current.i))
				location.hash = this.tree.link(this.current.i);
			else
				return;
			event.preventDefault();
		}

		/* --- what is shown --- */

		/* A gathered box zooms to the frame that they are all below. */
		zoom(box) {
			const to = box.n ? this.tree.parent[box.i] : box.i;
			if (to === this.zoomed)
				return;
			this.zoomed = to;
			this.refresh();
			const row = this.rows[this.tree.depth[to]];
			this.select(row && row[0]);
		}

		search(text) {
			this.query = text;
			this.found = null;
			this.input.removeAttribute('aria-invalid');
			this.matched.textContent = '';
			if (text) {
				try {
					this.found = this.tree.match(new RegExp(text, 'i'));
					this.matched.textContent = `matched: ${percent(this.found.value,
						this.tree.total[0])}`;
				} catch (error) {
					this.input.setAttribute('aria-invalid', 'true');
					this.matched.textContent = 'not a regular expression';
				}
			}
			this.refresh();
		}

		clear() {
			this.zoomed = 0;
			this.input.value = '';
			this.search('');
		}

		refresh() {
			this.draw();
			this.buttons();
			this.remember();
		}

		/* --- permalink: #ID!z=12&s=dot&f=1 --- */

		remember() {
			const state = new URLSearchParams();
			if (this.zoomed)
				state.set('z', this.zoomed);
			if (this.query)
				state.set('s', this.query);
			if (this.flipped !== this.upwards)
				state.set('f', '1');
			const text = state.toString();
			const hash = text ? `#${this.svg.id}!${text}` : '';
			if (!text && !location.hash.startsWith(`#${this.svg.id}!`))
				return;
			try {
				history.replaceState(null, '', hash || location.pathname + location.search);
			} catch (error) {
				/* A sandboxed page has no history of its own; it then has no permalink. */
			}
		}

		restore() {
			const prefix = `#${this.svg.id}!`;
			if (!location.hash.startsWith(prefix))
				return;
			const state = new URLSearchParams(location.hash.slice(prefix.length));
			const to = Number(state.get('z') || 0);
			this.zoomed = Number.isInteger(to) && to > 0 && to < this.tree.n ? to : 0;
			this.flipped = this.upwards !== (state.get('f') === '1');
			this.input.value = state.get('s') || '';
			this.search(this.input.value);
			this.svg.scrollIntoView({ block: 'nearest' });
		}
	}

	for (const data of document.querySelectorAll('script.jr-flame-data')) {
		const svg = document.getElementById(data.dataset.figure);
		if (svg)
			new Flame(svg, JSON.parse(data.textContent));
	}
})();
