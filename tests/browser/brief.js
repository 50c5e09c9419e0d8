/*
 * The first view of a page: the answer and the advice on the first screen, on a desktop and on a
 * phone; rows ordered by potential saving; tables and charts that follow the window.
 * usage: node brief.js REPORT-FOLDER...
 */
'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { check, main, met, open, session } = require('./session');

const REAL = 'maxtext_fsdp4.zip'; // an input whose page is measured
/* Other reports, by their folder: the flamegraphs of a comparison take the same height at any width. */
const WIDE = { pax: 0.82, pax_compared: 0.85, export: 0.88, xspace: 0.88 };
const SOUGHT = ['three findings', 'bars of findings', 'printed tables', 'a table of more than five rows', 'divided bars',
	'a source with its folder', 'terms of a section', 'more devices than are shown one by one',
	'points of a figure', 'charts in two sizes', 'tools of a table', 'names in a history'];

const top = (page, selector) => page.evaluate((s) => {
	const node = document.querySelector(s);
	return node && node.getBoundingClientRect().top + scrollY;
}, selector);

/* The headline is the largest text, and the advice is on the screen. */
async function checkDesk(page, report) {
	await page.setViewportSize({ width: 1300, height: 900 });
	const twice = await page.locator('.picture').evaluateAll((all) => all
		.filter((p) => [...p.querySelectorAll('svg')].filter((s) => getComputedStyle(s).display !== 'none')
			.length !== 1).length);
	check(twice === 0, 'of two sizes of a picture one is shown', twice);
	if (await page.locator('#fig-timeline').count()) {
		const second = await page.locator('main section').nth(1).getAttribute('id');
		check(second === 'timeline', 'the step view is below the head', second);
	}
	const sizes = await page.evaluate(() => [...document.querySelectorAll('main *')]
		.filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()))
		.map((e) => [parseFloat(getComputedStyle(e).fontSize), e.localName]));
	const largest = Math.max(...sizes.map(([size]) => size));
	check(sizes.every(([size, name]) => size < largest || name === 'h1'), 'the headline is the largest');
	const headline = (await page.locator('h1').innerText())
		.replace(/\u2060/g, '').replace(/\s+/g, ' ');
	const said = report.verdict?.sentence ?? report.verdict; /* a history has one per run */
	if (said)
		check(said.replace(/\s+/g, ' ').startsWith(headline), 'the headline is the verdict', headline);
	if (await page.locator('.findings:not(.plain) > li').count() > 2) {
		met('three findings');
		const third = await top(page, '.findings > li:nth-child(3)');
		check(third < 900, 'the third finding is on the first screen', third);
	}
	const closed = await page.locator('.findings details:not([open]) > summary').evaluateAll(
		(all) => all.map((s) => s.getBoundingClientRect().height));
	check(closed.every((h) => h <= 44), 'a folded finding is one row', closed.join(' '));
}

/* No line of prose can break within a range, or between a number and its unit. */
async function checkNumbers(page, where) {
	const apart = await page.evaluate(() => [...document.querySelectorAll(
		'h1, h2, p, summary, li, td')].filter((e) => !e.closest('[class*=legend]'))
		.flatMap((e) => [...e.childNodes].filter((n) => n.nodeType === 3).map(({ data }) => data))
		.filter((text) => /\d [nµm]?s(?![\w-])|\d %|\d [kMGT]i?B(?!\w)|\d [GT]FLOP|\S–\d/.test(text))
		.filter((text) => !/^\S+ \S+$/.test(text) || /–/.test(text))); /* cells do not wrap */
	check(apart.length === 0, `numbers keep their units in ${where}`, apart.slice(0, 3).join(' | '));
}

/* One name per number: nearly equal times of the head are the same. */
async function checkHead(page, report) {
	if (!report.schema.startsWith('jaxreport.report'))
		return; /* over several runs the same number differs slightly */
	const told = await page.locator('h1, .facts').first().evaluate(() => [document.querySelector('h1'),
		document.querySelector('.facts')].filter(Boolean).map((e) => e.textContent).join(' '));
	const units = { ns: 1, '\u00b5s': 1e3, ms: 1e6, s: 1e9 };
	const times = [...told.matchAll(/([\d,.]+)\s(ns|\u00b5s|ms|s)\b/g)]
		.map(([, n, unit]) => Number(n.replace(/,/g, '')) * units[unit]).filter((ns) => ns > 0);
	const near = times.flatMap((a) => times.filter((b) => a < b && b < 1.01 * a).map((b) => `${a} ${b}`));
	check(near.length === 0, 'one name a time of the head', near.join(', '));
}

