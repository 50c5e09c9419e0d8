/*
 * flame_state.js - the state of a flamegraph: the shown part of its tree, the text in the address,
 * and descriptions. Nothing here touches the page.
 */
(() => {
	'use strict';

	const { fixed, time, bytes, percent, sign, signed } = jrView;
	const MIN_LABEL = 22; // px
	/* Which run sets the widths of frames in a comparison. */
	const WIDTHS = [[jrFlame.AFTER, 'time in the new run'], [jrFlame.BEFORE, 'time in the base'],
		[jrFlame.CHANGE, 'change']];
	const BY_KIND = 'kind', BY_ROOF = 'roof'; // what the colors of frames tell

	/* "+6.50 %" of a comparison's [before, after]; "added", "removed" if one is 0. */
	const relative = ([before, after], digits) => before > 0 && after > 0
		? `${signed(100 * (after - before) / before, digits)} %`
		: before > 0 ? 'removed' : after > 0 ? 'added' : '0 %';
	const change = ([before, after]) => `${sign(after - before)}${time(Math.abs(after - before))}`;
	const frames = (n) => `${fixed(n, 0)} frame${n === 1 ? '' : 's'}`;

	class State {
		constructor(packed) {
			this.tree = new jrFlame.Tree(packed);
			this.noun = packed.unit === 'bytes' ? 'size' : 'time'; // of what frames are wide as
			this.amount = packed.unit === 'bytes' ? bytes : time;
			this.upwards = packed.up === 1;
			this.levels = this.tree.levels();
			this.search = new jrView.Search();
			this.clear();
			this.refresh();
		}

		clear() {
			this.by = this.tree.width(); // what frames of a comparison are as wide as
			this.zoomed = 0; // a frame, by its index in the tree
			this.from = 0; // of its children only those from this one on; 0: all
			this.search.set('');
			this.level = this.tree.level();
			this.colors = BY_KIND;
			this.folds = true;
			this.open = new Set(); // runs that are not folded, by their first frame
			this.flipped = this.upwards;
			this.pinned = 0; // what the detail line tells of when nothing is pointed at
		}

		/* After a change of the level, of the width or of the search. */
		refresh() {
			this.view = this.tree.view(this.level, this.by);
			this.search.run((regexp) => this.view.match(regexp));
		}

		/* w: width, z: zoomed, g: from, s: search, l: level, c: colors, u: unfolded, f: flipped */
		link() {
			const state = new URLSearchParams();
			const put = (key, value, differs = value) => differs && state.set(key, value);
			put('w', this.by, this.by !== this.tree.width());
			put('z', this.zoomed);
			put('g', this.from);
			put('s', this.search.query);
			put('l', this.level, this.level !== this.tree.level());
			put('c', this.colors, this.colors !== BY_KIND);
			put('u', this.folds ? [...this.open].join('.') : 'all');
			put('f', 1, this.flipped !== this.upwards);
			return state.toString();
		}

		/* Read what link() wrote. Invalid parts keep their defaults. */
		show(text) {
			const state = new URLSearchParams(text);
			const frame = (s) => /^\d{1,9}$/.test(s) && Number(s) < this.tree.n ? Number(s) : 0;
			this.clear();
			if (this.tree.base && WIDTHS.some(([by]) => by === state.get('w')))
				this.by = state.get('w');
			this.zoomed = frame(state.get('z'));
			this.from = frame(state.get('g'));
			this.search.set(state.get('s') || '');
			this.level = this.levels.find((level) => `${level}` === state.get('l')) ?? this.level;
			if (this.tree.roofs && state.get('c') === BY_ROOF)
				this.colors = BY_ROOF;
			this.folds = state.get('u') !== 'all';
			if (this.folds)
				this.open = new Set((state.get('u') || '').split('.').map(frame).filter(Boolean));
			this.flipped = this.upwards !== (state.get('f') === '1');
			this.pinned = this.zoomed;
			this.refresh();
			/* A link to a frame that is hidden by default shows it. */
			if (this.search.found && !this.search.count() && !state.has('l')
				&& this.hiddenMatches()) {
				this.level = jrFlame.ALL;
				this.refresh();
			}
		}

		/* --- zoom and folds --- */

		/* The frame at full width, and the first of its children that are shown (0: all). */
		focus() {
			const top = this.view.at[this.zoomed], from = this.view.at[this.from];
			return [top, from > top && this.view.parent[from] === top ? from : 0];
		}

		folded(i, top) {
			return this.folds && this.view.run[i] > 0 && this.view.runOf[top] !== i
				&& !this.open.has(this.view.base[i]);
		}

		/* Boxes in a flamegraph `width` px wide. */
		layout(width) {
			const [top, from] = this.focus();
			return this.view.layout(top, from, width, (i) => this.folded(i, top));
		}

		/* Return false if that is already shown. */
		zoom(to, from) {
			if (to === this.zoomed && from === this.from)
				return false;
			this.zoomed = this.pinned = to;
			this.from = from;
			return true;
		}

		/* The arguments of zoom() for a click on a box: narrow frames fill the width together. Null
		 * for frames that are not in the page. */
		target({ n, i, end }) {
			const { base, parent, count, end: ends } = this.view;
			if (n === 0 || (ends[i] === end && !count[i]))
				return [base[i], 0];
			return count[i] ? null : [base[parent[i]], base[i]];
		}

		/* The arguments of zoom() for one step out. */
		out() {
			return [this.from ? this.zoomed : this.tree.parent[this.zoomed], 0];
		}

		unfold(box) {
			this.open.add(this.view.base[box.i]);
			this.folds = true;
		}

		/* Fold all runs if any is open, else open all. */
		fold() {
			this.folds = !this.folds || this.open.size > 0;
			this.open.clear();
		}

		setLevel(level) {
			this.level = level;
			this.open.clear();
			this.search.step = -1;
		}

		/* Change the width; keep the zoom if that frame has a width. */
		measureBy(by) {
			this.by = by;
			this.search.step = -1;
			const view = this.tree.view(this.level, by);
			if (!(view.total[view.at[this.from || this.zoomed]] > 0))
				this.zoomed = this.from = 0;
		}

		nextWidth() {
			return WIDTHS[(WIDTHS.findIndex(([by]) => by === this.by) + 1) % WIDTHS.length][0];
		}

		/* --- search --- */

		isMatch(box) {
			const { found } = this.search;
			return found && found.before[box.end] > found.before[box.i];
		}

		/* The number of matches that are not shown. */
		hiddenMatches() {
			return this.level === jrFlame.ALL ? 0 : this.tree.view(jrFlame.ALL, this.by)
				.match(this.search.regexp()).hits.length;
		}

		/* Go to the next match (by = 1) or the previous one (-1) and open what hides it. Return its
		 * frame in the view, or undefined. */
		go(by, width) {
			const i = this.search.go(by), { view } = this;
			if (i === undefined)
				return i;
			if (view.runOf[i] >= 0 && this.folded(view.runOf[i], this.focus()[0]))
				this.open.add(view.base[view.runOf[i]]);
			const [top, from] = this.focus();
			if (!(i >= top && i < view.end[top] && (!from || i >= from)))
				this.zoomed = this.from = 0;
			this.reveal(i, width);
			return i;
		}

		/* Zoom in as little as makes frame i visible. */
		reveal(i, whole) {
			const { view } = this, [top] = this.focus();
			const width = (under) => view.total[i] / view.total[under] * whole;
			if (!(view.total[i] > 0) || width(top) >= MIN_LABEL && !this.from)
				return;
			let under = i;
			while (view.parent[under] > top && width(view.parent[under]) >= MIN_LABEL)
				under = view.parent[under];
			this.zoomed = view.base[under];
			this.from = 0;
		}

		/* --- text --- */

		matches() {
			const { found, invalid, step } = this.search;
			if (!found)
				return invalid ? 'not a regular expression' : '';
			const n = found.hits.length, share = percent(found.value, this.view.total[0]);
			const hidden = n ? 0 : this.hiddenMatches();
			return step >= 0 ? `${fixed(step + 1, 0)} of ${frames(n)}, ${share}`
				: n ? `${frames(n)}, ${share}` : `no match, 0.00 %${
					hidden ? `; ${frames(hidden)} hidden` : ''}`;
		}

		name(box) {
			if (box.band) {
				const { view } = this, trunk = view.isTrunk(box.i);
				const short = (i) => (jrFlame.parts(view.text(i)) || { name: view.text(i) }).name;
				return `… ${frames(box.n)}${trunk ? ' shared by all stacks' : ''}: ${
					short(box.i)} → ${short(view.target(box.i))}`;
			}
			return box.n ? `… ${frames(box.n)}` : this.view.text(box.i);
		}

		values(box) {
			const view = this.view, [top, from] = this.focus();
			if (this.tree.base)
				return this.compare(box);
			let text = `${this.amount(box.value)}, ${percent(box.value, view.total[0])}`;
			if (top && !from && !box.above && box.i !== top)
				text += ` (${percent(box.value, view.total[top])} of the zoomed frame)`;
			if (!box.n && view.self[box.i] > 0 && view.self[box.i] < box.value)
				text += `; itself ${this.amount(view.self[box.i])}`;
			return text + this.against(box);
		}

		/* The total of everything shown. */
		whole() {
			const all = { i: 0, end: this.view.n, n: 1, value: this.view.total[0] };
			return this.tree.base ? this.compare(all) : this.amount(all.value) + this.against(all);
		}

		/* "; at 42.00 % of roofline, 1.234 ms above roofline", and the time that this covers. */
		against(box) {
			const found = this.view.efficiency(box);
			if (!found)
				return '';
			const { roofed, fraction, lost } = found;
			const part = roofed < 0.995 * box.value ? ` (for ${time(roofed)} with a roofline)` : '';
			return `; at ${percent(fraction, 1)} of roofline${part}, ${time(lost)} above roofline`;
		}

		compare(box) {
			const both = this.view.both(box), [before, after] = both;
			const own = [this.view.before[box.i], this.view.after[box.i]];
			let text = `${time(before)} → ${time(after)}, ${change(both)} (${relative(both, 2)})`;
			if (!box.n && own[0] !== own[1] && (own[0] !== before || own[1] !== after))
				text += `; itself ${change(own)}`;
			return text;
		}

		/* The frames of a band, one per line. */
		list(box) {
			const lines = [];
			for (let i = box.i; i < box.end; i++) {
				const frame = jrFlame.parts(this.view.text(i));
				lines.push(frame ? `${frame.name}  ${frame.place}` : this.view.text(i));
			}
			return lines;
		}

		/* The small print behind the values of a box. `frame`: its parts, undefined for others. */
		more(box, frame) {
			if (box.undrawn)
				return `This frame has no width here${
					this.tree.base ? '; press w to change what the width shows' : ''}.`;
			if (box.band)
				return this.list(box).join(' → ');
			if (this.view.count[box.i])
				return 'The smallest frames of a large profile are not on this page. The files '
					+ 'next to it contain them.';
			return frame ? frame.path : '';
		}
	}

	Object.assign(jrFlame, { State, MIN_LABEL, WIDTHS, BY_KIND, BY_ROOF, relative });
})();
