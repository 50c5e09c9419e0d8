/*
 * view.js - shared code of a page's interactive charts: their part of the page's address, search,
 * keys, steps from mark to mark, and numbers as text. Nothing here touches the document, so that
 * node can test it. A mark is { row, x, w }; each row is sorted by x.
 */
const jrView = (() => {
	'use strict';

	/* "#t=FROM,TO;ID!STATE;ID!STATE": the timeline's state and each chart's by its id. Other parts
	 * are left out. */
	const decode = (hash) => new Map(hash.slice(1).split(';').map((part) => {
		const at = part.startsWith('t=') ? 1 : part.indexOf('!');
		return at < 0 ? null : [part.slice(0, at), part.slice(at + 1)];
	}).filter(Boolean));
	/* The text without "#" from [id, state]; charts with an empty state are left out. */
	const encode = (states) => states.filter(([, state]) => state)
		.map((pair) => pair.join(pair[0] === 't' ? '=' : '!')).join(';');

	/*
	 * The address of the page holds the state of all its charts, #ID!z=12&s=dot;OTHER!f=1. So do
	 * the history's entries, whose state survives links to other places of the page. A chart has
	 * `id`, link() (its state as text, empty at first), show(link) and appear() (scroll to it).
	 */
	class Links {
		constructor({ history, location }) {
			this.history = history;
			this.location = location;
			this.charts = [];
		}

		/* Add a chart that is created after the address was read. */
		add(chart) {
			const saved = this.history.state && this.history.state.flames, { id } = chart;
			const known = !!saved && id in saved;
			const to = known ? saved[id] : decode(this.location.hash).get(id);
			this.charts.push(chart);
			if (to)
				chart.show(to);
			if (to && !known)
				chart.appear();
			this.write(false, this.location.href);
		}

		states() {
			return this.charts.map((chart) => [chart.id, chart.link()]);
		}

		write(push, url) {
			const { history } = this, flames = Object.fromEntries(this.states());
			try {
				history[push ? 'pushState' : 'replaceState']({ ...history.state, flames }, '', url);
			} catch (error) {
				/* A sandboxed page has no history of its own; it then has no permalink. */
			}
		}

		/* After a chart changed; `push`: back returns from it. */
		remember(push) {
			const { hash, href, pathname, search } = this.location, to = encode(this.states());
			this.write(push, to ? `#${to}` : decode(hash).size ? pathname + search : href);
		}

		/* After the address changed, by a link or by going back. */
		recall() {
			const saved = this.history.state && this.history.state.flames;
			const linked = decode(this.location.hash);
			for (const chart of this.charts) {
				const { id } = chart;
				const to = saved ? saved[id] || '' : linked.size ? linked.get(id) || '' : undefined;
				if (to !== undefined && to !== chart.link())
					chart.show(to);
				if (!saved && linked.has(id))
					chart.appear();
			}
			if (!saved)
				this.write(false, this.location.href);
		}
	}

	/* A regular expression, its hits, and the current hit. */
	class Search {
		constructor() {
			this.set('');
		}

		set(query) {
			this.query = query;
			this.step = -1; // no hit was gone to
			this.found = null; // until run()
			this.invalid = false; // no regular expression
		}

		regexp() {
			return new RegExp(this.query, 'i');
		}

		/* `match` of a regular expression: an object with at least the list `hits`. */
		run(match) {
			this.found = null;
			this.invalid = false;
			try {
				if (this.query)
					this.found = match(this.regexp());
			} catch (error) {
				this.invalid = true;
			}
		}

		count() {
			return this.found ? this.found.hits.length : 0;
		}

		/* The hit `by` (1 or -1) further, cyclically; undefined if there are none. */
		go(by) {
			const n = this.count();
			if (!n)
				return undefined;
			this.step = this.step < 0 ? (by > 0 ? 0 : n - 1) : (this.step + by + n) % n;
			return this.found.hits[this.step];
		}
	}

	/* Call the function of a key, unless a modifier is held. If it returns false, it did nothing
	 * and the browser handles the key. */
	const press = (event, keys) => {
		const act = keys[event.key];
		if (act && !event.ctrlKey && !event.metaKey && !event.altKey && act(event) !== false)
			event.preventDefault();
	};

	/* The mark that an arrow key leads to from `mark` (null: from nowhere), or undefined. `upwards`:
	 * the first row is drawn at the bottom. The next row has the first mark that begins within this
	 * one, the row before has the one over its middle. */
	const walk = (rows, mark, key, upwards) => {
		if (!mark)
			return rows[0][0];
		const { row, x, w } = mark, middle = x + w / 2;
		if (key === 'ArrowLeft' || key === 'ArrowRight')
			return rows[row][rows[row].indexOf(mark) + (key === 'ArrowLeft' ? -1 : 1)];
		if ((key === 'ArrowDown') !== upwards)
			return (rows[row + 1] || []).find((other) => other.x >= x - 1e-6 && other.x < x + w);
		return (rows[row - 1] || []).find((other) =>
			other.x <= middle && middle < other.x + other.w);
	};

	/* The mark of a row at x, or null. */
	const markAt = (row, x) => {
		let low = 0, high = row.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (row[middle].x <= x)
				low = middle + 1;
			else
				high = middle;
		}
		const mark = row[low - 1];
		return mark && x < mark.x + mark.w ? mark : null;
	};

	/* [scale, shift] of the chart at t (0 to 1) of a zoom that moves a mark from `before` to `after`,
	 * slower toward the end. At 1 the chart is as drawn: [1, 0]. */
	const between = (before, after, t) => {
		const scale = before.w / after.w, left = (1 - t) ** 3;
		return [1 + (scale - 1) * left, (before.x - scale * after.x) * left];
	};

	const fixed = (v, digits) => v.toLocaleString('en-US',
		{ minimumFractionDigits: digits, maximumFractionDigits: digits });
	/* Four digits and a decimal unit, as by jr_num_bytes() and jr_num_time(). */
	const scaled = (v, units) => {
		let unit = 0;
		for (; unit + 1 < units.length && v >= 999.95; v /= 1000)
			unit++;
		return `${fixed(v, unit === 0 || v >= 999.95 ? 0 : v >= 99.995 ? 1 : v >= 9.9995 ? 2 : 3)} ${
			units[unit]}`;
	};
	const bytes = (v) => scaled(v, ['B', 'kB', 'MB', 'GB', 'TB']);
	const time = (ns) => ns > 0 && ns < 0.5 ? '<1 ns' : scaled(ns, ['ns', 'µs', 'ms', 's']);
	const percent = (part, whole) => `${fixed(whole > 0 ? 100 * part / whole : 0, 2)} %`;
	const sign = (v) => v > 0 ? '+' : v < 0 ? '−' : '';
	const signed = (v, digits) => `${sign(v)}${fixed(Math.abs(v), digits)}`;

	const links = typeof window === 'undefined' ? null : new Links(window);

	/* Names for a list with room for `most` characters: those that would look equal lose what they
	 * begin with, up to the word in which they differ. */
	const apart = (names, most) => names.map((name) => {
		let same = 0;
		for (const other of names.filter((other) => other !== name)) {
			let n = 0;
			while (n < other.length && other[n] === name[n])
				n++;
			same = Math.max(same, n);
		}
		const word = name.slice(0, same).search(/[A-Za-z0-9]*$/);
		const from = same - word > 12 ? same : word;
		return same < most || name.length <= most ? name : `${name.slice(0, 10)}…${name.slice(from)}`;
	});

	return { decode, encode, links, Links, Search, press, walk, markAt, between, fixed, time, bytes,
		percent, sign, signed, apart };
})();