/* The list of sections marks the section in view. */
async function checkFollows(page) {
	await page.setViewportSize({ width: 1300, height: 900 });
	const ids = await page.locator('main section[id]').evaluateAll((all) => all.map((s) => s.id));
	const id = ids[Math.floor(ids.length / 2)];
	await page.evaluate((h) => document.getElementById(h).scrollIntoView(), id);
	let marked = false;
	for (let tries = 0; tries < 50 && !marked; tries++) {
		await page.waitForTimeout(100);
		marked = await page.evaluate((h) => {
			const section = document.getElementById(h);
			if (section.getBoundingClientRect().top > innerHeight * 0.25)
				section.scrollIntoView(); /* sections before it were laid out on the way */
			return document.querySelector('nav [aria-current]')?.hash === `#${h}`;
		}, id);
	}
	check(marked, `the list of sections follows to ${id}`);
}

/* The bars' widths are the potential savings as shares of the step, or of the time of all devices. */
async function checkBars(page, report) {
	const rows = await page.locator('.findings:not(.plain)').first().locator('summary').evaluateAll(
		(all) => all.map((s) => [s.querySelector('strong').textContent.replace(/\s+/g, ' '),
			s.querySelector('rect')?.getBoundingClientRect().width ?? 0,
			s.querySelector('svg').getBoundingClientRect().width]));
	if (!rows.some(([, width]) => width > 0))
		return;
	met('bars of findings');
	// What is paid once has no bar among savings per step.
	const perStep = report.findings.some((f) => f.step_recoverable_ms !== null);
	const won = new Map(report.findings.map((f) => [f.title.replace(/\s+/g, ' '),
		(perStep ? f.step_recoverable_ms : f.recoverable_ms) ?? 0]));
	const whole = perStep ? Math.max(...report.findings.filter((f) => f.step_without_ms !== null)
		.map((f) => f.step_recoverable_ms + f.step_without_ms)) : report.gpu.wall_ms;
	/* the legend has the colors of the bars, no others, each once */
	const fills = (selector) => page.locator(selector).evaluateAll((all) =>
		[...new Set(all.map((rect) => getComputedStyle(rect).fill))].sort().join(' '));
	const [bars, legend] = [await fills('main > section:first-of-type .findings rect'),
		await fills('main > section:first-of-type .severities rect')];
	check(legend === bars && await page.locator('main > section:first-of-type .severities span').count()
		=== bars.split(' rgb').length, 'a legend of the bars', `${legend}, not ${bars}`);
	for (const [title, width, room] of rows)
		check(Math.abs(width - room * won.get(title) / whole) <= 1, `bar of ${title}`, width);
}

/* The first finding's bar and title are on the first screen, with any fonts. */
async function checkPhone(page) {
	await page.setViewportSize({ width: 390, height: 844 });
	const first = await top(page, '.findings > li');
	check(first === null || first < 700, 'a telephone shows the first finding', first);
	const links = page.locator('nav .groups a');
	check(await links.count() > 0 && !await links.first().isVisible(), 'the list of sections is folded');
	await page.locator('label.menu').click();
	check(await links.last().isVisible(), 'one tap shows all sections');
	await page.locator('label.menu').click();
	const bars = await page.locator('.bar-rows').evaluateAll(
		(all) => all.map((b) => [b.scrollWidth, b.clientWidth]));
	if (bars.length)
		met('divided bars');
	check(bars.every(([content, box]) => content <= box), 'divided bars follow the window', bars.join(' '));
	const pictures = await page.evaluate(() => {
		document.querySelectorAll('details').forEach((d) => { d.open = true; });
		return [...document.querySelectorAll('.picture')].filter((p) => p.clientWidth)
			.map((p) => [p.querySelector('svg').id, p.scrollWidth, p.clientWidth]);
	});
	const cut = pictures.filter(([, content, box]) => content > box);
	check(cut.length === 0, 'pictures fit a telephone', cut.join(' '));
	const small = await page.locator('svg.narrow').evaluateAll((all) => all
		.filter((svg) => svg.clientWidth && svg.clientWidth < 0.95 * svg.viewBox.baseVal.width).length);
	check(small === 0, 'their text keeps its size', small);
	const beyond = await page.locator('svg.narrow').evaluateAll((all) => all
		.filter((svg) => svg.clientWidth).flatMap((svg) => [...svg.querySelectorAll('text')]
			.filter((text) => {
				const { x, width } = text.getBBox();
				return x < -2 || x + width > svg.viewBox.baseVal.width + 2;
			}).map((text) => `${svg.id}: ${text.textContent}`)));
	check(beyond.length === 0, 'their text ends within them', beyond.join(', '));
	if (await page.locator('svg.narrow').count())
		met('charts in two sizes');
	const heads = await page.locator('.table').evaluateAll((all) => all
		.filter((t) => t.querySelector('tbody th, tbody td')).map((t) => {
			const cell = t.querySelector('tbody tr').cells[0];
			return [getComputedStyle(cell).position, cell.getBoundingClientRect().width];
		}));
	check(heads.every(([position, width]) => position === 'sticky' && width <= 0.6 * 390),
		'what a row is of stays in view', heads.map(([, width]) => width).join(' '));
	const measured = await page.locator('.table').evaluateAll((all) => all
		.map((t) => [t, t.querySelector('tbody td:has(> svg)') ?? [...t.querySelectorAll('thead th')].find(
			(th) => th.matches('.q, :has(.unit)') || /\d [kMGT]?B$/.test(
				t.querySelector('tbody tr')?.cells[th.cellIndex].textContent))])
		.filter(([t, unit]) => t.offsetParent && unit && t.querySelector('tbody td'))
		.map(([t, unit]) => [t.id, Math.round(unit.getBoundingClientRect().right)]));
	const out = measured.filter(([, right]) => right > 390);
	check(out.length === 0, 'what is measured is seen without scrolling', out.join(' '));
	const over = await page.locator('.table tbody :is(td, th)').evaluateAll((all) => all
		.filter((cell) => cell.offsetParent && cell.scrollWidth > cell.clientWidth + 1)
		.map((cell) => `${cell.closest('.table').id}: ${cell.textContent.slice(0, 40)}`));
	check(over.length === 0, 'words stay in their cell', over.slice(0, 5).join(', '));
}

