/*
 * The timeline of a page: its slices equal data/timeline.csv, it answers to pointer, finger and
 * keys, the strip of many devices chooses lanes, its address leads back to the same view, links of
 * findings lead to it, and without scripts,
 * without DecompressionStream and on paper the still chart is there. Frame times are printed.
 * usage: node timeline.js REPORT-FOLDER...
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { check, main, met, open, session } = require('./session');
const { jrTimeline } = require('./unit/scripts');

const LIVE = '.jr-timeline canvas.main', DETAIL = '.jr-timeline .detail';

/* [{ column: text }] of a CSV file whose texts have no line breaks. */
function csv(file) {
	const [head, ...rows] = fs.readFileSync(file, 'utf8').trimEnd().split(/\r?\n/).map((line) =>
		[...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((m) => m[1]).slice(0, -1));
	return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]])));
}

/* Every row of data/timeline.csv is a slice of the page, to the ns. */
async function checkSlices(page, folder) {
	const text = await page.locator('script.jr-timeline-data').textContent();
	check(text.length <= 160000, 'at most 160 kB', text.length);
	const data = await jrTimeline.unpack(text), file = path.join(folder, 'data/timeline.csv');
	if (!fs.existsSync(file))
		return data;
	const step = data.steps.find(([, , number]) => number === data.home), sums = new Map();
	check(!!step, 'the step of the still chart is in the page');
	const known = new Set();
	for (const lane of data.lanes)
		for (let i = 0; i < lane.n; i++)
			known.add(`${lane.group.match(/\d+/)} ${data.names[lane.thing[i]]} ${
				lane.start[i]} ${lane.end[i] - lane.start[i]}`);
	const ns = (ms) => Math.round(parseFloat(ms) * 1e6);
	const rows = csv(file), begin = Math.min(...rows.map((row) => ns(row.start_ms)));
	const lane = data.lanes.find(({ start, group }) => group.match(/\d+/)[0] === rows[0].device
		&& start.length);
	const first = rows.filter(({ device }) => device === rows[0].device)
		.reduce((a, b) => ns(a.start_ms) <= ns(b.start_ms) ? a : b);
	const [at] = lane.within(step[0], step[1]);
	let offset = NaN;
	for (let i = at; i < lane.n && !(offset === offset); i++)
		if (data.names[lane.thing[i]] === first.name && lane.length(i) === ns(first.dur_ms))
			offset = lane.start[i] - ns(first.start_ms);
	/* the chart and the page round times of different origins */
	const lost = rows.filter((row) => ![-1, 0, 1].some((by) => known.has(`${row.device} ${
		row.name} ${ns(row.start_ms) + offset + by} ${ns(row.dur_ms)}`)));
	const dropped = /slices are left out/.test(data.left || '');
	const longest = Math.max(...lost.map(({ dur_ms: ms }) => ns(ms)), -1);
	const shorter = rows.filter((row) => !lost.includes(row) && ns(row.dur_ms) < longest);
	check(!dropped || shorter.length === 0, 'only the shortest slices are left out', shorter.length);
	check(begin >= 0 && (dropped || lost.length === 0), 'slices of the step', `${lost.length} of ${rows.length} `
		+ `are missing, ${lost.slice(0, 2).map(({ name, start_ms: ms }) => `${name} at ${ms}`)}`);
	met('slices of a step');
	return { ...data, sums };
}

const settled = (page) => page.waitForTimeout(400);

async function live(browser, url, options) {
	const view = await open(browser, url, options);
	await view.page.locator(LIVE).waitFor({ state: 'visible', timeout: 10000 });
	await view.page.locator(LIVE).scrollIntoViewIfNeeded();
	await view.page.locator('.jr-timeline tbody tr').first().waitFor({ timeout: 10000 });
	return view;
}

/* Lanes that the first view shows: those of all devices, or of three if there are many. */
const firstLanes = (data) => data.lanes.filter(({ sort, group }) => sort < 2
	&& (!data.first.length || data.first.includes(group)));

