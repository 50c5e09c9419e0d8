/*
 * The checks of tests/browser/run. usage: node browser.js REPORT-FOLDER...
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { check, checkColumns, main, met, open, session } = require('./session');

const SECTIONS = ['overview', 'notes', 'glossary'];
const WIDTHS = [1440, 768, 360];
/* Sections that not every report has. */
const SOUGHT = ['a long table', 'a column of numbers', 'a column of several units', 'a flamegraph',
	'lines with time',
	'a link from a thunk to its line', 'a link from a finding to a line', 'a link from a finding to a row',
	'a link from a finding to a section', 'a long table without a script'];

/* Everything in report.json must be on the page. */
async function checkContent(page, report, folder) {
	const flat = (text) => text.replace(/\s+/g, ' ');
	for (const id of SECTIONS)
		check(await page.locator(`section#${id}`).count() === 1, `section ${id}`);
	const links = await page.locator('nav li a').evaluateAll(
		(all) => all.map((a) => a.getAttribute('href').slice(1)));
	for (const id of links)
		check(await page.locator(`section[id="${id}"]`).isVisible(), `section ${id} of the list`);
	const notes = flat(await page.locator('section#notes').textContent());
	for (const { section, reason } of report.unavailable)
		check(!links.includes(section) && notes.includes(flat(reason)),
			`it is said why ${section} is not there`, reason);
	for (const [name, graph] of Object.entries(report.flamegraphs))
		if (graph.stacks > 0 && name !== 'lost') /* which is only in data files */
			check(await page.locator(`svg[id="fig-${name}"]`).count() === 1, `flamegraph ${name}`);
	const figures = path.join(folder, 'figures');
	for (const file of fs.existsSync(figures) ? fs.readdirSync(figures) : []) {
		if (file.endsWith('.interactive.svg')) {
			check(await page.locator(`a[href="figures/${file}"]`).isVisible(), `link to ${file}`);
			continue;
		}
		const still = page.locator(`[id="fig-${path.basename(file, '.svg')}"]`);
		const figure = page.locator('figure.live', { has: still }); // timeline.js has taken its place
		const picture = await figure.count() ? figure.locator('canvas.main') : still;
		check(await picture.count() === 1 && await picture.isVisible(), `figure ${file}`);
		const box = await picture.boundingBox();
		check(box && box.width > 100 && box.height > 20, `size of ${file}`, JSON.stringify(box));
	}
	/* A finding that is part of another one is in its evidence. */
	const findings = flat((await page.locator('.findings').allTextContents()).join(' ')).toLowerCase();
	for (const finding of report.findings) {
		const text = finding.part_of ? finding.evidence.split('. ')[0] : finding.title;
		check(findings.includes(flat(text).toLowerCase()), `finding ${text}`);
	}
	const modules = await page.locator('section#modules').textContent();
	for (const row of report.modules.slice(0, 20))
		check(modules.includes(row.name), `module ${row.name}`);
	const headings = await page.locator('h1, h2, h3').evaluateAll(
		(all) => all.map((h) => Number(h.localName[1])));
	check(headings[0] === 1 && headings.filter((h) => h === 1).length === 1, 'one h1, first');
	check(headings.every((h, i) => i === 0 || h <= headings[i - 1] + 1), 'headings in order');
	/* after "!" comes the figure's state */
	const broken = await page.evaluate(() => [...document.querySelectorAll('a[href^="#"]')]
		.map((a) => a.getAttribute('href').slice(1).split('!')[0])
		.filter((id) => id && !document.getElementById(id)));
	check(broken.length === 0, 'links within the page', broken.join(' '));
	for (const href of await page.locator('a[href^="data/"]').evaluateAll(
		(all) => all.map((a) => a.getAttribute('href'))))
		check(fs.existsSync(path.join(folder, href)), `file ${href}`);
}