async function checkTables(page) {
	await page.setViewportSize({ width: 1300, height: 900 });
	await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
	const tables = await page.locator('.table').evaluateAll((all) => all.map((t) => {
		const rows = [...t.querySelectorAll('tbody tr')], name = t.id;
		const heads = [...t.querySelectorAll('thead th')].map((th) => th.textContent);
		/* the page has only the first rows of longer tables */
		return { name, n: rows.length, same: heads.length > 2 && rows.length > 5
			&& !/ more rows?/.test(t.querySelector('.remainder')?.textContent) ? heads.filter((_, c) =>
			!rows[0].cells[c].querySelector('svg') && rows[0].cells[c].textContent !== '–'
			&& new Set(rows.map((r) => r.cells[c].textContent)).size === 1) : [] };
	}));
	for (const { name, n, same } of tables) {
		if (n > 5)
			met('a table of more than five rows');
		check(same.length === 0 || name === 't-gates', `${name} says once what all rows have`, same.join(', '));
	}
	const files = page.locator('.cut.file');
	if (await files.count())
		met('a source with its folder');
	const cut = await files.evaluateAll((all) => all.filter((f) => f.offsetParent)
		.map((f) => f.lastElementChild).filter((s) => s.scrollWidth > s.clientWidth && s.clientWidth > 0)
		.map((s) => s.textContent));
	check(cut.length === 0, 'a file and its line are whole', cut.slice(0, 3).join(' '));
	const high = await page.locator('.cut:not(.open)').evaluateAll((all) => all
		.filter((name) => name.offsetHeight > 3.5 * parseFloat(getComputedStyle(name).fontSize) * 1.2)
		.map((name) => `${name.closest('.table')?.id} ${name.textContent}`));
	check(high.length === 0, 'a name takes at most three lines', high.slice(0, 3).join(', '));
	const out = await page.locator('.table td:has(> svg)').evaluateAll((all) => all
		.filter((td) => td.offsetParent && td.lastChild.nodeType === 3).filter((td) => {
			const range = document.createRange();
			range.selectNode(td.lastChild);
			const text = range.getBoundingClientRect();
			const bar = td.firstChild.getBoundingClientRect(); /* beside the number, or below it */
			return text.right > td.getBoundingClientRect().right
				|| (text.left < bar.right && text.bottom > bar.top + 1);
		}).map((td) => `${td.closest('.table').id} ${td.textContent}`));
	check(out.length === 0, 'a number stays in its cell, clear of its bar', out.slice(0, 3).join(', '));
}

/* Desktops show all columns of all tables, unfolded ones too; narrower windows state that there are
 * more, and keep the column that names the rows. */
async function checkFit(page) {
	await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
	const scrolling = () => page.locator('.table .scroll:visible, .listing .scroll:visible').evaluateAll(
		(all) => all.filter((box) => box.scrollWidth > box.clientWidth).map((box) => {
			const said = getComputedStyle(box.querySelector('caption') ?? box, '::after').content;
			const name = box.querySelector('tbody tr')?.cells[0];
			box.scrollLeft = 1000;
			return { name: box.parentNode.id || 'a listing', width: box.scrollWidth - box.clientWidth, said,
				kept: !name || name.getBoundingClientRect().left >= box.getBoundingClientRect().left - 1 };
		}));
	for (const width of [1300, 1920]) {
		await page.setViewportSize({ width, height: 900 });
		const out = (await scrolling()).map((box) => `${box.name} by ${box.width} px`);
		check(out.length === 0, `no table scrolls at ${width} px`, out.join(', '));
	}
	for (const width of [390, 768]) {
		await page.setViewportSize({ width, height: 900 });
		/* the observer of sizes reports after the next layout */
		await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
		const silent = (await scrolling()).filter(({ said, kept }) => !said.startsWith('"Scroll') || !kept);
		check(silent.length === 0, `tables that scroll say so at ${width} px and keep their first column`,
			silent.map(({ name }) => name).join(', '));
	}
}