const places = (page) => page.locator('.jr-timeline-bar select').first();
const place = (page) => places(page).evaluate((list) => list.selectedOptions[0].textContent);

/* The table shows the sums of the slices in view, here of all steps, or of the first one if most are
 * left out. */
async function checkTable(page, data) {
	if (data.steps.length < 2)
		return;
	const all = data.windows.length < 2, [from, to] = all
		? [data.windows[0][0], data.windows[0][1]] : data.steps[0], edge = 0.01 * (to - from);
	check(await places(page).locator('option[value=all]').count() === Number(all),
		'a view of all steps, unless most are left out');
	await places(page).selectOption(all ? 'all' : '0');
	await page.locator('.jr-timeline caption', { hasText: `(${jrTimeline.time(1.02
		* (to - from))})` }).waitFor({ timeout: 5000 });
	const device = firstLanes(data);
	const expected = jrTimeline.summary(device, from - edge, to + edge);
	let rows = [], equal = false;
	for (let tries = 0; tries < 20 && !equal; tries++) { /* steps of equal length have one caption */
		rows = await page.locator('.jr-timeline tbody tr').evaluateAll((all) =>
			all.map((row) => [row.querySelector('button').textContent, Number(row.dataset.ns)]));
		equal = rows.length > 0 && rows.every(([name, ns], i) => expected[i].time === ns
			&& data.names[expected[i].thing] === name);
		await page.waitForTimeout(equal ? 0 : 200);
	}
	check(equal, 'the table over all steps', JSON.stringify(rows.slice(0, 2)));
	met('the table of a timeline');
}

/* Time of each kind in [from, to) of the lanes. */
function timeByKind(data, lanes, from, to) {
	const sums = data.kinds.map(() => 0);
	for (const lane of lanes)
		for (let i = 0; i < lane.n && lane.start[i] < to; i++)
			sums[data.kind[lane.thing[i]]] += Math.max(0, Math.min(to, lane.end[i])
				- Math.max(from, lane.start[i]));
	return sums;
}

/* In each pixel of the strip above the lanes, the kind that takes most time has a stretch of its
 * color in its place. All is in view, or one window, so that the frame of the view is at edges.
 * Windows are side by side, 6 px apart. */
async function checkOverview(page, data) {
	await settled(page);
	const map = page.locator('.jr-timeline canvas.map'), HIGH = 28 * 2 / 3, lanes = firstLanes(data);
	const width = await map.evaluate((canvas) => canvas.width), gutter = 128, probes = [];
	const windows = data.windows.length ? data.windows : [data.span];
	const whole = windows.reduce((sum, [from, to]) => sum + to - from, 0);
	const room = width - gutter - 6 * (windows.length - 1);
	const compute = lanes.filter(({ sort }) => sort !== 1);
	let left = 0;
	windows.forEach(([begin, end], i) => {
		const start = Math.round(room * left / whole);
		const wide = Math.round(room * (left += end - begin) / whole) - start;
		const px = (end - begin) / wide, at = gutter + start + 6 * i;
		const full = px * new Set(compute.map(({ group }) => group)).size;
		for (let x = 3; x < wide - 3; x += 7) { /* beside the frame of the view */
			const sums = timeByKind(data, compute, begin + x * px, begin + (x + 1) * px);
			const busy = sums.reduce((a, b) => a + b, 0), most = sums.indexOf(Math.max(...sums));
			const tall = HIGH * Math.min(1, busy / full) / busy;
			const below = tall * sums.slice(0, most).reduce((a, b) => a + b, 0);
			if (busy && tall * sums[most] > 4)
				probes.push([at + x, 28 - below - tall * sums[most] / 2, most, data.kinds[most][0]]);
		}
	});
	if (windows.length > 1 && probes.some(([x]) => x > width * 2 / 3))
		met('windows side by side in the strip');
	const other = await map.evaluate((canvas, all) => {
		const g = canvas.getContext('2d'), root = getComputedStyle(document.documentElement);
		const swatches = document.querySelectorAll('.jr-timeline .legend rect');
		const shown = (color) => {
			const one = document.createElement('canvas').getContext('2d');
			one.fillStyle = color;
			one.fillRect(0, 0, 1, 1);
			return String(one.getImageData(0, 0, 1, 1).data);
		};
		const { data, width: w } = g.getImageData(0, 0, canvas.width, canvas.height);
		return all.filter(([x, y, kind, role]) => ![getComputedStyle(swatches[kind]).fill,
			root.getPropertyValue(`--jr-${role}`).trim()].map(shown)
			.includes(String(data.slice(4 * (Math.floor(y) * w + x), 4 * (Math.floor(y) * w + x) + 4))));
	}, probes);
	check(other.length === 0, 'the strip shows what takes most time', `${other.length} of ${
		probes.length}: ${JSON.stringify(other[0])}`);
	if (probes.length)
		met('kinds in the strip');
	if (data.steps.length > 1)
		await places(page).selectOption('home');
}

