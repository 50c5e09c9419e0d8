/*
 * timeline_data.js - the slices of a timeline: unpacked, summed up over any stretch of time, and as
 * rectangles for a number of pixels. Nothing here touches the document.
 *
 * The packed bytes (src/report/trace/page_pack.c) hold JSON, then columns of varints. The JSON:
 *   names, ops, src, at, kind, flops, bytes, of   per thing (an op, or a name): its name, op_name,
 *       FILE:LINE, anchor of that line (0: none), row of `kinds`, FLOPs, bytes, share of the roofline
 *   lanes    [group, name, number of slices, 0 compute | 1 communication | 2 host]
 *   kinds    [role, meaning, outlined?, px of a stripe, px between two, role of stripes]: the last
 *       three only if areas have stripes
 *   steps    [from, to, number];  windows  [from, to], outside of which nothing is in the page
 *   total    number of steps of the profile
 *   begin    time 0 of the page, since the time 0 of --time
 *   home     number of the step to show first, or -1
 *   path     [lane, slice, ...] of the critical path of that step
 *   first    groups whose lanes are shown first; empty: no preference
 *   strip    0, or { rows: [name, group with lanes, ...], columns: [first step, last step], kinds }:
 *       all devices by step; kinds 1: step times, 2: and waiting
 *   left     a sentence: what is left out; 0: nothing
 * All times are ns. The slices of one lane do not overlap.
 */
