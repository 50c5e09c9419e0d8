/*
 * flame_tree.js - the packed tree of a flamegraph (render/flame_pack.c), the frames to show, and
 * their positions. Nothing here touches the page; flame_draw.js and flame.js do.
 */
const jrFlame = (() => {
	'use strict';

	const MIN = 1; // px, JR_FLAME_MIN: narrower siblings are gathered
	const MIN_FOLD = 4; // JR_FLAME_MIN_FOLD
	const FRAME = /^(.*\/)?([^/]*?):(\d+)(?::\d+)?\[(.+)\]$/;
	const ALL = 0, NO_WRAPPERS = 1, NO_LIBRARIES = 2;
	const NEUTRAL = 'a-unknown s-unknown';
	/* Which run sets the widths of frames in a comparison. */
	const AFTER = 'new', BEFORE = 'base', CHANGE = 'change';
	const BOUNDS = [0.01, 0.03, 0.1, 0.3], TINTS = [5, 5, 6, 2, 4];

	/* "FILE:LINE[:COLUMN][FUNCTION]" split into parts; undefined if it is not a frame. */
	const parts = (text) => {
		const found = FRAME.exec(text);
		return found ? { name: found[4], place: `${found[2]}:${found[3]}`,
			path: text.slice(0, text.lastIndexOf('[', text.length - found[4].length - 1)) } : undefined;
	};

	/* How much a value changed, -4 to 4: the rule is in render/flame_diff.h. */
	const step = (before, after) => {
		const change = Math.abs(after - before);
		let steps = 0;
		while (steps < BOUNDS.length && change > 0 && change >= BOUNDS[steps] * before)
			steps++;
		return after < before ? -steps : steps;
	};
	const stepStyle = (steps) => `f-${steps > 0 ? 'slower' : steps < 0 ? 'faster' : 'unknown'} t${
		TINTS[Math.abs(steps)]}`;

	/* Bounds of the classes of efficiency: upper bounds on the share of roofline. */
	const ROOFS = [0.1, 0.25, 0.5, 0.75];
	const roofClass = (efficiency) => 1 + ROOFS.filter((bound) => efficiency >= bound).length;

	/* Frames in preorder; index 0 is the row above everything. */
	class Tree {
		constructor(packed) {
			const n = packed.n.length + 1;
			let before = '';
			const rests = []; // of the names, after what they share with the one before
			this.n = n;
			this.names = packed.q.map((rest, i) => {
				rests[i] = typeof rest === 'number' ? rests[i - rest] : rest;
				return before = before.slice(0, packed.p[i]) + rests[i];
			});
			this.tints = packed.t;
			this.roles = packed.roles;
			this.hems = packed.hems;
			this.rootName = packed.root;
			this.wrappers = new Set(packed.w);
			this.links = new Map((packed.l || []).map((name, i) => [name, packed.h[i]]));
			this.name = new Int32Array(n).fill(-1);
			this.count = new Int32Array(n); // > 0: so many frames that were left out of the page
			this.role = new Uint8Array(n);
			this.parent = new Int32Array(n).fill(-1);
			this.self = new Float64Array(n);
			this.library = packed.roles.indexOf('library');
			this.unknown = this.role[0] = packed.roles.lastIndexOf('unknown');
			for (let i = 1; i < n; i++) {
				const code = packed.r.charCodeAt(i - 1), name = packed.n[i - 1];
				this.name[i] = Math.max(name, -1);
				this.count[i] = Math.max(-name, 0);
				this.role[i] = (code >= 97 ? code - 97 + 26 : code - 65) || this.unknown;
				this.self[i] = packed.s[i - 1];
				this.parent[i] = i - 1;
				for (let up = packed.u[i - 1]; up > 0; up--)
					this.parent[i] = this.parent[this.parent[i]];
			}
			this.leftOut = this.count.reduce((a, b) => a + b, 0);
			this.base = packed.b ? Float64Array.from([0, ...packed.b]) : null; // of a comparison
			this.roofs = packed.e ? this.against(packed.e) : null;
			this.views = new Map();
		}

		/* Of own times: time with a roofline, its roofline time, and time above roofline. */
		against(packed) {
			const roofed = new Float64Array(this.n), roof = new Float64Array(this.n);
			const lost = new Float64Array(this.n);
			for (let i = 1, k = 0; i < this.n; i++) {
				const self = this.self[i], e = self ? packed[k++] : -1;
				if (e !== -1)
					[lost[i], roofed[i], roof[i]] = e.length ? e : [e, self, self - e];
			}
			return [roofed, roof, lost];
		}

		/* Same as jr_flame_style(). */
		style(role, tint = 4) {
			return role === this.unknown ? NEUTRAL : `a-${this.roles[role]} t${(6 + Number(tint)) % 10}`;
		}
		/* Classes of the line along the top edge of a frame with that style; '' if it has none. */
		hem(style) {
			const dash = this.hems[/^[af]-(\S+)/.exec(style)?.[1]];
			return dash === undefined ? '' : `jr-hem s-ink d${dash}`;
		}
		hides(i, level) {
			return this.count[i] === 0 && (level >= NO_WRAPPERS && this.wrappers.has(this.name[i])
				&& this.parent[i] > 0 || level >= NO_LIBRARIES && this.role[i] === this.library);
		}
		/* The runs that differ. */
		levels() {
			const levels = [ALL];
			if (this.wrappers.size)
				levels.push(NO_WRAPPERS);
			if (this.name.some((name, i) => this.hides(i, NO_LIBRARIES) && !this.wrappers.has(name)))
				levels.push(NO_LIBRARIES);
			return levels;
		}
		/* The default, as in the static flamegraph. */
		level() {
			return this.wrappers.size ? NO_WRAPPERS : ALL;
		}
		view(level, by = AFTER) {
			const key = `${level} ${by}`;
			if (!this.views.has(key))
				this.views.set(key, new View(this, level, by));
			return this.views.get(key);
		}
		/* In a comparison: the first that shows anything. */
		width() {
			return this.base && !this.self.some(Boolean) ? BEFORE : AFTER;
		}
	}

	/*
	 * The shown part of a tree: all frames, or those that are not hidden. The time of a hidden
	 * frame stays with its caller, so totals do not change; frames with the same text that become
	 * siblings are merged.
	 */
	class View {
		constructor(tree, level, by) {
			this.tree = tree;
			const kept = level === ALL && !tree.base ? View.everything(tree)
				: View.without(tree, level, by);
			Object.assign(this, kept);
			this.n = this.parent.length;
			this.measure();
			if (tree.base)
				this.upto = [this.before, this.after].map((own) => this.sum(own));
			if (tree.roofs)
				this.roofs = this.ownRoofs.map((own) => this.sum(own));
			this.findRuns();
		}

		static everything(tree) {
			const own = Int32Array.from(tree.name, (_, i) => i);
			return { parent: tree.parent, name: tree.name, role: tree.role, self: tree.self,
				count: tree.count, base: own, at: own, ownRoofs: tree.roofs };
		}

		static without(tree, level, by) {
			const at = new Int32Array(tree.n), children = new Map(), nodes = [{ i: 0, up: -1,
				self: 0, base: 0, count: 0, total: 0, below: [] }];
			for (let i = 1; i < tree.n; i++) {
				const up = at[tree.parent[i]];
				if (tree.hides(i, level)) {
					at[i] = up;
					nodes[up].self += tree.self[i];
					nodes[up].base += tree.base ? tree.base[i] : 0;
					continue;
				}
				const key = up * (tree.names.length + 1) + tree.name[i] + 1;
				let k = children.get(key);
				if (k === undefined) {
					children.set(key, k = nodes.length);
					nodes[up].below.push(k);
					nodes.push({ i, up, self: 0, base: 0, count: 0, total: 0, below: [] });
				}
				at[i] = k;
				nodes[k].self += tree.self[i];
				nodes[k].base += tree.base ? tree.base[i] : 0;
				nodes[k].count += tree.count[i];
			}
			for (const node of nodes)
				node.weight = by === BEFORE ? node.base
					: by === CHANGE ? Math.abs(node.self - node.base) : node.self;
			for (let k = nodes.length - 1; k >= 0; k--) {
				nodes[k].total += nodes[k].weight;
				if (k > 0)
					nodes[nodes[k].up].total += nodes[k].total;
			}
			return View.inOrder(tree, nodes, at);
		}

		/* Preorder, siblings by total, then name: as in the static flamegraph. */
		static inOrder(tree, nodes, at) {
			const n = nodes.length, place = new Int32Array(n), stack = [0];
			const out = { parent: new Int32Array(n), name: new Int32Array(n), role: new Uint8Array(n),
				self: new Float64Array(n), count: new Int32Array(n), base: new Int32Array(n),
				before: new Float64Array(n), after: new Float64Array(n) };
			for (let next = 0; stack.length; next++) {
				const k = stack.pop(), node = nodes[k];
				place[k] = next;
				out.parent[next] = k ? place[node.up] : -1;
				out.name[next] = tree.name[node.i];
				out.role[next] = tree.role[node.i];
				out.self[next] = node.weight;
				out.before[next] = node.base;
				out.after[next] = node.self;
				out.count[next] = node.count;
				out.base[next] = node.i;
				node.below.sort((a, b) => nodes[a].total - nodes[b].total
					|| tree.name[nodes[b].i] - tree.name[nodes[a].i]);
				stack.push(...node.below);
			}
			out.at = at.map((k) => place[k]);
			out.ownRoofs = tree.roofs && tree.roofs.map((own) => {
				const sums = new Float64Array(n);
				own.forEach((value, i) => sums[out.at[i]] += value);
				return sums;
			});
			return out;
		}

		measure() {
			const n = this.n;
			this.depth = new Int32Array(n);
			this.end = new Int32Array(n);
			this.total = new Float64Array(n);
			this.frames = new Int32Array(n + 1); // how many stand before i, those left out counted
			for (let i = 0; i < n; i++) {
				this.frames[i + 1] = this.frames[i] + (this.count[i] || 1);
				if (i > 0)
					this.depth[i] = this.depth[this.parent[i]] + 1;
			}
			for (let i = n - 1; i >= 0; i--) {
				const parent = this.parent[i];
				this.total[i] += this.self[i];
				this.end[i] = Math.max(this.end[i], i + 1);
				if (i === 0)
					break;
				this.total[parent] += this.total[i];
				this.end[parent] = Math.max(this.end[parent], this.end[i]);
			}
		}

		/* Own values of the first i frames, prefix sums, so that differences are totals. */
		sum(own) {
			const sums = new Float64Array(this.n + 1);
			for (let i = 0; i < this.n; i++)
				sums[i + 1] = sums[i] + own[i];
			return sums;
		}
		within(box, sums) {
			return sums[Math.max(box.end, this.end[box.i])] - sums[box.i];
		}
		/* Times of a box in the base and in the new run. */
		both(box) {
			return this.upto.map((sums) => this.within(box, sums));
		}
		/* A box compared with the rooflines of its kernels; null if none has one. */
		efficiency(box) {
			if (!this.roofs)
				return null;
			const [roofed, roof, lost] = this.roofs.map((sums) => this.within(box, sums));
			return roofed > 0 ? { roofed, lost, fraction: roof / roofed } : null;
		}

		/* Runs that are folded into one band: the rule is in render/flame_impl.h. */
		findRuns() {
			const { n, depth, total } = this;
			this.run = new Int32Array(n); // frames of the band that begins here
			this.runOf = new Int32Array(n).fill(-1); // where the band that a frame is in begins
			for (let i = 1, last, half = 0; i < n; i = last + 1) {
				last = i;
				if (depth[i] === 1) {
					half = total[i] / 2;
					continue;
				}
				while (last + 1 < n && depth[last + 1] > depth[last] && total[last + 1] === total[last])
					last++;
				const passage = this.tree.wrappers.has(this.name[last]) && this.self[last] === 0;
				const frames = last - i + (passage ? 1 : 0);
				if (frames >= MIN_FOLD && total[i] > 0 && total[i] >= half) {
					this.run[i] = frames;
					this.runOf.fill(i, i, i + frames);
				}
			}
		}

		/* Return true if all known stacks begin with frame i. */
		isTrunk(i) {
			const root = this.parent[i], idle = (k) => this.role[k] === this.tree.unknown;
			if (this.depth[i] !== 2 || i !== root + 1)
				return false;
			for (let k = this.end[i]; k < this.end[root]; k = this.end[k])
				if (this.total[k] > 0 && this.role[k] !== this.tree.unknown)
					return false;
			for (let k = 1; k < this.n; k = this.end[k])
				if (k !== root && this.total[k] > 0 && !idle(k))
					return false;
			return true;
		}

		/* The last frame of a band that is not only a wrapper. */
		target(i) {
			let last = i + this.run[i] - 1;
			while (last > i && this.tree.wrappers.has(this.name[last]))
				last--;
			return this.tree.wrappers.has(this.name[last]) ? i + this.run[i] - 1 : last;
		}

		/* The roles that frames have. */
		roles() {
			return new Set(this.role.filter((_, i) => i > 0 && this.total[i] > 0));
		}
		text(i) {
			return i === 0 ? this.tree.rootName : this.tree.names[this.name[i]];
		}
		/* "#fragment" of the page with more about a frame, or undefined. */
		link(i) {
			return this.tree.links.get(this.name[i]);
		}
		style(i) {
			return this.tree.style(this.role[i], this.tree.tints[this.name[i]]);
		}

		/*
		 * Boxes that show frame `top` at full width: its ancestors over it, and everything below it
		 * in proportion. `from` > 0: show only its children from there on. `folded(i)`: whether
		 * the run that begins at i is one band. A box represents frames [i, end) of this view.
		 */
		layout(top, from, width, folded) {
			const out = [], { parent, total, end } = this;
			const row = new Int32Array(this.n), next = new Float64Array(this.n);
			const path = [];
			for (let i = top; i >= 0; i = parent[i])
				path.unshift(i);
			for (let k = 0, r = 0; k < path.length; r++) {
				const i = path[k], band = folded(i) ? this.run[i] : 0;
				row[path[k + (band || 1) - 1]] = r;
				out.push({ x: 0, w: width, row: r, i, end: i + (band || 1), band: band > 0, n: band,
					value: total[i], above: i !== top || from > 0 });
				k += band || 1;
			}
			let whole = total[top];
			if (from > 0)
				for (let i = (whole = 0, from); i < end[top]; i = end[i])
					whole += total[i];
			const scale = whole > 0 ? width / whole : 0;
			for (let i = from || top + 1; i < end[top];) {
				const up = parent[i], r = row[up] + 1, x = next[up], w = total[i] * scale;
				const box = { x, w, row: r, i, end: i + 1, band: false, n: 0, value: total[i],
					above: false };
				if (this.count[i] > 0 && w >= MIN) {
					box.n = this.count[i];
				} else if (w < MIN) {
					box.end = end[up];
					box.n = this.frames[box.end] - this.frames[i];
					for (let k = end[i]; k < box.end; k = end[k])
						box.value += total[k];
					box.w = box.value * scale;
				} else if (folded(i)) {
					box.end = i + this.run[i];
					box.band = true;
					box.n = this.run[i];
				}
				if (box.value > 0)
					out.push(box);
				next[up] = x + box.w;
				next[box.end - 1] = x;
				row[box.end - 1] = r;
				i = box.end;
			}
			return out;
		}

		/*
		 * Frames whose text matches, and the time below them; nested matches count once.
		 * before[i] is the number of matches among frames [0, i).
		 */
		match(regexp) {
			const hit = this.tree.names.map((name) => regexp.test(name));
			const before = new Int32Array(this.n + 1), hits = [];
			let covered = 0, value = 0;
			for (let i = 0; i < this.n; i++) {
				const is = this.name[i] >= 0 && hit[this.name[i]];
				before[i + 1] = before[i] + (is ? 1 : 0);
				if (!is)
					continue;
				hits.push(i);
				if (i >= covered) {
					value += this.total[i];
					covered = this.end[i];
				}
			}
			return { before, value, hits };
		}
	}

	/* Widths of text in the page's font, one character at a time, and labels cut to a width. */
	class Ruler {
		constructor(fontFamily) {
			const canvas = document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas');
			this.pen = canvas.getContext('2d');
			this.pen.font = `12px ${fontFamily}`;
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
			const frame = parts(text);
			if (frame) {
				const whole = this.fit(`${frame.name}\u00A0 ${frame.place}`, room);
				return whole.length >= frame.name.length + 8 ? whole
					: this.fit(/^(<|__.)/.test(frame.name) ? frame.place : frame.name, room);
			}
			if (this.width(text) <= room)
				return text;
			for (let at = text.indexOf('/'); at >= 0; at = text.indexOf('/', at + 1)) {
				const tail = `…${text.slice(at)}`;
				if (tail.length > 2 && this.width(tail) <= room)
					return tail;
			}
			const [path] = text.split('[', 1);
			return this.fit(text.slice(path.slice(0, -1).lastIndexOf('/') + 1), room);
		}
	}

	return { Tree, Ruler, parts, step, stepStyle, ALL, NO_WRAPPERS, NO_LIBRARIES, AFTER, BEFORE,
		CHANGE, BOUNDS, ROOFS, roofClass, NEUTRAL };
})();