async function checkKeys(page, data, url) {
	const device = firstLanes(data);
	const [longest] = jrTimeline.summary(device, 0, Infinity), name = data.names[longest.thing];
	await page.locator(LIVE).focus();
	await page.keyboard.press('/');
	await page.keyboard.type(name);
	await page.keyboard.press('Enter');
	const spoken = await page.locator('.jr-timeline .spoken').textContent();
	check(spoken.startsWith(name), 'keys lead to a named slice', spoken);
	await page.locator(LIVE).focus();
	const before = spoken;
	await page.keyboard.press('ArrowRight');
	check(await page.locator('.jr-timeline .spoken').textContent() !== before
		|| data.lanes.every(({ n }) => n < 2), 'an arrow leads to the next slice');
	await page.keyboard.press('m');
	await page.keyboard.press('ArrowLeft');
	await page.keyboard.press('m');
	check((await page.locator('.jr-timeline .spoken').textContent()).startsWith('Measured'),
		'm at two bars measures');
	await page.keyboard.press('Escape');
	await page.keyboard.press('Enter');
	await settled(page);
	await settled(page);
	const hash = new URL(page.url()).hash;
	check(/^#t=[\d.-]+,[\d.]+&b=\d+,[\d.-]+&q=[^&;]+$/.test(hash),
		'Enter zooms, and the address has the view, the bar and the search', hash);
	return hash ? `${url}${hash}` : url;
}

/* The address keeps the measured stretch, the chosen bar and the search, and Backspace leads back. */
async function checkBack(browser, page, url) {
	const state = (of) => of.evaluate(() => [...document.querySelectorAll('.jr-timeline .position, '
		+ '.jr-timeline .detail, .jr-timeline caption, .jr-timeline-bar output')].map((e) => e.textContent)
		.concat(document.querySelector('.jr-timeline input[type=search]').value).join(' | '));
	const back = page.locator('.jr-timeline-bar button', { hasText: 'Back' });
	await page.locator(LIVE).focus();
	await page.keyboard.press('Home');
	await settled(page);
	await settled(page);
	const before = await position(page);
	await page.keyboard.press('/');
	await page.keyboard.type('^[^x]|x$'); /* in no name, so it is a regular expression */
	await page.keyboard.press('Enter');
	await page.locator(LIVE).focus();
	await page.keyboard.press('m');
	await page.keyboard.press('ArrowRight');
	await page.keyboard.press('m');
	await settled(page);
	await page.keyboard.press('Enter');
	await page.locator('.jr-timeline caption', { hasText: 'In the measured stretch' }).waitFor();
	await settled(page);
	await settled(page);
	check(/^[\d,]+ found$/.test(await page.locator('.jr-timeline-bar output').first().textContent()),
		'a regular expression finds names');
	const link = page.url(), shown = await state(page);
	check(/&m=[\d.,-]+&b=.*&q=/.test(link), 'the address has the measured stretch', link);
	const other = await live(browser, link);
	await other.page.locator('.jr-timeline caption', { hasText: 'In the measured stretch' })
		.waitFor({ timeout: 5000 }).catch(() => {});
	check(await state(other.page) === shown, 'an address leads to the same bar, stretch and search',
		`${await state(other.page)}, not ${shown}`);
	check(await other.page.locator('.jr-timeline-bar button', { hasText: 'Back' }).isDisabled(),
		'no way back from the first view');
	await other.close();
	check(await position(page) !== before && !await back.isDisabled(), 'a zoom that can be undone');
	for (let tries = 0; tries < 9 && await position(page) !== before; tries++) {
		await page.keyboard.press('Backspace');
		await settled(page);
	}
	check(await position(page) === before, 'Backspace leads back', await position(page));
	await page.keyboard.press('Escape');
	await page.keyboard.press('Escape');
	await page.keyboard.press('/');
	await page.keyboard.press('Escape');
	await settled(page);
	await settled(page);
	check(!/[&]/.test(new URL(page.url()).hash), 'only the view is left in the address', page.url());
}

