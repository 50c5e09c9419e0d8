/*
 * timeline_strip.js - the heat strip of a timeline: all devices by step, colored by step
 * time or by waiting. A cell, chosen by pointer or keys, shows the lanes of its devices and its step.
 */
const jrStrip = (() => {
	'use strict';

	const TINTS = [5, 6, 2, 4, 7]; // classes of opacity, from weak to strong: render/plot_heat.c
	const KINDS = ['step time without waiting', 'waiting for other devices'];
	const TALL = 240, AXIS = 18; // px

	const element = (name, className, parent, text) => {
		const node = document.createElement(name);
		node.className = className;
		node.textContent = text || '';
		parent.append(node);
		return node;
	};

	return class {
		/* `timeline` has the strip's data, `box`, `shown`, `steps`, showGroups(), go() and colors. */
		constructor(timeline) {
			Object.assign(this, timeline.strip, { timeline, kind: 0 });
			this.at = [0, 0]; // row and column of the cursor
			this.active = false;
			this.dress(timeline.box);
			this.listen();
		}

		dress(box) {
			const bar = element('div', 'jr-timeline-bar strip-bar', box);
			const label = element('label', '', bar, 'All devices by step: '), { kinds } = this;
			this.list = element('select', '', label);
			for (let kind = 0; kind < kinds; kind++)
				element('option', '', this.list, KINDS[kind]).value = kind;
			this.scale = element('span', 'scale', bar);
			this.swatches = this.dressScale();
			this.canvas = element('canvas', 'strip', box);
			const { canvas } = this;
			canvas.tabIndex = 0;
			canvas.setAttribute('role', 'application');
			canvas.setAttribute('aria-roledescription', 'heat strip');
			canvas.setAttribute('aria-label', `${this.rows.length} rows of devices by step. `
				+ 'Arrow keys move from cell to cell, Enter shows the lanes of a row or hides them.');
			this.words = element('p', 'strip-words', box);
			this.words.setAttribute('role', 'status');
		}

		dressScale() {
			const NS = 'http://www.w3.org/2000/svg', svg = document.createElementNS(NS, 'svg');
			this.low = element('span', '', this.scale);
			for (const [name, value] of Object.entries({ class: 'jr-figure', width: 90, height: 12,
				viewBox: '0 0 90 12', 'aria-hidden': 'true' }))
				svg.setAttribute(name, value);
			this.scale.append(svg);
			this.high = element('span', '', this.scale);
			return TINTS.map((tint, i) => {
				const rect = document.createElementNS(NS, 'rect');
				for (const [name, value] of Object.entries({ x: 18 * i, y: 0, width: 17, height: 12,
					class: `f-wait t${tint}` }))
					rect.setAttribute(name, value);
				svg.append(rect);
				return rect;
			});
		}

		/* --- drawing --- */

		measure() {
			const { canvas, rows } = this, { width, gutter } = this.timeline;
			const ratio = devicePixelRatio || 1;
			this.row = Math.max(4, Math.min(14, Math.floor(TALL / rows.length)));
			this.column = (width - gutter) / this.columns.length;
			this.height = this.row * rows.length + AXIS;
			canvas.width = Math.round(width * ratio);
			canvas.height = Math.round(this.height * ratio);
			canvas.style.height = `${this.height}px`;
			this.fills = this.swatches.map((rect) => {
				const { fill, fillOpacity } = getComputedStyle(rect);
				return [fill, Number(fillOpacity)];
			});
			this.draw();
		}

		draw() {
			const { timeline, rows, columns, row, column, kind } = this, { gutter, color } = timeline;
			const ratio = devicePixelRatio || 1, g = this.canvas.getContext('2d');
			const extent = jrTimeline.extent(this, kind), [low, high] = extent;
			this.low.textContent = jrTimeline.time(low, 3);
			this.high.textContent = jrTimeline.time(high, 3);
			g.setTransform(ratio, 0, 0, ratio, 0, 0);
			g.fillStyle = color.background;
			g.fillRect(0, 0, timeline.width, this.height);
			rows.forEach((_, i) => columns.forEach((_, k) => {
				const level = jrTimeline.level(this.ns[kind][i * columns.length + k], extent,
					TINTS.length);
				if (level < 0)
					return;
				[g.fillStyle, g.globalAlpha] = this.fills[level];
				g.fillRect(gutter + k * column, i * row, column - (column > 4 ? 1 : 0), row - 1);
			}));
			g.globalAlpha = 1;
			this.drawNames(g, extent);
			this.drawSteps(g);
			const [i, k] = this.at;
			if (this.active) {
				g.strokeStyle = color.ink;
				g.lineWidth = 2;
				g.strokeRect(gutter + k * column - 0.5, i * row - 0.5, Math.max(4, column), row);
			}
		}

		/* Names of shown rows come first, then those of dark rows. A row with lanes in the page has a
		 * mark, full if shown. A row of whole hosts has their names. */
		drawNames(g, extent) {
			const { timeline, rows, row } = this, { gutter, color } = timeline, placed = [];
			g.font = '11px system-ui, sans-serif';
			g.textAlign = 'right';
			g.textBaseline = 'middle';
			const hosts = jrTimeline.hosts(rows.map(([name]) => name))
				.map((name) => name && gutter < 100 ? name.split(' to ')[0] : name);
			const n = this.columns.length, dark = rows.map((_, i) => this.ns[this.kind]
				.subarray(i * n, i * n + n).some((v) => jrTimeline.level(v, extent, 2) === 1));
			for (const wanted of [2, 1, 0])
				rows.forEach(([name, ...groups], i) => {
					const at = Math.max(6, i * row + row / 2);
					const shown = groups.some((group) => timeline.shown.includes(group));
					const is = shown ? 2 : Number(dark[i]);
					if (is === wanted && groups.length) {
						g.fillStyle = shown ? color.ink : color.axis;
						g.fillRect(gutter - 8, i * row, shown ? 5 : 2, row - 1);
					}
					/* a name that matters may be one line lower */
					const y = [at, ...is ? placed.map((other) => other + 12) : []].filter((place) =>
						place >= at && place <= at + 12
						&& placed.every((other) => Math.abs(other - place) >= 12))[0];
					if (is !== wanted || y === undefined)
						return;
					placed.push(y);
					g.fillStyle = shown ? color.ink : color.muted;
					timeline.fitLabel(g, hosts[i] || timeline.shortName(name), gutter - 12, y,
						true);
				});
		}

		drawSteps(g) {
			const { timeline, columns, column, rows, row } = this, { gutter, color } = timeline;
			let free = gutter;
			g.fillStyle = color.muted;
			g.textAlign = 'center';
			columns.forEach(([first], k) => {
				const x = gutter + (k + 0.5) * column, text = `${k ? '' : 'step '}${first}`;
				const half = g.measureText(text).width / 2;
				if (x - half < free || x + half > timeline.width)
					return;
				g.fillText(text, x, rows.length * row + AXIS / 2);
				free = x + half + 14;
			});
		}

		/* --- words --- */

		isShown(i) {
			const groups = this.rows[i].slice(1);
			return groups.length > 0 && groups.every((group) => this.timeline.shown.includes(group));
		}

		/* The step of a column that is in the page; undefined: none. */
		stepOf(k) {
			const [first, last] = this.columns[k];
			return this.timeline.steps.findIndex(([, , number]) => number >= first && number <= last);
		}

		tell() {
			const [i, k] = this.at, [name, ...groups] = this.rows[i], [first, last] = this.columns[k];
			const value = this.ns[this.kind][i * this.columns.length + k];
			const step = first === last ? `step ${first}` : `steps ${first} to ${last}`;
			const several = name.startsWith('Devices ') || first !== last ? 'up to ' : '';
			const there = this.stepOf(k) >= 0 ? ''
				: ` ${first === last ? 'This step is' : 'These steps are'} not in this page.`;
			const lanes = !groups.length ? 'Lanes are not in this page.'
				: this.isShown(i) ? 'Lanes are shown.' : 'Select to show the lanes of '
					+ `${groups.map((group) => group.split(' on ')[0]).join(', ')}.`;
			const shown = value === value ? several + jrTimeline.time(value, 3) : 'unknown';
			this.words.textContent = `${name}, ${step}: ${KINDS[this.kind]} ${shown}. ${lanes}${there}`;
		}

		/* Show the row's lanes and the step. If both are shown already, hide the lanes. */
		choose() {
			const { timeline } = this, [i, k] = this.at, groups = this.rows[i].slice(1);
			const step = this.stepOf(k);
			const there = step < 0 || timeline.isAt(timeline.steps[step]), shown = this.isShown(i);
			if (groups.length && shown && there)
				timeline.showGroups(timeline.shown.filter((group) => !groups.includes(group)));
			else if (groups.length && !shown)
				timeline.showGroups(jrTimeline.added(timeline.shown, groups));
			if (groups.length && !there)
				timeline.go(step);
			this.tell();
			this.draw();
		}

		/* --- pointer and keys --- */

		move(down, right) {
			const within = (v, n) => Math.max(0, Math.min(n - 1, v)), [i, k] = this.at;
			this.at = [within(i + down, this.rows.length), within(k + right, this.columns.length)];
			this.active = true;
			this.tell();
			this.draw();
		}

		listen() {
			const { canvas } = this;
			this.list.addEventListener('change', () => {
				this.kind = Number(this.list.value);
				this.draw();
			});
			const follow = (event) => {
				const box = canvas.getBoundingClientRect();
				const i = Math.floor((event.clientY - box.top) / this.row);
				const k = Math.floor((event.clientX - box.left - this.timeline.gutter) / this.column);
				if (i >= this.rows.length)
					return false;
				this.at = [Math.max(0, i), 0];
				this.move(0, k);
				return true;
			};
			canvas.addEventListener('pointermove', follow);
			canvas.addEventListener('pointerleave', () => {
				this.active = document.activeElement === canvas;
				this.draw();
			});
			canvas.addEventListener('click', (event) => follow(event) && this.choose());
			canvas.addEventListener('focus', () => this.move(0, 0));
			canvas.addEventListener('blur', () => {
				this.active = false;
				this.draw();
			});
			canvas.addEventListener('keydown', (event) => jrView.press(event, {
				ArrowUp: () => this.move(-1, 0), ArrowDown: () => this.move(1, 0),
				ArrowLeft: () => this.move(0, -1), ArrowRight: () => this.move(0, 1),
				Home: () => this.move(0, -Infinity), End: () => this.move(0, Infinity),
				Enter: () => this.choose(), ' ': () => this.choose(),
			}));
		}
	};
})();