/* A table's tools come after its caption, in tab order. */
async function checkTools(page) {
	const tools = page.locator('.table:visible > .tools');
	if (!await tools.count())
		return;
	met('tools of a table');
	await page.setViewportSize({ width: 1300, height: 900 });
	const stops = await tools.evaluateAll((all) => all.map((t) => [...t.querySelectorAll('a, button, input')]
		.map((e) => e.getBoundingClientRect()).map((b) => [b.left, b.height])));
	check(stops.every((row) => row.every(([x], i) => !i || x > row[i - 1][0])),
		'from left to right as the tabulator goes', JSON.stringify(stops.slice(0, 2)));
	check(stops.flat().every(([, height]) => height >= 24), 'and large enough to be met',
		Math.min(...stops.flat().map(([, height]) => height)));
	await page.setViewportSize({ width: 390, height: 844 });
	const ahead = await tools.evaluateAll((all) => all.filter((t) => t.getBoundingClientRect().top <
		t.parentNode.querySelector('caption').getBoundingClientRect().top).map((t) => t.parentNode.id));
	check(ahead.length === 0, 'a telephone says what a table is of before what can be done', ahead.join(' '));
}

/* Lines break between words, numbers have a minus, "yes" is a mark; folded content exists. */
async function checkWords(page) {
	const { hyphens, flags, folded } = await page.evaluate(() => {
		const walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
		const hyphens = [];
		for (let node = walk.nextNode(); node; node = walk.nextNode())
			if (/(^|\s)-\d/.test(node.data) && !node.parentNode.closest('code, pre, script, .c, .listing'))
				hyphens.push(node.data.trim().slice(0, 60));
		const cells = [...document.querySelectorAll('.table tbody tr')].flatMap((row) => [...row.cells]);
		const answers = Map.groupBy(cells.filter((c) => /^(yes|no|–)$/.test(c.textContent)),
			(c) => `${c.closest('.table').id} ${c.closest('table').tHead.rows[0].cells[c.cellIndex].textContent}`);
		return { hyphens, flags: [...answers].filter(([, a]) => a.some((c) => c.textContent === 'no')
				&& !a.some((c) => c.textContent === '–')).map(([name]) => name),
			folded: [...document.querySelectorAll('details.fold:not([open])')]
				.filter((d) => !d.querySelector('td, dd')?.textContent).map((d) => d.textContent.slice(0, 40)) };
	});
	check(hyphens.length === 0, 'numbers below 0 have a minus', hyphens.slice(0, 5).join(' | '));
	check(flags.length === 0, 'what is so is marked, what is not is not', flags.join(', '));
	check(folded.length === 0, 'what is folded is in the page', folded.join(', '));
	await page.setViewportSize({ width: 390, height: 844 });
	/* words of prose are not broken if their column has room */
	const parted = await page.locator('.table:visible tbody :is(th, td):first-child:not(.c)').evaluateAll(
		(all) => all.filter((cell) => cell.firstChild?.nodeType === 3 && cell.textContent.split(/[\s\u2013-]+/)
			.some((word) => {
				const from = cell.firstChild.data.indexOf(word), range = document.createRange();
				range.setStart(cell.firstChild, from);
				range.setEnd(cell.firstChild, from + word.length);
				return word.length < 15 && range.getClientRects().length > 1;
			})).map((cell) => cell.textContent));
	check(parted.length === 0, 'names break between words', parted.slice(0, 5).join(', '));
}

/* Compared values fill the plot: the middle 90 % of the points, each drawn with its kind, or of the
 * ends of their ranges, if points are crowded. */
async function checkPoints(page) {
	const spans = await page.locator('svg.jr-figure').evaluateAll((all) => all
		.filter((svg) => /^fig-(steps|collective_bandwidth|collective_wait_by_size|variability)$/.test(svg.id))
		.map((svg) => {
			const lines = [...svg.querySelectorAll('.s-grid path')] /* upright ones are one path */
				.filter((e) => /^(M[\d.]+ [\d.]+v[\d.]+)+$/.test(e.getAttribute('d')))
				.map((e) => e.getBBox());
			const top = Math.min(...lines.map((b) => b.y));
			const height = Math.max(...lines.map((b) => b.height));
			const crowded = svg.textContent.includes('line: range; box: middle half');
			const y = [...svg.querySelectorAll('circle, path')].filter((e) => crowded
				? !e.querySelector('title') && !e.closest('.s-grid, .s-axis') : e.querySelector('title'))
				.map((e) => e.getBBox()).filter((b) => b.width < (crowded ? 1 : 20)) /* wider: lines */
				.flatMap((b) => crowded ? [b.y, b.y + b.height] : [b.y + b.height / 2])
				.filter((at) => at >= top - 1 && at <= top + height + 1).sort((a, b) => a - b);
			const at = (part) => y[Math.round(part * (y.length - 1))];
			return [svg.id, y.length, (at(0.95) - at(0.05)) / height];
		}));
	for (const [name, n, span] of spans.filter(([, n, span]) => n >= 10 && span > 0)) {
		met('points of a figure');
		check(span >= 0.4, `${name}: the middle of ${n} points spans the plot`, span);
	}
}

