/*
 * page.js - what a script adds to a page that is complete without one: it marks the section in
 * view, sorts, filters and copies tables, opens long names, and lets the reader choose the theme.
 *
 * It sets classes, attributes and text only: no inline style, no HTML from strings, no eval.
 */
(() => {
	'use strict';

	const root = document.documentElement;
	root.classList.add('js');

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
	const button = (parent, text, title, onclick) => {
		const node = element('button', '', parent, text);
		node.type = 'button';
		if (title)
			node.title = title;
		node.addEventListener('click', onclick);
		return node;
	};

	/* --- theme: as the system has it, until chosen ------------------------------------------- */

	const side = document.querySelector('.side');
	const dark = () => root.dataset.theme ? root.dataset.theme === 'dark' :
		matchMedia('(prefers-color-scheme: dark)').matches;
	if (side) {
		const toggle = button(side, '', 'Switch between light and dark', () => {
			root.dataset.theme = dark() ? 'light' : 'dark';
			name();
		});
		const name = () => {
			toggle.textContent = dark() ? 'Light' : 'Dark';
			toggle.setAttribute('aria-label', `Switch to the ${dark() ? 'light' : 'dark'} theme`);
		};
		name();
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', name);
	}

	/* --- the section in view ----------------------------------------------------------------- */

	const links = new Map([...document.querySelectorAll('.side li a')]
		.map((a) => [a.hash.slice(1), a]));
	const sections = [...document.querySelectorAll('main > section')];
	let current = null, due = false;
	const mark = () => {
		due = false;
		let seen = sections[0];
		for (const section of sections)
			if (section.getBoundingClientRect().top < Math.min(innerHeight * 0.3, scrollY))
				seen = section;
		if (scrollY + innerHeight >= root.scrollHeight - 4)
			seen = sections[sections.length - 1];
		const link = seen && links.get(seen.id);
		if (!link || link === current)
			return;
		if (current)
			current.removeAttribute('aria-current');
		current = link;
		link.setAttribute('aria-current', 'true');
		const box = link.getBoundingClientRect(), frame = side.getBoundingClientRect();
		if (box.left < frame.left || box.right > frame.right)
			side.scrollTo({ left: side.scrollLeft + box.left - frame.left - 60 });
		if (box.top < frame.top || box.bottom > frame.bottom)
			side.scrollTo({ top: side.scrollTop + box.top - frame.top - 60 });
	};
	const later = () => {
		if (!due)
			requestAnimationFrame(mark);
		due = true;
	};
	addEventListener('scroll', later, { passive: true });
	addEventListener('resize', later);
	later();

	/* --- tables ------------------------------------------------------------------------------ */

	/* Units of cells whose rows have different ones: of time in s, of size in bytes. */
	const UNITS = { ns: 1e-9, 'µs': 1e-6, ms: 1e-3, s: 1, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };
	const number = (cell) => {
		const text = cell.dataset.v ??
			cell.textContent.trim().replace(/ [±(].*/, '').replace(/[,\s%≈]/g, '').replace('−', '-');
		const [, digits, unit] = /^(.*\d)([nµm]?s|[kMGT]?B)$/.exec(text) || ['', text, 's'];
		if (digits.startsWith('<'))
			return Number(digits.slice(1)) / 2 * UNITS[unit];
		return digits === '–' || digits === '' ? NaN : Number(digits) * UNITS[unit];
	};
	/* Numbers in names count by their value. The browser's collator takes 10 ms of each load. */
	const pieces = (text) => text.toLowerCase().match(/\d+|\D+/g) ?? [];
	const compare = (a, b) => {
		for (let i = 0; i < a.length && i < b.length; i++) {
			const by = a[i] - b[i] || (a[i] > b[i]) - (a[i] < b[i]);
			if (by)
				return by;
		}
		return a.length - b.length;
	};

	/* The copied form: header and rows of texts; numbers in CSV have no separators and one column
	 * each. */
	const single = (row, parts, names) => row.flatMap((text, i) => !parts[i] ? [text] : names ?
		parts[i].map((name, k) => k ? name : text.replace(/ ±| \(95 %\)/, '')) :
		parts[i].map((_, k) => text.split(/ ± | \(| … |\)$/)[k] ?? ''));
	const forms = {
		CSV: (head, rows, kinds, parts) => {
			const numeric = kinds.flatMap((kind, i) => (parts[i] ?? [0]).map(() => kind));
			const quoted = (text) => /[",]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
			const cell = (text, i) => numeric[i] ?
				quoted(text.replace(/,/g, '').replace('−', '-').replace(/^–$/, '')) : quoted(text);
			return [single(head, parts, true).map(quoted),
				...rows.map((row) => single(row, parts).map(cell))]
				.map((row) => `${row.join(',')}\n`).join('');
		},
		Markdown: (head, rows, numeric) => {
			const line = (row) => `| ${row.join(' | ')} |\n`;
			const safe = (text) => text.replace(/[\\|<>\x60*_]/g, '\\$&');
			return line(head.map(safe)) + line(numeric.map((n) => n ? '---:' : '---'))
				+ rows.map((row) => line(row.map(safe))).join('');
		},
	};

	class Table {
		constructor(box) {
			this.box = box;
			this.table = box.querySelector('table');
			this.bodies = [...this.table.tBodies].filter((b) => !b.classList.contains('always'));
			this.rows = this.bodies.flatMap((b) => [...b.rows]);
			this.sizes = this.bodies.map((b) => b.rows.length);
			this.frozen = false;
			this.order = this.rows;
			this.toggle = box.querySelector('input.toggle');
			this.heads = this.table.tHead ? [...this.table.tHead.rows[0].cells] : [];
			if (this.rows.length > 1)
				this.heads.forEach((th, column) => this.addSort(th, column));
			if (this.rows.length > 10)
				this.addTools();
		}

		addSort(th, column) {
			const head = element('button', '');
			head.type = 'button';
			head.append(...th.childNodes);
			th.append(head);
			head.addEventListener('click', () => {
				const numeric = th.matches('.n, .q');
				const cycle = numeric ? ['descending', 'ascending', null] :
					['ascending', 'descending', null];
				const next = cycle[(cycle.indexOf(th.getAttribute('aria-sort')) + 1) % 3];
				for (const other of this.heads)
					other.removeAttribute('aria-sort');
				if (next)
					th.setAttribute('aria-sort', next);
				this.sort(column, numeric, next);
			});
		}

		sort(column, numeric, direction) {
			this.order = this.rows;
			if (direction) {
				const sign = direction === 'ascending' ? 1 : -1;
				const keyed = this.rows.map((row) => {
					const cell = row.cells[column];
					return { row, key: numeric ? number(cell) : pieces(cell.textContent) };
				});
				const absent = (k) => numeric ? Number.isNaN(k) : k[0] === '–';
				keyed.sort((a, b) => absent(a.key) || absent(b.key) ?
					absent(a.key) - absent(b.key) :
					sign * (numeric ? a.key - b.key : compare(a.key, b.key)));
				this.order = keyed.map((k) => k.row);
			}
			this.place();
		}

		/* Rows that match come first, so that the first ones fill the part always shown. */
		place() {
			const words = this.filter ? this.filter.value.toLowerCase().split(/\s+/).filter(Boolean) : [];
			const shown = [], others = [];
			for (const row of this.order) {
				const text = words.length ? row.textContent.toLowerCase() : '';
				const match = words.every((word) => text.includes(word));
				row.hidden = !match;
				(match ? shown : others).push(row);
			}
			const all = shown.concat(others);
			let from = 0;
			this.bodies.forEach((body, i) => {
				body.append(...all.slice(from, from + this.sizes[i]));
				from += this.sizes[i];
			});
			if (this.status)
				this.status.textContent = this.told(words.length > 0, shown.length, all.length);
		}

		/* Of a filter that finds nothing: where else there is something to look in. */
		told(filtered, shown, all) {
			if (!filtered || shown)
				return filtered ? `${shown} of ${all} rows` : '';
			const more = this.box.querySelector('.remainder');
			return `No row contains “${this.filter.value.trim()}”.${more ? ` ${more.textContent}` : ''}`;
		}

		/* Columns stay as wide as they are while rows come and go, until the window changes. */
		freeze(frozen) {
			if (frozen === this.frozen)
				return;
			this.frozen = frozen;
			const widths = this.heads.map((th) => th.getBoundingClientRect().width);
			this.heads.forEach((th, i) => {
				th.style.minWidth = frozen ? `${widths[i]}px` : '';
			});
			if (frozen)
				addEventListener('resize', () => this.freeze(false), { once: true });
		}

		addTools() {
			const tools = element('div', 'tools');
			this.box.prepend(tools);
			this.status = element('span', '', tools);
			this.status.setAttribute('role', 'status');
			for (const [name, form] of Object.entries(forms)) {
				const copy = button(tools, name, `Copy the visible rows as ${name}`, () => {
					this.copy(form).then(() => copy.textContent = 'Copied',
						() => copy.textContent = 'Failed');
					setTimeout(() => copy.textContent = name, 1500);
				});
			}
			this.filter = element('input', '', tools);
			this.filter.type = 'search';
			this.filter.placeholder = 'Filter rows';
			this.filter.setAttribute('aria-label', 'Filter the rows of this table');
			this.filter.addEventListener('input', () => {
				if (this.toggle && this.filter.value)
					this.toggle.checked = true;
				this.freeze(this.filter.value !== '');
				this.place();
			});
		}

		async copy(form) {
			const numeric = this.heads.map((th) => th.classList.contains('n'));
			const parts = this.heads.map((th) => th.dataset.parts?.split('|'));
			const cells = (row) => [...row].map((c) => c.textContent.replace(/\s+/g, ' ').trim());
			const rows = this.order.filter((row) => !row.hidden).map((row) => cells(row.cells));
			const text = form(cells(this.heads), rows, numeric, parts);
			if (navigator.clipboard)
				return navigator.clipboard.writeText(text);
			const area = element('textarea', 'hidden', document.body, text);
			area.select();
			const done = document.execCommand('copy');
			area.remove();
			if (!done)
				throw new Error('not allowed');
		}
	}

	/* Tables are set up with their sections (below), or when a click reaches one before that. */
	const asleep = new Set([...document.querySelectorAll('.table')]
		.filter((box) => box.querySelector('tbody')));
	const wake = (box) => asleep.delete(box) && new Table(box);
	document.addEventListener('click', (event) => {
		const th = event.target.closest('.table thead th');
		if (th && wake(th.closest('.table')))
			th.querySelector('button')?.click();
	});

	/* --- keyboard access to what scrolls sideways --------------------------------------------- */

	const sideways = new ResizeObserver((entries) => {
		for (const { target } of entries) {
			const more = target.scrollWidth > target.clientWidth;
			target.classList.toggle('scrolls', more);
			if (more)
				target.tabIndex = 0;
			else
				target.removeAttribute('tabindex');
		}
	});
	for (const box of document.querySelectorAll('.scroll, .picture[tabindex]'))
		sideways.observe(box);

	/* --- long names -------------------------------------------------------------------------- */

	document.addEventListener('click', (event) => {
		const cut = event.target.closest('.cut');
		if (cut && getSelection().isCollapsed)
			cut.classList.toggle('open');
	});
	document.addEventListener('mouseover', (event) => {
		const cut = event.target.closest('.cut');
		if (cut && !cut.title)
			cut.title = cut.textContent;
	});

	/* --- layout ------------------------------------------------------------------------------ */

	/* Lay out what is out of sight in idle moments, so that nothing moves when the reader gets
	 * there. */
	const idle = (work) => window.requestIdleCallback ? requestIdleCallback(work, { timeout: 1000 })
		: setTimeout(work, 50);
	const waiting = sections.slice();
	const lay = () => {
		const section = waiting.shift();
		if (!section)
			return;
		section.querySelectorAll('.table').forEach(wake);
		section.classList.add('laid');
		requestAnimationFrame(() => idle(lay));
	};
	addEventListener('load', () => idle(lay));
})();