/* A collective is told from device to device: Shift and an arrow lead along it. */
async function checkCollective(page, data) {
	const [lane, ...others] = firstLanes(data).filter(({ sort, n }) => sort === 1 && n);
	const i = lane && lane.longest(...lane.within(...data.steps.length ? data.steps[0] : data.span));
	const peers = lane && i >= 0 ? jrTimeline.peers([lane, ...others], lane, i) : [];
	if (!peers.length)
		return;
	await page.locator(LIVE).focus();
	await page.keyboard.press('/');
	await page.keyboard.type(data.names[lane.thing[i]]);
	await page.keyboard.press('Enter');
	await page.locator(LIVE).focus();
	const spoken = () => page.locator('.jr-timeline .spoken').textContent();
	const told = await spoken();
	check(/ starts it first and .* last, .* later/.test(told), 'who starts a collective last', told);
	await page.keyboard.press('Shift+ArrowDown');
	await page.keyboard.press('Shift+ArrowUp');
	const back = await spoken();
	await page.keyboard.press('Shift+ArrowDown');
	const next = await spoken(), name = (text) => text.split(',')[0];
	const group = (text) => /; (Device[^,]*)/.exec(text)[1];
	check(name(next) === name(back) && group(next) !== group(back)
		&& next.split('; of the')[1] === back.split('; of the')[1], 'the same collective on another device',
	`${back} | ${next}`);
	await page.keyboard.press('Escape');
	await page.keyboard.press('/');
	await page.keyboard.press('Escape');
	met('a collective on several devices');
}