const jrTimeline = (() => {
	'use strict';

	const MOST = 16; // groups side by side

	/* The first index in [low, high) whose value is at least v, or high. */
	const lower = (values, v, low, high) => {
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (values[middle] < v)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	};

	class Lane {
		constructor([group, name, n, sort]) {
			Object.assign(this, { group, name, n, sort });
			this.thing = new Uint32Array(n);
			this.start = new Float64Array(n);
			this.end = new Float64Array(n);
		}

		/* After the columns are filled: kinds, given those of things, and sums before each slice. */
		index(kinds) {
			this.kind = Uint8Array.from(this.thing, (thing) => kinds[thing]);
			this.before = new Float64Array(this.n + 1);
			for (let i = 0; i < this.n; i++)
				this.before[i + 1] = this.before[i] + this.length(i);
		}

		length(i) {
			return this.end[i] - this.start[i];
		}

		/* The longest slice of [from, to), which is not empty, among those of a kind if one is given. */
		longest(from, to, kind) {
			let best = -1;
			for (let i = from; i < to; i++)
				if ((kind === undefined || this.kind[i] === kind)
					&& (best < 0 || this.length(i) > this.length(best)))
					best = i;
			return best;
		}

		/* The longest slice of the kind that takes most of the time of [from, to). */
		leading(from, to) {
			if (to - from === 1)
				return from;
			const sums = new Float64Array(256);
			for (let i = from; i < to; i++)
				sums[this.kind[i]] += this.length(i);
			let most = this.kind[from];
			sums.forEach((sum, kind) => most = sum > sums[most] ? kind : most);
			return this.longest(from, to, most);
		}

		/* The slices that overlap [from, to): [first, end of them). */
		within(from, to) {
			let first = lower(this.end, from, 0, this.n);
			while (first < this.n && this.end[first] === from && this.start[first] < from)
				first++; // it ends where the stretch begins
			return [first, lower(this.start, to, first, this.n)];
		}

		/* Exact time in slices within [from, to). */
		busy(from, to) {
			const [a, b] = this.within(from, to);
			return a >= b ? 0 : this.before[b] - this.before[a]
				- Math.max(0, from - this.start[a]) - Math.max(0, this.end[b - 1] - to);
		}

		/* The slice at time t, or within `near` of it; -1: none. */
		at(t, near) {
			const [a, b] = this.within(t - near, t + near);
			let i = lower(this.end, t, a, b);
			if (i < b && this.end[i] === t)
				i++;
			return a >= b ? -1 : i < b && this.start[i] <= t ? i : this.longest(a, b);
		}

		/*
		 * Rectangles of [from, to) on `width` pixels: [x, width, height, slice, ...], height as a
		 * share of the lane's. A slice of a pixel or more is a rectangle of full height. Shorter ones
		 * that begin in one pixel are one column, as high as their sum is long, with leading().
		 */
		pixels(from, to, width) {
			const scale = width / (to - from), out = [];
			let [i, end] = this.within(from, to);
			while (i < end) {
				const x = (this.start[i] - from) * scale, w = this.length(i) * scale;
				if (w >= 1) {
					out.push(x, w, 1, i++);
					continue;
				}
				const column = Math.floor(x), next = from + (column + 1) / scale;
				let j = Math.max(i + 1, lower(this.start, next, i, end));
				if (j > i + 1 && this.length(j - 1) * scale >= 1)
					j--;
				out.push(column, 1, Math.min(1, (this.before[j] - this.before[i]) * scale),
					this.leading(i, j));
				i = j;
			}
			return out;
		}
	}

	/* Time of `lanes` by pixel of [from, to) and kind: [width * kinds] in ns. */
	const shares = (lanes, from, to, width, kinds) => {
		const sums = new Float64Array(width * kinds), scale = width / (to - from);
		for (const lane of lanes) {
			const [first, end] = lane.within(from, to);
			for (let i = first; i < end; i++) {
				const a = Math.max(0, (lane.start[i] - from) * scale);
				const b = Math.min(width, (lane.end[i] - from) * scale);
				for (let x = Math.floor(a); x < b; x++)
					sums[x * kinds + lane.kind[i]] += (Math.min(b, x + 1) - Math.max(a, x)) / scale;
			}
		}
		return sums;
	};

	/*
	 * All windows side by side on `width` px, with `gap` px for what is between two of them and not in
	 * the page: { parts: [{ from, to, x, w }], x(t), t(x) }; parts are whole px. Outside of the
	 * windows, x() is that of the nearest end.
	 */
	const overview = (windows, width, gap) => {
		const whole = windows.reduce((sum, [from, to]) => sum + to - from, 0);
		const room = Math.max(0, width - gap * (windows.length - 1));
		let before = 0;
		const parts = windows.map(([from, to], i) => {
			const x = Math.round(room * before / whole), end = room * (before += to - from) / whole;
			return { from, to, x: x + gap * i, w: Math.round(end) - x };
		});
		const share = (v, low, high) => Math.max(0, Math.min(1, (v - low) / (high - low || 1)));
		const last = (key, v) => parts.findLast((part) => part[key] <= v) || parts[0];
		return { parts,
			x: (t) => {
				const part = last('from', t), next = parts[parts.indexOf(part) + 1];
				return next && next.from - t < t - part.to ? next.x
					: part.x + part.w * share(t, part.from, part.to);
			},
			t: (px) => {
				const { from, to, x, w } = last('x', px);
				return from + (to - from) * share(px, x, x + w);
			} };
	};

	/* A cell of the strip in ns from three digits and a power of ten; NaN: unknown. */
	const decoded = (code) => code >= 10000 ? NaN : Math.floor(code / 10) * 10 ** (code % 10);

	/* From the unpacked bytes. */
	const parse = (bytes) => {
		let at = 0;
		const varint = () => {
			let value = 0, unit = 1, byte;
			do {
				byte = bytes[at++];
				value += (byte & 127) * unit;
				unit *= 128;
			} while (byte & 128);
			return value;
		};
		const size = varint();
		const data = JSON.parse(new TextDecoder().decode(bytes.subarray(at, at + size)));
		at += size;
		const lanes = data.lanes.map((lane) => new Lane(lane));
		const each = (column, of) => {
			for (const lane of of)
				for (let i = 0; i < lane.n; i++)
					column(lane, i);
		};
		each((lane, i) => lane.thing[i] = varint(), lanes);
		each((lane, i) => lane.start[i] = varint(), lanes);
		each((lane, i) => {
			lane.start[i] += i ? lane.end[i - 1] : 0;
			lane.end[i] = lane.start[i] + varint();
		}, lanes);
		const waiting = lanes.filter(({ sort }) => sort === 1);
		for (const lane of waiting)
			lane.wait = new Float64Array(lane.n);
		each((lane, i) => lane.wait[i] = varint(), waiting);
		for (const lane of lanes)
			lane.index(data.kind);
		if (data.strip) {
			const { rows, columns, kinds } = data.strip, n = rows.length * columns.length;
			data.strip.ns = Array.from({ length: kinds },
				() => Float64Array.from({ length: n }, () => decoded(varint())));
		}
		let end = 0;
		for (const lane of lanes)
			end = Math.max(end, lane.n ? lane.end[lane.n - 1] : 0);
		return { ...data, lanes, span: [0, end] };
	};

	/* From the text of the page; rejected if the browser cannot decompress. */
	const unpack = async (text) => {
		const packed = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
		const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
		return parse(new Uint8Array(await new Response(stream).arrayBuffer()));
	};

	/* Per thing, what the lanes ran in [from, to): { thing, time, count, longest }, by time. */
	const summary = (lanes, from, to) => {
		const rows = new Map();
		for (const lane of lanes) {
			const [a, b] = lane.within(from, to);
			for (let i = a; i < b; i++) {
				const thing = lane.thing[i];
				const time = Math.min(to, lane.end[i]) - Math.max(from, lane.start[i]);
				const row = rows.get(thing) || { thing, time: 0, count: 0, longest: 0 };
				row.time += time;
				row.count++;
				row.longest = Math.max(row.longest, time);
				rows.set(thing, row);
			}
		}
		return [...rows.values()].sort((a, b) => b.time - a.time || a.thing - b.thing);
	};

	/* Steps of the axis: a round number of ns such that at most `most` fit into `span`. */
	const step = (span, most) => {
		const power = 10 ** Math.floor(Math.log10(span / most));
		return power * [1, 2, 5, 10].find((m) => span / (power * m) <= most);
	};

	const UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];
	/* "12.35 ms": `digits` significant ones, or all of the integer part. */
	const time = (ns, digits = 4) => {
		const [size, unit] = UNITS.find(([size]) => Math.abs(ns) >= size) || UNITS[3];
		const whole = Math.max(1, Math.floor(Math.log10(Math.abs(ns) / size || 1)) + 1);
		const decimals = unit === 'ns' ? 0 : Math.max(0, digits - whole);
		return `${(ns / size).toFixed(decimals).replace('-', '−')}\u00a0${unit}`;
	};

	/*
	 * The things to which a search leads: those with the text in one of the lists, or if there are
	 * none, those that match it as a regular expression. null: no text.
	 */
	const matching = (query, lists) => {
		const text = query.trim().toLowerCase(), all = [...lists[0].keys()];
		const having = (has) => new Set(all.filter((i) => lists.some((list) => list[i] && has(list[i]))));
		const hits = text ? having((name) => name.toLowerCase().includes(text)) : null;
		if (!hits || hits.size)
			return hits;
		try {
			const pattern = new RegExp(query.trim(), 'i');
			return having((name) => pattern.test(name));
		} catch (error) {
			return hits; /* neither in a name nor a regular expression */
		}
	};

	/* Of a slice, the slices of its name that run at the same time, one in each other lane of its
	 * sort: that which ends next to it. */
	const peers = (lanes, lane, i) => lanes.filter((other) =>
		other !== lane && other.sort === lane.sort).flatMap((other) => {
		const [a, b] = other.within(lane.start[i], lane.end[i]);
		let best = -1;
		for (let k = a; k < b; k++)
			if (other.thing[k] === lane.thing[i] && (best < 0
				|| Math.abs(other.end[k] - lane.end[i]) < Math.abs(other.end[best] - lane.end[i])))
				best = k;
		return best < 0 ? [] : [{ lane: other, i: best }];
	});

	const ms = (ns) => (Math.round(ns) / 1e6).toFixed(6).replace(/\.?0+$/, '');
	/* "12.5,14" for the address: ms without trailing zeros. */
	const address = ([from, to]) => `${ms(from)},${ms(to)}`;
	/* The parts of an address, "VIEW&m=MEASURED&b=BAR&q=SEARCH", of which the view is first. */
	const addressParts = (text) => {
		const [view, ...rest] = text.split('&');
		return { view, ...Object.fromEntries(rest.map((part) => [part[0], part.slice(2)])) };
	};
	/* The same as the value of --time, which has whole ns: "12.5ms..14ms". */
	const option = ([from, to]) => {
		const text = address([Math.floor(Math.max(0, from)), Math.ceil(to)]);
		return `${text.replace(',', 'ms..')}ms`;
	};
	/* [from, to] in ns of "12.5,14", or null. */
	const stretch = (text) => {
		const [from, to] = (text || '').split(',').map((part) => /^-?[\d.]+$/.test(part) ? part * 1e6 : NaN);
		return to > from ? [from, to] : null;
	};
	/* The number of a device, from the name of its group. */
	const device = (group) => (group.match(/\d+/) || [''])[0];
	/* The groups that an address lists after its stretch, "12.5,14,3,83"; or null. */
	const devices = (text, groups) => {
		const numbers = new Set(text.split(',').slice(2));
		const found = groups.filter((group) => numbers.has(device(group))).slice(0, MOST);
		return found.length ? found : null;
	};

	/* By row of a strip, from its name: "node7", its only host if no other row has it; "node7 to 12",
	 * its hosts; else undefined. */
	const hosts = (names) => {
		const all = names.map((name) => name.startsWith('Devices ')
			? [...name.matchAll(/“([^”]*)”/g)].map(([, host]) => host) : []);
		const rows = (host) => all.filter((some) => some.includes(host)).length;
		return all.map(([first, last]) => {
			if (!last)
				return first && rows(first) === 1 ? first : undefined;
			let same = 0;
			while (first[same] === last[same])
				same++;
			return `${first} to ${last.slice(last.slice(0, same).search(/\d*$/))}`;
		});
	};

	/* Groups after others are shown: of more than MOST, those shown first leave. */
	const added = (shown, more) => {
		const kept = more.slice(0, MOST), before = [...shown].filter((g) => !kept.includes(g));
		return [...before.slice(Math.max(0, before.length + kept.length - MOST)), ...kept];
	};

	/* [low, high] of a strip's colors. Step times are compared with the shortest. */
	const extent = ({ ns }, kind) => {
		const known = ns[kind].filter((v) => v === v);
		const high = known.reduce((a, b) => Math.max(a, b), 0);
		return [kind ? 0 : known.reduce((a, b) => Math.min(a, b), high), high];
	};
	/* The color of a value, 0 to n - 1; -1: unknown. */
	const level = (value, [low, high], n) => !(value >= 0) ? -1
		: Math.min(n - 1, Math.floor(n * (value - low) / (high - low || 1)));

	return { Lane, MOST, parse, unpack, summary, shares, overview, step, time, matching, peers, ms,
		address, addressParts, option, stretch, device, devices, hosts, added, extent, level, lower };
})();
