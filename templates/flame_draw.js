/*
 * flame_draw.js - draw the group .jr-frames of a flamegraph's <svg> from its state
 * (flame_state.js). Sets classes, attributes and text only: no inline style.
 */
(() => {
	'use strict';

	const SVG = 'http://www.w3.org/2000/svg', HTML = 'http://www.w3.org/1999/xhtml';
	const ROW = 17; // JR_FLAME_ROW
	const TOP = 2; // px over the first row
	const PADDING = 4;
	const MIN_HEM = 2; // px of a box with a hem
	const MIN_CHANGED = 40; // px of a label, where the label says how much the frame changed
	const MOVE_MS = 160;

	/* In its own file the document is not HTML: elements need their namespace. */
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
	const shape = (name, attributes, parent) => {
		const node = document.createElementNS(SVG, name);
		for (const key in attributes)
			node.setAttribute(key, attributes[key]);
		if (parent)
			parent.append(node);
		return node;
	};
	/* Right-to-left words (base/text.c) get their own element, so that they do not reorder the
	 * text around them. */
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
	const hemPath = (x, y, width) => `M${x} ${y + 1}h${width}`;
	const still = () => matchMedia('(prefers-reduced-motion: reduce), print').matches;

	class Picture {
		constructor(svg, state) {
			this.svg = svg;
			this.state = state;
			this.group = svg.querySelector('.jr-frames');
			this.left = Number(this.group.dataset.left);
			this.width = svg.viewBox.baseVal.width - 2 * this.left;
			this.ruler = new jrFlame.Ruler(getComputedStyle(svg).fontFamily);
		}

		draw(keepHeight) {
			this.boxes = this.state.layout(this.width);
			this.rows = [];
			for (const box of this.boxes)
				(this.rows[box.row] ??= []).push(box);
			this.nRows = keepHeight ? Math.max(this.nRows, this.rows.length) : this.rows.length;
			const paths = new Map(), hems = new Map();
			const add = (to, key, d) => to.get(key)?.push(d) ?? to.set(key, [d]);
			for (const box of this.boxes) {
				const key = this.classes(box), hem = this.hem(box, key);
				add(paths, key, this.path(box, box.w > 3 ? 0.5 : 0));
				if (hem)
					add(hems, hem, hemPath(px(this.left + box.x), this.y(box.row), px(box.w - 0.5)));
			}
			const parts = [...paths, ...hems].map(([key, list]) =>
				shape('path', { class: key, d: list.join('') }));
			this.outline = shape('path', { class: 'f-none s-ink jr-flame-current' });
			this.tip = shape('title', {});
			this.group.replaceChildren(this.tip, ...parts, this.labels(), this.outline);
			this.size();
		}

		/* A box, drawn `gap` px narrower. */
		path(box, gap) {
			return `M${px(this.left + box.x)} ${px(this.y(box.row))}h${px(box.w - gap)}v${
				ROW - 1}h${px(gap - box.w)}z`;
		}

		y(row) {
			return TOP + (this.state.flipped ? this.nRows - 1 - row : row) * ROW;
		}

		size() {
			const width = this.width + 2 * this.left, height = this.nRows * ROW + 2 * TOP;
			this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
			this.svg.setAttribute('width', width);
			this.svg.setAttribute('height', height);
		}

		classes(box) {
			const { state } = this;
			if (state.isMatch(box))
				return 'f-accent t0 jr-match';
			const style = this.style(box);
			return box.above || state.search.found ? `${style} jr-dim` : style;
		}

		hem(box, classes) {
			const hem = box.w < MIN_HEM ? '' : this.state.tree.hem(classes);
			return hem && classes.endsWith(' jr-dim') ? `${hem} jr-dim` : hem;
		}

		style(box) {
			const { tree, view, colors } = this.state;
			if (colors === jrFlame.BY_ROOF) {
				const found = view.efficiency(box);
				return found ? `f-roof-${jrFlame.roofClass(found.fraction)} t0` : jrFlame.NEUTRAL;
			}
			if (tree.base)
				return jrFlame.stepStyle(jrFlame.step(...view.both(box)));
			return box.n ? tree.style(tree.unknown) : view.style(box.i);
		}

		labels() {
			const group = shape('g', { class: 'f-ink jr-flame-labels', 'font-size': 12 });
			for (const box of this.boxes) {
				if (box.w < jrFlame.MIN_LABEL)
					continue;
				const text = this.label(box, box.w - 2 * PADDING);
				if (!text)
					continue;
				const node = shape('text', { x: px(this.left + box.x + PADDING),
					y: px(this.y(box.row) + 12) }, group);
				if (this.state.isMatch(box))
					node.setAttribute('class', 'f-background');
				writeName(node, text);
			}
			return group;
		}

		/* Like jr_flame_label(), then the frame's change. */
		label(box, room) {
			const { tree, view } = this.state;
			const name = this.state.name(box), both = tree.base ? view.both(box) : null;
			const fit = (width) => this.ruler[box.n ? 'fit' : 'label'](name, width);
			if (!both || !jrFlame.step(...both))
				return fit(room);
			const more = `\u00A0 ${jrFlame.relative(both, 1)}`;
			const left = room - this.ruler.width(more);
			const text = left >= MIN_CHANGED ? fit(left) : '';
			return text ? text + more : fit(room);
		}

		/* Zoom animation: `before` and `after` are a frame's boxes. */
		move(before, after) {
			if (!before || !after || still() || before.w < 1 || after.w < 1)
				return;
			const { group, boxes } = this, begin = performance.now();
			const from = { x: this.left + before.x, w: before.w };
			const to = { x: this.left + after.x, w: after.w };
			group.classList.add('jr-flame-moving');
			const frame = (now) => {
				const t = Math.min(1, Math.max(0, (now - begin) / MOVE_MS));
				if (t === 1 || this.boxes !== boxes) {
					group.removeAttribute('transform');
					group.classList.remove('jr-flame-moving');
					return;
				}
				const [scale, shift] = jrView.between(from, to, t);
				group.setAttribute('transform', `matrix(${scale} 0 0 1 ${shift} 0)`);
				requestAnimationFrame(frame);
			};
			frame(begin);
		}

		/* The box under the pointer, or null. */
		at(event) {
			const matrix = this.svg.getScreenCTM();
			if (!matrix)
				return null;
			const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
			const down = Math.floor((p.y - TOP) / ROW);
			const row = this.rows[this.state.flipped ? this.nRows - 1 - down : down];
			return row ? jrView.markAt(row, p.x - this.left) : null;
		}

		/* The box that shows frame i or the box that gathers it; null for 0 and for frames that
		 * are not shown. */
		boxOf(i) {
			return i ? this.boxes.find((box) => box.i <= i && i < box.end) || null : null;
		}

		/* The box that the detail line describes when nothing is pointed at. */
		pinned() {
			return this.boxOf(this.state.view.at[this.state.pinned]);
		}

		frame(box) {
			this.outline.setAttribute('d', box ? this.path(box, 0) : '');
		}

		/*
		 * One unit of the drawing becomes one pixel, so that text has its intended size and a wide
		 * window shows more of it. Return true if that changed the width.
		 */
		measure() {
			const before = this.width;
			const width = Math.round(this.svg.getBoundingClientRect().width) - 2 * this.left;
			if (width >= 100 && Math.abs(width - before) > 1 && !matchMedia('print').matches)
				this.width = width;
			return this.width !== before;
		}
	}

	Object.assign(jrFlame, { Picture, element, shape, writeName, hemPath });
})();