/* Labels of runs in a history have no line through them. */
async function checkNames(page) {
	await page.setViewportSize({ width: 1300, height: 900 });
	const trend = page.locator('svg#fig-trend');
	if (!await trend.count())
		return;
	const { named, crossed } = await trend.evaluate((svg) => {
		const names = [...svg.querySelectorAll('text.halo')].map((e) => [e.textContent, e.getBBox()]);
		const lines = [...svg.querySelectorAll('path')].filter((e) => !e.closest('.s-grid') &&
			getComputedStyle(e).fill === 'none' && getComputedStyle(e).stroke !== 'none');
		const within = (box, { x, y }) => x > box.x && x < box.x + box.width && y > box.y + 2 &&
			y < box.y + box.height - 2;
		const meets = (line, box) => {
			for (let at = 0, length = line.getTotalLength(); at <= length; at++)
				if (within(box, line.getPointAtLength(at)))
					return true;
			return false;
		};
		return { named: names.length, crossed: names.filter(([, box]) => lines.some(
			(line) => meets(line, box))).map(([name]) => name) };
	});
	if (named)
		met('names in a history');
	check(crossed.length === 0, 'no line runs through a name', crossed.join(', '));
}

/* The table that the colors were measured in (tests/unit/test_scene.c): role, then #rrggbb of its
 * lines and of its areas, light and dark. */