/* Only content with its own scroll bar is wider than the window. */
async function checkWidths(page) {
	for (const width of WIDTHS) {
		await page.setViewportSize({ width, height: 900 });
		const wide = await page.evaluate(() => document.documentElement.scrollWidth);
		check(wide <= width, `fits ${width} px`, `${wide} px`);
	}
	await page.setViewportSize({ width: WIDTHS[0], height: 900 });
	await checkColumns(page);
	/* a number and its unit stay on one line */
	const apart = await page.evaluate(() => {
		const unit = /\d (%|ns|µs|ms|s|[kMGT]?B|GB\/s)(?![\w-])/;
		return [...document.querySelectorAll('main p, .findings strong, figcaption p, dd')]
			.filter((e) => getComputedStyle(e).whiteSpace === 'normal' && unit.test(
				[...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join('|')))
			.map((e) => e.textContent.slice(0, 60));
	});
	check(apart.length === 0, 'numbers and their units', apart.slice(0, 3).join(' | '));
}

const texts = (rows, column) => rows.evaluateAll((all, c) => all.filter((r) => !r.hidden)
	.map((r) => r.cells[c].textContent.trim()), column);

/* Copies match the shown table, in both forms. */
async function checkCopy(page, box, n) {
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	const copied = async (name) => {
		await box.getByRole('button', { name }).click();
		return (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
	};
	const columns = await box.locator('thead th').count();
	const csv = await copied('CSV');
	check(csv.length === n + 2 && csv[n + 1] === '', 'CSV: a line a row', csv.length);
	const fields = csv.slice(0, -1).map((line) => line.match(/("([^"]|"")*"|[^,]*)(,|$)/g).length);
	/* a mean and its deviation are in one cell, and in two columns of CSV */
	const more = await box.locator('thead th[data-parts]').evaluateAll((all) => all
		.reduce((sum, th) => sum + th.dataset.parts.split('|').length - 1, 0));
	check(fields.every((f) => f === columns + more || f === columns + more + 1), 'CSV: all columns',
		fields[0]);
	if (more)
		check(!/[±…]/.test(csv.slice(1).join('')), 'CSV: a number a column', csv[1]);
	const markdown = await copied('Markdown');
	check(markdown.length === n + 3 && /^\| (:?-+:? \| )*-+:? \|$/.test(markdown[1]),
		'Markdown: a line a row', markdown[1]);
	check(markdown.slice(0, -1).every((line) => line.replace(/\\./g, '').split('|').length
		=== columns + 2), 'Markdown: all columns');
}

/* A column whose cells have units of their own sorts by quantity. */
async function checkUnits(page) {
	const box = page.locator('#t-what_if'), rows = box.locator('tbody tr');
	if (await rows.count() < 3)
		return;
	const scale = { ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9 };
	const column = (await box.locator('thead th').allTextContents()).findIndex((t) => /^Saved/.test(t));
	const sorted = [];
	for (const order of ['descending', 'ascending', 'none']) {
		await box.locator('thead th').nth(column).locator('button').click();
		const ns = (await texts(rows, column)).map((t) => t.split(/\s/)).map(([n, unit]) =>
			Number(n.replace(/,/g, '')) * scale[unit]);
		sorted.push(order === 'none' || ns.every((v, i) => i === 0
			|| (order === 'descending' ? v <= ns[i - 1] : v >= ns[i - 1])));
		if (new Set((await texts(rows, column)).map((t) => t.split(/\s/)[1])).size > 1)
			met('a column of several units');
	}
	check(column >= 0 && sorted.every(Boolean), 'quantities are sorted', sorted);
}

async function checkTable(page) {
	const box = page.locator('section:not(#overview) > .table:has(input.toggle)').first();
	if (await box.count() === 0)
		return;
	met('a long table');
	const rows = box.locator('tbody:not(.always) tr');
	const shown = async () => (await rows.evaluateAll((all) => all.filter((r) => r.offsetParent)
		.length));
	const n = await rows.count();
	check(await shown() === 10, 'first rows of a long table', await shown());
	await box.locator('label.toggle').click();
	check(await shown() === n, 'all rows of a long table', `${await shown()} of ${n}`);

	const heads = box.locator('thead th');
	const column = (await heads.evaluateAll((all) => all.map((th) => th.className)))
		.indexOf('n');
	if (column >= 0) {
		met('a column of numbers');
		const number = (t) => Number(t.replace(/[,<]/g, ''));
		await heads.nth(column).locator('button').click();
		check(await heads.nth(column).getAttribute('aria-sort') === 'descending', 'aria-sort');
		const values = (await texts(rows, column)).filter((t) => t !== '–').map(number);
		check(values.every((v, i) => i === 0 || !(v > values[i - 1])), 'sorted descending',
			values.slice(0, 5).join(' '));
		await heads.nth(column).locator('button').press('Enter');
		const up = (await texts(rows, column)).filter((t) => t !== '–').map(number);
		check(up.every((v, i) => i === 0 || !(v < up[i - 1])), 'sorted ascending',
			up.slice(0, 5).join(' '));
		await heads.nth(column).locator('button').click();
	}

	const name = (await rows.last().innerText()).split(/\s+/).find((word) => word.length > 3);
	const stops = await box.locator('.tools :is(input, button)').evaluateAll((all) =>
		all.map((e) => e.getBoundingClientRect()).map((r) => r.top * 1e4 + r.left));
	check(stops.every((x, i) => i === 0 || x > stops[i - 1]), 'tools are met in the order they stand in',
		stops.join(' '));
	const widths = () => box.locator('thead').first().locator('th').evaluateAll((all) =>
		all.map((th) => th.getBoundingClientRect().width));
	await box.locator('.tools input').fill('z');
	const before = await widths();
	await box.locator('.tools input').fill('zzzz');
	const after = await widths();
	check(before.every((w, i) => Math.abs(w - after[i]) <= 1), 'columns keep their width', after.join(' '));
	check((await box.locator('[role=status]').innerText()).startsWith('No row contains “zzzz”'),
		'a filter that finds nothing says so');
	await box.locator('.tools input').fill(name);
	const left = await rows.evaluateAll((all) => all.filter((r) => !r.hidden)
		.map((r) => r.textContent.toLowerCase()));
	check(left.length > 0 && left.length <= n && left.every((t) => t.includes(name.toLowerCase())),
		`filter '${name}'`, `${left.length} of ${n}`);
	check((await box.locator('[role=status]').innerText()).startsWith(`${left.length} of ${n}`),
		'filter says how many');
	await checkCopy(page, box, left.length);
	await box.locator('.tools input').fill('');
	check(await shown() === n, 'filter cleared');
}

async function checkFlame(page, report) {
	for (const name of Object.keys(report.flamegraphs)) {
		const figure = page.locator(`figure:has(svg[id="fig-${name}"])`);
		if (await figure.count() === 0)
			continue;
		met('a flamegraph');
		const svg = figure.locator('svg.jr-flame');
		const drawn = () => svg.locator('.jr-frames').innerHTML();
		const before = await drawn();
		check(before.length > 50, `frames of ${name}`);
		await figure.locator('input').fill('.');
		check(/%/.test(await figure.locator('.jr-flame-matched').innerText()),
			`share that a search of ${name} finds`);
		await figure.locator('input').fill('');
		await svg.focus();
		for (const key of ['ArrowDown', 'ArrowDown', 'Enter'])
			await page.keyboard.press(key);
		const reset = figure.locator('button', { hasText: 'Reset' });
		check(await reset.isEnabled(), `keys zoom into ${name}`);
		await reset.click();
		check(await reset.isDisabled(), `reset of ${name}`);
	}
}

/* From a line to its frames, from a thunk's row and from a frame to its line. */
async function checkSource(page) {
	const lines = page.locator('.listing[open] tbody tr:has(th a)');
	if (await lines.count() === 0)
		return;
	met('lines with time');
	const line = lines.first();
	const number = (await line.locator('th a').innerText()).trim();
	await line.locator('th a').click();
	const figure = page.locator('figure:has(svg[id="fig-source_code"])');
	check((await figure.locator('input').inputValue()).includes(`:${number}[`), 'line finds frames');
	const matched = await figure.locator('.jr-flame-matched').innerText();
	check(parseFloat(matched.replace('matched: ', '')) > 0, 'frames of a line', matched);
	await figure.locator('button', { hasText: 'Reset' }).click();

	const link = page.locator('#t-thunks tbody a[href^="#src-"]').first();
	if (await link.count()) {
		met('a link from a thunk to its line');
		const target = (await link.getAttribute('href')).slice(1);
		await link.click();
		check(await page.locator(`[id="${target}"]`).isVisible(), 'thunk leads to its line', target);
	}
	const frames = await page.evaluate(() => JSON.parse(document.querySelector(
		'script.jr-flame-data[data-figure="fig-source_code"]').textContent));
	check(frames.h && frames.h.every((href) => /^#src-\d+-\d+$/.test(href)), 'frames have links');
	const missing = await page.evaluate((all) => all.filter(
		(href) => !document.getElementById(href.slice(1))), frames.h || []);
	check(missing.length === 0, 'links of frames lead somewhere', missing.slice(0, 3).join(' '));
	/* the keyboard: walk down until a frame has a line, then s */
	const svg = figure.locator('svg.jr-flame');
	await svg.focus();
	await page.evaluate(() => { location.hash = '#top'; });
	for (let i = 0; i < 40 && !await page.evaluate(() => location.hash.startsWith('#src-')); i++) {
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('s');
	}
	check(await page.evaluate(() => location.hash.startsWith('#src-')), 's shows the source line');
}

/* Links of a finding lead to what they name: in view, and not below the bar at the top of narrow
 * windows, also in folded source files and below rows that are not listed at first. */
async function checkFindingLinks(browser, url) {
	for (const width of [1300, 390]) {
		const view = await open(browser, url, { viewport: { width, height: 900 } });
		const links = view.page.locator('.findings a[href^="#"]:not([data-find])');
		const hrefs = await links.evaluateAll((all) => all.map((a) => a.getAttribute('href')));
		for (const href of new Set(hrefs)) {
			await view.page.evaluate(() => {
				for (const details of document.querySelectorAll('.findings details'))
					details.open = true;
			});
			await links.nth(hrefs.indexOf(href)).click();
			/* sections before it are laid out on the way */
			const seen = await view.page.waitForFunction((id) => {
				const target = document.getElementById(id), box = target.getBoundingClientRect();
				const hit = document.elementFromPoint(Math.max(box.left, 0) + 8, box.top + 4);
				return box.height > 0 && box.top >= 0 && box.top < innerHeight && target.contains(hit);
			}, href.slice(1), { timeout: 5000 }).then(() => true, () => false);
			check(seen, `${href} of a finding is in view at ${width} px`);
			met(/^#src-/.test(href) ? 'a link from a finding to a line' : /-\d+$/.test(href)
				? 'a link from a finding to a row' : 'a link from a finding to a section');
		}
		await view.close();
	}
}

/* A link leads to the start of its section, also while sections in between are not laid out. */
async function checkLinks(browser, url) {
	const view = await open(browser, url);
	const links = view.page.locator('nav li a');
	const n = await links.count();
	for (const i of [n - 1, n >> 1, 1]) {
		await view.page.goto('about:blank');
		view.bad.length = 0;
		await view.page.goto(url);
		await links.nth(i).click();
		const id = (await links.nth(i).getAttribute('href')).slice(1);
		const at = await view.page.evaluate(async (name) => {
			const waiting = () => document.querySelector('main > section:not(.laid)');
			for (let left = 200; left > 0 && waiting(); left--)
				await new Promise((resolve) => setTimeout(resolve, 50));
			return waiting() ? 'not laid out' : [document.getElementById(name)
				.getBoundingClientRect().top, document.documentElement.scrollHeight - scrollY
				- innerHeight];
		}, id);
		check(at[0] >= 0 && (at[0] < 30 || at[1] < 2), `link to ${id}`, at);
	}
	await view.close();
}

/* Links, buttons and labels are at least 24 px high, except in charts. */
async function checkTargets(page) {
	const small = await page.evaluate(() => {
		const closed = [...document.querySelectorAll('details:not([open])')];
		closed.forEach((details) => details.open = true);
		const found = [...document.querySelectorAll('a[href], button, summary, select, label')]
			.filter((node) => !node.closest('svg') && node.checkVisibility()
				&& node.getBoundingClientRect().height < 24 - 0.05)
			.map((node) => `${node.localName} “${node.textContent.slice(0, 30)}” in ${
				node.parentElement.localName}.${node.parentElement.className}: ${
				node.getBoundingClientRect().height.toFixed(1)}`);
		closed.forEach((details) => details.open = false);
		return found;
	});
	check(small.length === 0, 'targets of 24 px', `${small.length}: ${small.slice(0, 4).join('; ')}`);
}

/* The switch is in sight, also if the list of sections is longer than the window. */
async function checkTheme(page) {
	const size = page.viewportSize();
	for (const height of [320, size.height]) {
		await page.setViewportSize({ width: 1300, height });
		const box = await page.locator('.side button').boundingBox();
		const seen = await page.evaluate(({ x, y, width, height: h }) => document.elementFromPoint(
			x + width / 2, y + h / 2)?.matches('.side button'), box);
		check(seen && box.y + box.height <= height, `the switch of the theme at ${height} px`,
			`${box.y} + ${box.height}`);
	}
	await page.setViewportSize(size);
	const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	const before = await background();
	await page.locator('.side button').click();
	check(await background() !== before, 'theme changes');
	await page.locator('.side button').click();
	check(await background() === before, 'theme changes back');
}

/* Without a script: the same text, all rows accessible. */
async function checkStill(browser, url, text) {
	const still = await open(browser, url, { javaScriptEnabled: false,
		viewport: { width: WIDTHS[0], height: 900 } });
	const page = still.page;
	check(await page.locator('main').isVisible(), 'without script: visible');
	for (const part of text)
		check((await page.locator('main').innerText()).includes(part), `without script: ${part}`);
	check(await page.locator('thead button').count() === 0, 'without script: no dead buttons');
	const tall = await page.locator('#thunks tbody tr').evaluateAll((rows) => rows.filter((row) =>
		row.getBoundingClientRect().height > 6.5 * parseFloat(getComputedStyle(row).lineHeight))
		.map((row) => `${row.id} ${row.getBoundingClientRect().height}`));
	check(tall.length === 0, 'without script: rows of at most six lines', tall.slice(0, 3).join(' '));
	const box = page.locator('section > .table:has(input.toggle)').first();
	if (await box.count()) {
		met('a long table without a script');
		const last = box.locator('tbody.rest tr').last();
		check(!await last.isVisible(), 'without script: more rows are folded away');
		await box.locator('label.toggle').click();
		check(await last.isVisible(), 'without script: more rows unfold');
	}
	await still.close();
}

/* Without a style sheet, as with a strict server policy: charts keep colors and labels. */
async function checkPlain(browser, folder) {
	const file = path.join(folder, 'plain.html');
	fs.writeFileSync(file, fs.readFileSync(path.join(folder, 'index.html'), 'utf8')
		.replace(/<style>[^<]*<\/style>/, ''));
	const view = await open(browser, pathToFileURL(path.resolve(file)).href,
		{ javaScriptEnabled: false });
	const wrong = await view.page.evaluate(() => {
		const of = (selector) => [...document.querySelectorAll(`svg.jr-figure ${selector}`)];
		const black = of('[class*="f-"]:not([class*="f-ink"])').filter((node) =>
			getComputedStyle(node).fill === 'rgb(0, 0, 0)');
		const start = of('text.ae').filter((node) => getComputedStyle(node).textAnchor !== 'end');
		return { black: black.length, start: start.length, sheets: document.styleSheets.length };
	});
	check(wrong.sheets === 0 && wrong.black === 0 && wrong.start === 0, 'without style sheet',
		JSON.stringify(wrong));
	fs.unlinkSync(file);
	await view.close();
}

async function checkReport(browser, folder) {
	const report = JSON.parse(fs.readFileSync(path.join(folder, 'report.json'), 'utf8'));
	const url = pathToFileURL(path.resolve(folder, 'index.html')).href;
	session.subject = path.basename(folder);
	for (const colorScheme of ['light', 'dark']) {
		const view = await open(browser, url,
			{ colorScheme, viewport: { width: WIDTHS[0], height: 900 } });
		await checkContent(view.page, report, folder);
		await checkWidths(view.page);
		await checkTable(view.page);
		await checkUnits(view.page);
		await checkFlame(view.page, report);
		await checkSource(view.page);
		await checkTheme(view.page);
		await checkTargets(view.page);
		if (colorScheme === 'dark') {
			const titles = await view.page.locator('h2').evaluateAll(
				(all) => all.map((h) => h.firstChild.textContent));
			await checkStill(browser, url, titles.slice(1));
			await checkLinks(browser, url);
			await checkFindingLinks(browser, url);
			await checkPlain(browser, folder);
		}
		await view.close();
	}
}

main('browser', async (browser, folders) => {
	for (const folder of folders)
		await checkReport(browser, folder);
}, SOUGHT);