/* From the address of a view, its ends in ms. */
const ends = (page) => (/^#t=(-?[\d.]+),(-?[\d.]+)/.exec(new URL(page.url()).hash) || []).slice(1)
	.map(Number);

/* Other keys: n leads to the next bar of a name, brackets to the same part of another step. */
async function checkTurns(page, data) {
	const spoken = page.locator('.jr-timeline .spoken'), device = firstLanes(data);
	const again = jrTimeline.summary(device, 0, Infinity).find(({ count }) => count > 2);
	await page.locator(LIVE).focus();
	await page.keyboard.press('Home');
	if (again) {
		const name = data.names[again.thing];
		await page.keyboard.press('/');
		await page.keyboard.type(name);
		await page.keyboard.press('Enter');
		await page.keyboard.press('Escape');
		await page.locator(LIVE).focus();
		const before = await spoken.textContent(), named = before.split(',')[0];
		await page.keyboard.press('n');
		const after = await spoken.textContent();
		check(after !== before && after.split(',')[0] === named, 'n leads to the next of a name', after);
		met('the next bar of a name');
	}
	const lone = data.steps.length < 2, { steps } = data;
	await page.keyboard.press('Home');
	await page.keyboard.press('w');
	await settled(page);
	await settled(page);
	const [from, to] = ends(page), at = steps.findLastIndex(([start]) =>
		start - steps[0][0] <= (from + to) / 2 * 1e6);
	const [by, key] = at + 1 < steps.length ? [1, ']'] : [-1, '['];
	check(to > from, 'w zooms', page.url());
	const part = await place(page);
	check(part === 'another stretch' ? !steps.some((step) => step[0] - steps[0][0] <= from * 1e6
		&& to * 1e6 <= step[1] - steps[0][0]) : /^part of step \d+$/.test(part)
		&& (await position(page)).endsWith(`times since ${part.slice(8)} began`), 'the menu names a part', part);
	const zero = (steps.length ? steps[0][0] : 0) + data.begin;
	const wanted = [Math.max(0, from + zero / 1e6), to + zero / 1e6];
	let option = null;
	for (let tries = 0; tries < 20 && !option; tries++) { /* written in an idle moment */
		const text = await page.locator('.jr-timeline .left code').textContent();
		const is = /--time ([\d.]+)ms\.\.([\d.]+)ms$/.exec(text).slice(1);
		option = is.every((ms, k) => Math.abs(ms - wanted[k]) < 1e-5) && text;
		await page.waitForTimeout(option ? 0 : 250);
	}
	check(option, 'the part as an option', part);
	if (lone)
		return;
	await page.keyboard.press(key);
	await settled(page);
	await settled(page);
	const moved = (steps[at + by][0] - steps[at][0]) / 1e6, [later] = ends(page);
	check(Math.abs(later - from - moved) < 0.01 * (to - from), 'a bracket leads to another step',
		`${from} ms and ${moved} ms: ${later} ms`);
	met('the same part of another step');
	await page.keyboard.press('Home');
	await settled(page);
	check(await places(page).inputValue() === 'home', 'the menu names the first view', await place(page));
}

/* Of many devices those that are late have lanes, and the chart of lags says which of a row are. */
async function checkLate(page, data, folder) {
	const rows = csv(path.join(folder, 'data/stragglers.csv')), late = rows.filter((row) => row.late);
	const known = new Set(data.lanes.map(({ group }) => /\d+/.exec(group)[0]));
	const lost = late.slice(0, 9).filter(({ device }) => !known.has(device));
	check(lost.length === 0, 'late devices have lanes', lost.map(({ device }) => device));
	const alone = late.filter(({ hostname }) =>
		late.filter((other) => other.hostname === hostname).length === 1);
	const notes = await page.locator('#fig-step_lags').textContent();
	for (const { device } of rows.length > 64 ? alone : [])
		check(notes.includes(`, device ${device}`), 'a late device is named', device);
	if (late.length > alone.length && alone.length)
		met('late devices of many');
}

/* Many devices: pointer and keys choose lanes in the strip, at most 16 pairs, and the address keeps
 * them. A row without lanes says so. */
async function checkStrip(browser, page, data) {
	const { strip } = data, canvas = page.locator('.jr-timeline canvas.strip');
	check(await canvas.count() === (strip ? 1 : 0), 'a strip for many devices');
	if (!strip)
		return;
	const groups = [...new Set(firstLanes(data).map(({ group }) => group))];
	const shown = () => page.locator(LIVE).evaluate((c) => c.getAttribute('aria-label')
		.match(/^Timeline of (.*)\. Arrow/)[1].split(', '));
	const words = () => page.locator('.jr-timeline .strip-words').textContent();
	const state = async () => `${await shown()} | ${await words()}`;
	check(groups.length <= 3 && String(await shown()) === String(groups), 'selected devices first',
		await shown());
	const lanesOf = strip.rows.map(([, ...of]) => of);
	const with_lanes = lanesOf.findIndex((of) => of.length && !of.some((g) => groups.includes(g)));
	const box = await canvas.boundingBox();
	const row = (box.height - 18) / strip.rows.length; // below: the numbers of steps
	const cell = { x: box.width - 5, y: (with_lanes + 0.5) * row };
	await canvas.click({ position: cell });
	const chosen = [...groups, ...lanesOf[with_lanes]].sort();
	check(String((await shown()).sort()) === String(chosen), 'a click shows lanes', await state());
	check(/Lanes are shown\./.test(await words()), 'and says so', await words());
	const [last] = strip.columns[strip.columns.length - 1];
	check(data.steps.every(([, , number]) => number !== last)
		|| (await words()).includes(`step ${last}`), 'the cell tells its step', await words());
	await settled(page);
	const link = page.url();
	await checkAddress(browser, link, await position(page), async (other) =>
		check(String(await other.locator(LIVE).evaluate((c) => c.getAttribute('aria-label')))
			=== String(await page.locator(LIVE).evaluate((c) => c.getAttribute('aria-label'))),
		'the address keeps the devices', link));
	await canvas.focus();
	await page.keyboard.press('Enter');
	check(String(await shown()) === String(groups), 'Enter hides them', await state());
	for (let i = 0; i < strip.rows.length; i++)
		await page.keyboard.press('ArrowUp');
	for (let i = 0; i < strip.rows.length; i++) {
		await page.keyboard.press('Enter');
		if (!lanesOf[i].length)
			check(/not in this page/.test(await words()), 'a row without lanes says so', await words());
		await page.keyboard.press('ArrowDown');
	}
	const all = await shown();
	check(all.length === Math.min(jrTimeline.MOST, lanesOf.flat().length), 'at most 16 pairs',
		all.length);
	await page.locator('.jr-timeline-bar select').nth(1).selectOption('first');
	check(String(await shown()) === String(groups), 'and back to the first', await shown());
	await page.locator('.strip-bar select').selectOption('1');
	await canvas.hover({ position: cell });
	check(/waiting for other devices/.test(await words()), 'colored by waiting', await words());
	await places(page).selectOption('home');
}

const position = (page) => page.locator('.jr-timeline .position').textContent();

async function checkAddress(browser, link, shown, more) {
	const { page, close } = await live(browser, link);
	check(await position(page) === shown, 'the address leads to the same view',
		`${await position(page)}, not ${shown}`);
	if (more)
		await more(page);
	await close();
}

async function checkPointer(page) {
	const box = await page.locator(LIVE).boundingBox(), x = box.x + box.width * 0.6;
	const before = await position(page);
	await page.mouse.move(x, box.y + 40);
	await page.keyboard.down('Control');
	await page.mouse.wheel(0, -400);
	await page.keyboard.up('Control');
	await settled(page);
	check(await position(page) !== before, 'Ctrl and the wheel zoom');
	await page.keyboard.down('Shift');
	await page.mouse.down();
	await page.mouse.move(x + 60, box.y + 40, { steps: 4 });
	await page.mouse.up();
	await page.keyboard.up('Shift');
	const measured = page.locator('.jr-timeline caption', { hasText: 'In the measured stretch' });
	check(await measured.waitFor({ timeout: 5000 }).then(() => true, () => false),
		'Shift and a drag measure');
	await page.keyboard.press('Escape');
}

async function checkTouch(browser, url) {
	const { page, close } = await live(browser, url, { viewport: { width: 390, height: 844 },
		hasTouch: true, isMobile: true });
	await page.locator(LIVE).evaluate((canvas) => {
		canvas.scrollIntoView({ block: 'start' });
		scrollBy(0, -100);
	});
	const box = await page.locator(LIVE).boundingBox();
	let found = false;
	for (let part = 0.3; part < 1 && !found; part += 0.02) {
		await page.touchscreen.tap(box.x + box.width * part, box.y + 34);
		found = await page.locator(`${DETAIL} strong`).count() > 0;
	}
	check(found, 'a tap tells a slice');
	const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
	check(wide <= 0, 'no wider than a phone', wide);
	await close();
}

/* On each width, in both colors: the lanes are wide, and drawn in more colors than the background. */
async function checkSizes(browser, url) {
	for (const width of [390, 768, 1300, 1920])
		for (const colorScheme of ['light', 'dark']) {
			const { page, close } = await live(browser, url, { viewport: { width, height: 900 }, colorScheme });
			const [wide, over, colors] = await page.locator(LIVE).evaluate((canvas) => {
				const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
				return [canvas.getBoundingClientRect().width / innerWidth,
					document.documentElement.scrollWidth - innerWidth,
					new Set(new Uint32Array(data.buffer)).size];
			});
			check(wide > 0.5 && over <= 0 && colors > 4, `${width} px, ${colorScheme}`, [wide, over, colors]);
			await close();
		}
}

/* Links of findings and rows lead to the slice. */
async function checkLinks(page) {
	const link = page.locator('a[data-find]').first();
	if (!await link.count())
		return;
	await page.evaluate(() => document.querySelectorAll('details').forEach((d) => d.open = true));
	const name = await link.evaluate((a) => a.dataset.find || a.textContent);
	await link.click();
	await settled(page);
	const detail = await page.locator(DETAIL).textContent();
	check(detail.startsWith(name), 'a link leads to the slice it names', `${name}: ${detail}`);
	const shown = await page.locator(LIVE).evaluate((c) => c.getBoundingClientRect().top < innerHeight);
	check(shown, 'and to the timeline');
	met('links to the timeline');
}

async function checkStill(browser, url, folder) {
	if (!fs.existsSync(path.join(folder, 'data/timeline.csv')))
		return;
	const still = '#timeline figure .picture svg:not(.narrow)';
	for (const [what, options, script] of [['without scripts', { javaScriptEnabled: false }],
		['without DecompressionStream', {}, () => delete window.DecompressionStream]]) {
		const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
		const page = await context.newPage();
		if (script)
			await page.addInitScript(script);
		await page.goto(url);
		await page.locator(still).first().scrollIntoViewIfNeeded();
		await page.waitForTimeout(500);
		check(await page.locator(still).first().isVisible(), `the still chart ${what}`);
		check(await page.locator('.jr-timeline').count() === 0, `no empty timeline ${what}`);
		await context.close();
	}
	const { page, close } = await live(browser, url);
	check(!await page.locator(still).first().isVisible(), 'the timeline takes its place');
	await page.emulateMedia({ media: 'print' });
	check(await page.locator(still).first().isVisible()
		&& !await page.locator('.jr-timeline').isVisible(), 'the still chart on paper');
	await close();
}

/* Time of the callbacks of frames while zooming and panning, which is what the main thread does. */
async function measureFrames(browser, url, n) {
	const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
	const page = await context.newPage();
	await page.addInitScript(() => {
		const { requestAnimationFrame: ask } = window;
		window.frames_ms = [];
		window.requestAnimationFrame = (work) => ask((t) => {
			const begun = performance.now();
			work(t);
			window.frames_ms.push(performance.now() - begun);
		});
	});
	await page.goto(url);
	await page.locator(LIVE).focus();
	const times = [];
	for (const key of ['Home', '+', 'Shift+ArrowRight', '-']) {
		await page.evaluate(() => window.frames_ms = []);
		for (let i = 0; i < 12; i++)
			await page.keyboard.press(key);
		await page.waitForTimeout(300);
		const all = await page.evaluate(() => window.frames_ms.sort((a, b) => a - b));
		times.push(`${key} ${all[all.length >> 1]?.toFixed(1)}`);
	}
	console.log(`        ${session.subject}: ${n} slices, ms per frame: ${times.join(', ')}`);
	await context.close();
}

main('timeline', async (browser, folders) => {
	for (const folder of folders) {
		const url = pathToFileURL(path.resolve(folder, 'index.html')).href;
		session.subject = path.basename(folder);
		const { page, close } = await live(browser, url);
		const data = await checkSlices(page, folder);
		await checkTable(page, data);
		await checkOverview(page, data);
		await checkStrip(browser, page, data);
		if (data.strip)
			await checkLate(page, data, folder);
		const link = await checkKeys(page, data, url), shown = await position(page);
		await checkTurns(page, data);
		await checkCollective(page, data);
		await checkBack(browser, page, url);
		await checkPointer(page);
		await checkLinks(page);
		await close();
		await checkAddress(browser, link, shown);
		await checkSizes(browser, url);
		await checkTouch(browser, url);
		await checkStill(browser, url, folder);
		await measureFrames(browser, url, data.lanes.reduce((sum, { n }) => sum + n, 0));
	}
}, ['slices of a step', 'kinds in the strip', 'the table of a timeline', 'links to the timeline',
	'the next bar of a name', 'a collective on several devices', 'the same part of another step', 'windows side by side in the strip']);