const ROLES = [...fs.readFileSync(path.join(__dirname, '../../render/palette.h'), 'utf8')
	.replace(/[ \t]*\\\n\s*/g, ' ') /* a row may take several lines */
	.matchAll(/JR_ROLE_X\( ?\w+, "([^"]+)", (\w+), (\w+), (\w+), (\w+), (\w+),/g)]
	.map(([, role, ...rest]) => {
		const look = rest.pop();
		const [light, dark, areaLight, areaDark] = rest.map((hex) =>
			`rgb(${[16, 8, 0].map((by) => Number(hex) >> by & 255).join(', ')})`);
		return { role, light: [light, look === 'MARK' ? light : areaLight],
			dark: [dark, look === 'MARK' ? dark : areaDark] };
	});

/* Runs in the page: elements whose computed color differs from the table. */
function otherColors([roles, theme]) {
	const others = [], of = new Map();
	const probe = document.body.appendChild(document.createElement('i'));
	for (const role of roles) {
		const [line, area] = role[theme];
		of.set(`f-${role.role}`, ['fill', line]).set(`s-${role.role}`, ['stroke', line])
			.set(`a-${role.role}`, ['fill', area]);
		for (const [name, color] of [[`--jr-${role.role}`, line], [`--jr-a-${role.role}`, area]]) {
			/* areas with the color of lines have no separate property */
			if (!getComputedStyle(probe).getPropertyValue(name) && line === area && name.startsWith('--jr-a-'))
				continue;
			probe.style.color = `var(${name}, transparent)`;
			if (getComputedStyle(probe).color !== color)
				others.push(`${name} ${getComputedStyle(probe).color}`);
		}
	}
	probe.remove();
	let n = 0;
	for (const node of document.querySelectorAll('svg [class]')) {
		const style = getComputedStyle(node);
		for (const name of node.classList) {
			const [property, color] = of.get(name) ?? [];
			n += property !== undefined;
			if (property && style[property] !== color)
				others.push(`.${name} ${style[property]}`);
		}
	}
	return { n, others: [...new Set(others)] };
}

/* No style sheet overrides a measured color: not the reader's theme, not the page's switch against
 * it, and not on paper, which is always light. */
async function checkColors(page) {
	check(ROLES.length > 40, 'the table of colors is read', ROLES.length);
	for (const [colorScheme, chosen, media, theme] of [['light', '', 'screen', 'light'],
		['dark', '', 'screen', 'dark'], ['dark', 'light', 'screen', 'light'],
		['light', 'dark', 'screen', 'dark'], ['dark', 'dark', 'print', 'light']]) {
		await page.emulateMedia({ colorScheme, media });
		await page.evaluate((to) => {
			if (to)
				document.documentElement.dataset.theme = to;
			else
				delete document.documentElement.dataset.theme;
		}, chosen);
		const { n, others } = await page.evaluate(otherColors, [ROLES, theme]);
		check(n > 20 && others.length === 0,
			`colors of ${media}, ${colorScheme}${chosen && `, switched to ${chosen}`}`,
			`${n}: ${others.slice(0, 5).join('; ')}`);
	}
}

/* Many devices: the slow device and its kernel are shown, and nothing grows with their number. */
async function checkRanks(page, report) {
	if ((report.devices ?? []).length <= 16)
		return;
	met('more devices than are shown one by one');
	const straggler = report.findings.find((f) => f.id === 'straggler');
	const slow = String(report.stragglers[0].device);
	const labels = await page.locator('#ledger .bar-rows').first().locator('.label')
		.allInnerTexts();
	const own = labels.filter((l) => l.replace(/\s/g, ' ').trim().startsWith(`Device ${slow} (`));
	check(own.length === 1 && !own[0].includes('least'), 'the ledger marks the slow one', labels.join(' | '));
	const hosts = new Set(report.devices.map((d) => d.hostname));
	const said = await page.locator('.findings').allInnerTexts();
	check(!straggler || hosts.size < 2 || [...hosts].some((h) => said.join(' ').includes(h)),
		'the host of the slow one has a name');
	const differ = new Set((report.provenance.differences || []).map((d) => d.name));
	const rows = await page.locator('#provenance #t-setting_values tbody tr').count();
	check(rows === differ.size, 'a row a setting that differs', rows);
	const modules = new Set(report.compilation.modules.map((m) => /module=([^,#]*)/.exec(m.name)?.[1]));
	check(await page.locator('#t-compilation_by_module tbody tr').count() === modules.size,
		'a row a module that was compiled');
	check(await page.locator('#t-alignment_range tbody tr').count() === 3, 'a row a figure of clocks');
	const [shown, n] = [report.provenance.hostname, new Set(report.devices.map((d) => d.profile)).size];
	const same = new Set(report.devices.filter((d) => d.hostname === shown).map((d) => d.profile)).size;
	const facts = await page.locator('#provenance .facts > div').allTextContents();
	check(same === n || facts.some((f) => f.startsWith(`Host${shown} in ${same} of ${n.toLocaleString('en')} processes`)),
		'a host that not all are on is not the host', facts.filter((f) => f.startsWith('Host')).join());
	await checkStrip(page, report, slow);
}

/* One cell per device, at every width: the legend counts all of them; the device that delays the
 * others is outlined and named, in the chart and in text. */
async function checkStrip(page, report, slow) {
	const host = report.devices.find((d) => String(d.device) === slow).hostname;
	for (const [width, id] of [[390, 'rank_waits-narrow'], [768, 'rank_waits'], [1300, 'rank_waits'],
		[1920, 'rank_waits']]) {
		await page.setViewportSize({ width, height: 900 });
		const svg = page.locator(`#fig-${id}`);
		check(await svg.isVisible(), `a strip at ${width} px`);
		const drawn = await svg.evaluate((s) => {
			const px = s.getBoundingClientRect().width / s.viewBox.baseVal.width;
			const marked = s.querySelector('.s-ink').getBBox(), side = marked.width + 1;
			const cells = [...s.querySelectorAll('path[class^="f-wait"]')].map((p) => p.getBBox())
				.filter((b) => Math.abs(b.height - marked.height) < 0.2);
			const said = [...s.querySelectorAll('text')].map((t) => t.textContent);
			return { side: side * px, said, bytes: s.outerHTML.length, font: 12 * px,
				n: cells.reduce((sum, b) => sum + (b.width + 1) / side, 0),
				under: s.parentNode.scrollWidth <= s.parentNode.clientWidth };
		});
		const counted = drawn.said.map((t) => / \(([\d,]+)\)$/.exec(t)?.[1]).filter(Boolean)
			.reduce((sum, n) => sum + Number(n.replace(/,/g, '')), 0);
		check(Math.abs(drawn.n - report.devices.length) < 0.5 && counted === report.devices.length,
			`a cell a device at ${width} px`, `${drawn.n}, in words ${counted}`);
		check(drawn.side >= 4.5 && drawn.font >= 11 && drawn.under, 'cells and words can be read',
			`${drawn.side} ${drawn.font}`);
		check(drawn.said.some((t) => t.startsWith(`Device ${slow}`) && t.includes(host)),
			'the slow one has its name in the strip', drawn.said.join(' | '));
		check(drawn.bytes < 4000 + 60 * report.devices.length, 'a strip is small', drawn.bytes);
	}
	const words = await page.locator('figure:has(#fig-rank_waits) figcaption .hidden').textContent();
	check(words.replace(/\s+/g, ' ').includes(`Device ${slow} on “${host}” waits`), 'the same in words', words);
}

/* A section links to the definitions of its numbers, which are folded until then. */
async function checkTerms(page) {
	const links = await page.locator('a.defined').evaluateAll((all) => all.map((a) => a.hash));
	if (!links.length)
		return;
	met('terms of a section');
	for (const hash of links) {
		await page.evaluate((h) => { location.hash = h; }, hash);
		/* sections before it are laid out on the way */
		const shown = await page.waitForFunction((h) => {
			const dl = document.querySelector(h);
			return dl.checkVisibility() && dl.getBoundingClientRect().top < innerHeight
				&& dl.textContent.length > 20;
		}, hash, { timeout: 10000 }).then(() => true, () => false);
		check(shown, `${hash} is unfolded and in view`);
	}
}

/* The title of a printed table, its head and its first rows are on one sheet. */
async function checkHeads(page, file) {
	await page.emulateMedia({ media: 'print' });
	const tables = await page.evaluate(() => [...document.querySelectorAll('.table table')]
		.filter((table) => table.checkVisibility({ contentVisibilityAuto: true }))
		.map((table) => ({ title: table.caption.querySelector('.name:not(.hidden)')?.textContent,
			rows: [...table.querySelectorAll('tbody tr')].slice(0, 2).map((row) =>
				row.cells[0].textContent) }))
		.filter(({ title, rows }) => title && rows.every((text) => text.length < 12)));
	const bare = await page.evaluate(() => [...document.querySelectorAll('main section')].filter((s) =>
		s.checkVisibility() && ![...s.children].some((e) => !e.matches('h2, .summary')
			&& e.checkVisibility())).map((s) => s.id));
	check(bare.length === 0, 'no printed section is a heading alone', bare.join(', '));
	await page.emulateMedia({ media: null });
	const squeeze = (text) => text.replace(/\s+/g, '');
	const sheets = execFileSync('pdftotext', ['-layout', file, '-']).toString().split('\f').map(squeeze);
	for (const { title, rows } of tables) {
		const titled = sheets.filter((sheet) => sheet.includes(squeeze(title)));
		check(titled.some((sheet) => rows.every((text) =>
			sheet.includes(squeeze(text), sheet.indexOf(squeeze(title)) + squeeze(title).length))),
			`“${title}” is on one sheet with its first rows`, rows.join(', '));
	}
	return tables.length;
}

/* Printed pages: few, and only the last may be emptier than a chart makes it. */
async function checkSheets(browser, folder) {
	const { page, close } = await open(browser,
		pathToFileURL(path.resolve(folder, 'index.html')).href, {});
	const file = path.join(folder, 'sheets.pdf');
	await page.pdf({ path: file, format: 'A4',
		margin: { top: '10mm', bottom: '10mm', left: '10mm', right: '10mm' } });
	const drawn = fs.mkdtempSync(path.join(folder, 'sheets'));
	execFileSync('pdftoppm', ['-gray', '-r', '24', file, path.join(drawn, 'p')]);
	const sheets = fs.readdirSync(drawn).sort();
	check(sheets.length <= 14, 'at most 14 sheets', sheets.length);
	for (const sheet of sheets.slice(0, -1)) {
		const data = fs.readFileSync(path.join(drawn, sheet));
		const [head, width, height] = /^P5\s+(\d+)\s+(\d+)\s+\d+\s/.exec(data.latin1Slice(0, 40));
		let last = data.length - 1;
		while (last > head.length && data[last] > 245)
			last--;
		const filled = (last - head.length) / width / height;
		check(filled >= 0.45, `${sheet} is about half filled`, filled.toFixed(2));
	}
	fs.rmSync(drawn, { recursive: true });
	if (await checkHeads(page, file))
		met('printed tables');
	await close();
}

/* If a flamegraph is longer than the window, details of the frame under the pointer stay visible. */
async function checkDetail(page) {
	await page.setViewportSize({ width: 1300, height: 700 });
	const flames = page.locator('figure.flame').filter({ has: page.locator('.jr-frames') });
	for (const flame of await flames.all()) {
		/* content out of sight is laid out when the browser is idle */
		await flame.evaluate((box) => box.scrollIntoView({ block: 'start' }));
		await flame.locator('svg.jr-flame').waitFor();
		const told = flame.locator('.jr-flame-detail');
		/* layout further up can move the flamegraph away from the pointer */
		let box, text;
		for (let tries = 0; tries < 20; tries++) {
			await flame.locator('svg.jr-flame').hover({ position: { x: 60, y: 10 } });
			[box, text] = [await told.boundingBox(), await told.innerText()];
			if (text.startsWith('all'))
				break;
			await page.waitForTimeout(100);
		}
		check(box && box.y + box.height <= 700 && text.startsWith('all'),
			'what is pointed at is told in the window',
			`${box && box.y + box.height}: ${text}`);
	}
}

/* Figures side by side are complete, of full size, and in document order. */
async function checkColumns(page) {
	const shrunk = await page.locator('.picture svg').evaluateAll((all) => all
		.filter((svg) => svg.clientWidth && svg.clientWidth < svg.viewBox.baseVal.width - 0.5)
		.map((svg) => `${svg.id} ${svg.clientWidth}`));
	check(shrunk.length === 0, 'pictures of a wide window keep their size', shrunk.join(' '));
	const boxes = await page.locator('.scroll, .picture').evaluateAll((all) => all
		.filter((b) => b.scrollWidth > b.clientWidth && !b.closest('details'))
		.map((b) => `${b.parentNode.id} ${b.scrollWidth} > ${b.clientWidth}`));
	check(boxes.length === 0, 'nothing is cut in two columns', boxes.join(' '));
	const split = await page.locator('main section > *').evaluateAll((all) => all
		.filter((b) => b.getClientRects().length > 1).map((b) => b.id || b.className));
	check(split.length === 0, 'no figure and no table is parted', split.join(' '));
	/* further down a column, or further right, or below everything before */
	const back = await page.locator('main section').evaluateAll((all) => all.flatMap((s) => {
		let last = null, foot = -Infinity;
		return [...s.children].filter((e) => e.offsetParent !== null && e.offsetWidth > 1).flatMap((e) => {
			const box = e.getBoundingClientRect(), before = last, low = foot;
			last = box;
			foot = Math.max(foot, box.bottom);
			return !before || box.top >= low - 1 || box.left > before.left + 1 ||
				(box.left === before.left && box.top >= before.bottom - 1) ? [] : [`${s.id} ${e.className}`];
		});
	}));
	check(back.length === 0, 'columns are read in the order of the document', back.join(', '));
	check(await page.evaluate(() => document.documentElement.scrollWidth) <= 1920, 'no sideways scroll');
}

/* Lay out everything, as for Ctrl-F and a scroll bar. */
async function checkLength(page) {
	await page.setViewportSize({ width: 1300, height: 900 });
	const flames = page.locator('figure.flame').filter({ has: page.locator('.jr-frames') });
	for (const flame of await flames.all()) {
		await flame.evaluate((box) => box.scrollIntoView({ block: 'start' }));
		await flame.locator('.jr-flame-bar').waitFor();
	}
	for (const section of await page.locator('main section').all())
		await section.scrollIntoViewIfNeeded();
	return page.evaluate(() => document.documentElement.scrollHeight);
}

/* A window 1.5 times as wide shortens a page of more than one screen. */
async function checkWide(page, most) {
	const height = await checkLength(page);
	await page.setViewportSize({ width: 1920, height: 900 });
	const wide = await page.evaluate(() => document.documentElement.scrollHeight);
	check(wide <= most * height, `a wide window takes at most ${most} of its length`, `${wide} of ${height}`);
	await checkColumns(page);
	await page.setViewportSize({ width: 1300, height: 900 });
	return height;
}

async function checkReal(page) {
	const height = await checkWide(page, 0.81);
	check(height <= 19500, 'a page of four devices is at most 19,500 px long', height);
	const source = await page.locator('svg[id="fig-source_code"]').evaluate(
		(svg) => svg.getBoundingClientRect().height);
	check(source <= 400, 'stacks without wrappers are at most 400 px deep', source);
}

async function checkMail(browser, file, report) {
	const { page, close } = await open(browser, pathToFileURL(file).href,
		{ viewport: { width: 390, height: 844 } });
	const wide = await page.evaluate(() => document.documentElement.scrollWidth);
	check(wide <= 390, 'a mail fits a telephone', wide);
	check(!/[^\x00-\x7f]/.test(fs.readFileSync(file, 'utf8')), 'a mail states ASCII, and is');
	await checkNumbers(page, 'the mail');
	const headline = await page.locator('h1').boundingBox();
	check(headline && headline.y < 200, 'a mail begins with its answer', headline?.y);
	const findings = (report.findings ?? []).map((f) => f.title.replace(/\s+/g, ' '));
	const first = await page.locator('body *').evaluateAll((all, titles) => Math.min(...all
		.filter((e) => titles.includes(e.textContent.trim().replace(/\u2060/g, '').replace(/\s+/g, ' ')))
		.map((e) => e.getBoundingClientRect().top)), findings);
	check(findings.length === 0 || first < 700, 'a telephone shows the first finding of a mail', first);
	await close();
}

main('brief', async (browser, folders) => {
	for (const folder of folders) {
		const report = JSON.parse(fs.readFileSync(path.join(folder, 'report.json'), 'utf8'));
		session.subject = path.basename(folder);
		/* a theme only changes colors, not layout: one report is enough */
		for (const colorScheme of folder === folders[0] ? ['light', 'dark'] : ['light']) {
			const { page, close } = await open(browser,
				pathToFileURL(path.resolve(folder, 'index.html')).href, { colorScheme });
			check(await page.locator('section#totals').count() === 0, 'sums over devices are for machines');
			if (report.inputs?.some(({ name }) => name === REAL))
				await checkReal(page);
			else if (WIDE[path.basename(folder)])
				await checkWide(page, WIDE[path.basename(folder)]);
			await checkDetail(page);
			await checkDesk(page, report);
			await checkHead(page, report);
			await checkNumbers(page, 'the page');
			await checkBars(page, report);
			await checkRanks(page, report);
			await checkNames(page);
			await checkPoints(page);
			await checkPhone(page);
			for (const width of [390, 650 /* 1300 at 200 % */, 768, 1300, 1920]) {
				await page.setViewportSize({ width, height: 900 });
				const wide = await page.evaluate(() => document.documentElement.scrollWidth);
				check(wide <= width, `fits ${width} px`, wide);
			}
			await checkTools(page);
			await checkWords(page);
			await checkTables(page);
			await checkFit(page);
			await checkFollows(page);
			await checkTerms(page);
			if (colorScheme === 'light')
				await checkColors(page);
			await close();
		}
		await checkSheets(browser, folder);
		const mail = path.resolve(folder, 'mail.html');
		if (fs.existsSync(mail))
			await checkMail(browser, mail, report);
	}
}, SOUGHT);
