/*
 * Checks of a comparison's page: its flamegraphs of the change, in the page and in their own files,
 * and the general checks of every page.
 * usage: node diff.js COMPARISON-FOLDER...
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { check, checkColumns, main, open: openPage, session } = require('./session');
const { Flamegraph } = require('./flamegraph');

const ROW = 17, TOP = 2;
const WIDTHS = ['new', 'base', 'change'];

const open = (browser, url, options) => openPage(browser, url,
	{ reducedMotion: 'reduce', ...options });

/* --- what the figures must show -------------------------------------------------------------- */

/* data/diff_NAME.folded: stacks with ns in the base and in the new run. */
function readFolded(folder, name) {
	const text = fs.readFileSync(path.join(folder, 'data', `${name}.folded`), 'utf8');
	return text.split('\n').filter(Boolean).map((line) => {
		const [, stack, before, after] = /^(.*) (\S+) (\S+)$/.exec(line);
		return { frames: stack.split(';'), before: Number(before), after: Number(after) };
	});
}
const sum = (stacks, key) => stacks.reduce((n, stack) => n + stack[key], 0);
const grouped = (v, digits) => v.toLocaleString('en-US',
	{ minimumFractionDigits: digits, maximumFractionDigits: digits });
const signed = (v, digits) => `${v > 0 ? '+' : v < 0 ? '−' : ''}${grouped(Math.abs(v), digits)}`;
function inWords(before, after) {
	const share = before > 0 && after > 0 ? `${signed(100 * (after - before) / before, 2)} %`
		: before > 0 ? 'removed' : after > 0 ? 'added' : '0 %';
	const change = after - before;
	return `${time(before)} → ${time(after)}, ${change > 0 ? '+' : change < 0 ? '−' : ''}${
		time(Math.abs(change))} (${share})`;
}
/* Four digits and the unit that fits. */
function time(ns) {
	const units = ['ns', 'µs', 'ms', 's'];
	let unit = 0;
	for (; unit < 3 && ns >= 999.95; unit++)
		ns /= 1000;
	return `${unit ? grouped(ns, ns >= 999.95 ? 0 : ns >= 99.995 ? 1 : ns >= 9.9995 ? 2 : 3)
		: Math.round(ns)} ${units[unit]}`;
}
/* The class of a frame's color, computed independently. */
function color(before, after) {
	const share = before > 0 ? Math.abs(after - before) / before : after > 0 ? 1 : 0;
	const tint = ['t5', 't5', 't6', 't2', 't4'][[0.01, 0.03, 0.1, 0.3].filter((b) => share >= b).length];
	return share < 0.01 ? 'f-unknown t5' : `f-${after > before ? 'slower' : 'faster'} ${tint}`;
}

/* --- one flamegraph --------------------------------------------------------------------------- */

class Flame extends Flamegraph {
	constructor(page, id) {
		super(page, id);
		this.select = this.figure.locator('.jr-flame-width select');
	}
	hash() {
		return this.page.evaluate(() => location.hash);
	}
	labels() {
		return this.svg.locator('text').allTextContents();
	}
	/* Boxes of the chart: their class, place and width. */
	boxes() {
		return this.svg.evaluate((svg, [row, top]) => {
			const out = [];
			for (const one of svg.querySelectorAll('.jr-frames path:not(.jr-flame-current)'))
				for (const [, x, y, w] of one.getAttribute('d')
					.matchAll(/M([-\d.]+) ([-\d.]+)h([-\d.]+)v/g))
					out.push({ look: one.getAttribute('class'), x: Number(x), y: Number(y),
						w: Number(w), row: Math.round((Number(y) - top) / row) });
			return out;
		}, [ROW, TOP]);
	}
	async values() {
		return this.detail.locator('.jr-flame-values').innerText();
	}
}

const TIME = '([+−]?[\\d.,]+ (?:ns|µs|ms|s))';
const NUMBERS = new RegExp(`^${TIME} → ${TIME}, ${TIME} \\((.*?)\\)`);
/* [ns, half of the last digit] */
function quantity(text) {
	const [number, unit] = text.replace('−', '-').replace('+', '').replace(/,/g, '').split(' ');
	const size = { ns: 1, 'µs': 1e3, ms: 1e6, s: 1e9 }[unit];
	return [Number(number) * size, 0.51 * size / 10 ** (number.split('.')[1] || '').length];
}

/* The text of boxes agrees with their color. */
async function checkColors(flame, what) {
	const boxes = (await flame.boxes()).filter((box) => box.w > 4).sort((a, b) => b.w - a.w);
	let wrong = [];
	await flame.svg.hover({ position: { x: 1, y: 8 } });
	const { x: left, y: top } = await flame.svg.boundingBox();
	for (const box of boxes.slice(0, 12).concat(boxes.slice(-4))) {
		await flame.page.mouse.move(left + box.x + box.w / 2, top + box.y + 8);
		const text = await flame.values(), found = NUMBERS.exec(text);
		if (!found) {
			wrong.push(text);
			continue;
		}
		const [[before, less], [after, more], [change, last]] = [1, 2, 3].map(
			(i) => quantity(found[i]));
		/* Times are rounded: near a bound of the scale both colors are valid. */
		const looks = [-1, 0, 1].map((k) => color(Math.max(0, before - k * less),
			Math.max(0, after + k * more)));
		if (!looks.includes(box.look) || Math.abs(after - before - change) > less + more + last)
			wrong.push(`${text}: ${box.look}`);
	}
	check(boxes.length > 0 && wrong.length === 0, `${what}: colors`, wrong.slice(0, 3).join(' | '));
	await flame.page.mouse.move(0, 0);
}

async function checkWidths(flame, what) {
	const rows = {}, room = await flame.svg.evaluate((svg) => svg.viewBox.baseVal.width);
	for (const box of await flame.boxes())
		rows[box.row] = (rows[box.row] || 0) + box.w;
	check(Object.values(rows).length > 1 && Object.values(rows).every((w) => w <= room + 1),
		`${what}: rows fit`, `${Object.values(rows).map(Math.round)} of ${room}`);
}

/* At each width: a first row as long as the total, colors, and frames that only one run has. */
async function checkModes(flame, stacks) {
	const before = sum(stacks, 'before'), after = sum(stacks, 'after');
	const changed = stacks.reduce((n, s) => n + Math.abs(s.after - s.before), 0);
	const totals = { new: after, base: before, change: changed };
	for (const by of WIDTHS) {
		await flame.select.selectOption(by);
		await flame.page.mouse.move(0, 0);
		check(await flame.values() === inWords(before, after), `${by}: total`,
			`${await flame.values()}, not ${inWords(before, after)}`);
		if (totals[by] === 0) {
			check((await flame.boxes()).length <= 1, `${by}: nothing`);
			continue;
		}
		await checkWidths(flame, by);
		await checkColors(flame, by);
		const words = await flame.labels();
		if (by === 'new')
			check(!words.some((text) => text.endsWith('removed')), 'new: nothing removed');
		if (by === 'base')
			check(!words.some((text) => text.endsWith('added')), 'base: nothing added');
		await flame.input.fill('.');
		const found = await flame.figure.locator('.jr-flame-matched').innerText();
		check(found.endsWith('100.00 %'), `${by}: all is found`, found);
		await flame.input.fill('');
	}
	await flame.select.selectOption('new');
}

/* The widest of the frames that were removed is visible by its width, and found. */
async function checkRemoved(flame, stacks) {
	const gone = stacks.filter((s) => s.after === 0 && s.before > 0)
		.sort((a, b) => b.before - a.before)[0];
	if (!gone)
		return;
	const frame = gone.frames[gone.frames.length - 1];
	await flame.input.fill(frame.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
	for (const by of ['base', 'change']) {
		await flame.select.selectOption(by);
		await flame.input.press('Enter');
		check(/^1 of/.test(await flame.figure.locator('.jr-flame-matched').innerText()),
			`${by}: ${frame} is found`);
		check((await flame.svg.locator('.jr-match').count()) > 0, `${by}: ${frame} is seen`);
	}
	/* Matches without width are shown as text, and stepping continues. */
	await flame.select.selectOption('new');
	const undrawn = async () => (await flame.detail.innerText()).includes('no width');
	const found = await flame.figure.locator('.jr-flame-matched').innerText();
	for (let left = parseInt(found.replace(/,/g, ''), 10); left > 0 && !await undrawn(); left--)
		await flame.input.press('Enter');
	check(await undrawn() && /\(removed\)/.test(await flame.values()), `new: ${frame} is told of`,
		await flame.detail.innerText());
	check(await flame.svg.locator('.jr-flame-current').getAttribute('d') === '',
		`new: ${frame} has no outline`);
	await flame.svg.focus();
	await flame.page.keyboard.press('ArrowDown');
	check(NUMBERS.test(await flame.values()), 'new: and walking begins anew', await flame.values());
	await flame.figure.getByRole('button', { name: 'Reset', exact: true }).click();
}

async function checkKeys(flame) {
	const { page } = flame;
	await flame.svg.focus();
	for (const by of ['base', 'change', 'new']) {
		await page.keyboard.press('w');
		check(await flame.select.evaluate((s) => s.value) === by, `w: ${by}`);
		check((await flame.hash()).includes(`w=${by}`) === (by !== 'new'), `w: ${by} in the address`,
			await flame.hash());
	}
	await page.goBack();
	check(await flame.select.evaluate((s) => s.value) === 'change', 'back to the last width');
	await page.goForward();
	await flame.svg.focus();
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('ArrowDown');
	check(NUMBERS.test(await flame.values()), 'a walked frame tells its change', await flame.values());
	check(NUMBERS.test((await flame.figure.locator('.jr-flame-live').textContent())
		.replace(/^.*?: (?=[\d.,]+ ms →)/, '')), 'and speaks it');
	await page.keyboard.press('Enter');
	check(/[zu]=/.test(await flame.hash()), 'Enter acts', await flame.hash());
	await checkWidths(flame, 'zoomed');
	await page.keyboard.press('w');
	await checkWidths(flame, 'zoomed, base');
	await page.keyboard.press('Escape');
	await flame.figure.getByRole('button', { name: 'Reset', exact: true }).click();
	check(await flame.hash() === '', 'reset', await flame.hash());
}

async function checkPermalink(browser, url, id) {
	const one = await open(browser, `${url}#${id}!w=change`);
	const flame = new Flame(one.page, id);
	await flame.awake();
	check(await flame.select.evaluate((s) => s.value) === 'change', 'permalink');
	await one.close();
	const junk = await open(browser, `${url}#${id}!w=%22%3E&z=99999999`);
	const other = new Flame(junk.page, id);
	await other.awake();
	check(await other.select.evaluate((s) => s.value) !== '', 'a broken permalink does no harm');
	await junk.close();
}

/* Without a script: both flamegraphs, the scale, tooltips; nothing that needs a script. */
async function checkStill(browser, url, id, stacks) {
	const view = await open(browser, url, { javaScriptEnabled: false });
	const svg = view.page.locator(`svg[id="${id}"]`);
	check(await svg.isVisible(), 'still: visible');
	const words = await svg.locator('text').allTextContents();
	check(words.includes('−30 %') && words.includes('+30 %'), 'still: scale');
	const tip = `all: ${inWords(sum(stacks, 'before'), sum(stacks, 'after'))}`;
	const tips = await svg.locator('title').allTextContents();
	check(tips.includes(tip), 'still: tooltip of all', tips.find((t) => t.startsWith('all:')));
	const changed = stacks.some((s) => s.before !== s.after);
	check(await svg.locator('[id$="-changes"]').count() === (changed ? 1 : 0), 'still: what changed');
	if (!changed)
		check(words.includes("No frame changed its time."), 'still: nothing changed');
	if (stacks.some((s) => s.after === 0 && s.before > sum(stacks, 'before') / 50))
		check(tips.some((t) => t.includes('(removed)')), 'still: removed frames');
	await view.close();
}

/* On paper: light, without controls, with the same colors. */
async function checkPrint(browser, url, id) {
	const view = await open(browser, url, { colorScheme: 'dark' });
	const flame = new Flame(view.page, id);
	await flame.awake();
	await view.page.emulateMedia({ media: 'print' });
	check(!await flame.figure.locator('.jr-flame-bar').isVisible(), 'print: no controls');
	check(await flame.svg.isVisible(), 'print: picture');
	check(await flame.figure.locator('.jr-flame-scale').isVisible(), 'print: scale');
	const ground = await view.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	check(/rgba?\((255, 255, 255|0, 0, 0, 0)/.test(ground), 'print: light', ground);
	await view.close();
}

/* The change with its interval directly below the answer, uncertain ones hollow, no name repeated. */
async function checkDoubt(page, report) {
	const { step, verdict } = report;
	const strip = page.locator('#overview #fig-step_change');
	const known = step.change_percent !== null;
	check(await strip.count() === (known ? 1 : 0), 'the change is drawn where there is one');
	if (known) {
		const place = await strip.boundingBox(), bar = await strip.locator('path.s-unknown, path.s-slower, '
			+ 'path.s-faster, path.s-muted, .s-unknown path, .s-slower path, .s-faster path, .s-muted path').count();
		check(place.y < 420, 'on the first screen', place.y);
		check((bar > 0) === (step.low_percent !== null), 'with its interval', bar);
	}
	const bars = page.locator('#fig-contributions');
	const solid = bars.locator('.f-slower, .f-faster');
	const sure = report.contributions?.filter((c) => c.p !== null && c.p <= 0.05).length ?? 0;
	if (verdict.verdict === 'cannot tell' || sure === 0)
		check(await solid.count() === 0, 'what is in doubt is hollow', await solid.count());
	else if (report.contributions.slice(0, 15).some((c) => c.p !== null && c.p <= 0.05))
		check(await solid.count() > 0, 'what is told is solid');
	const title = await page.locator('.head .of').innerText();
	for (const name of [verdict.base, verdict.new])
		check(title.split(name).length <= 2, 'no name twice', title);
	const [first, second] = await page.locator('main > section').evaluateAll(
		(all) => all.map((s) => s.id).filter((id) => id !== 'gates').slice(0, 2));
	check(first === 'overview' && (report.finding_changes === undefined || second === 'finding_changes'),
		'what was found stands right below', second);
}

async function checkPage(browser, folder, url, report) {
	const text = fs.readFileSync(path.join(folder, 'index.html'), 'utf8');
	check(/http-equiv="Content-Security-Policy"/.test(text), 'has a policy');
	check(!/ style="/.test(text), 'no inline style');
	for (const colorScheme of ['light', 'dark']) {
		const view = await open(browser, url, { colorScheme });
		for (const width of [1440, 768, 360]) {
			await view.page.setViewportSize({ width, height: 900 });
			const wide = await view.page.evaluate(() => document.documentElement.scrollWidth);
			check(wide <= width, `fits ${width} px, ${colorScheme}`, wide);
		}
		await checkColumns(view.page);
		const links = await view.page.evaluate(() => [...document.querySelectorAll('a[href^="#"]')]
			.map((a) => a.getAttribute('href').slice(1).split('!')[0])
			.filter((id) => id && !document.getElementById(id)));
		check(links.length === 0, 'links within the page', links.join(' '));
		const said = await view.page.locator('.head h1, .head .lede').evaluateAll(
			(all) => all.map((e) => e.textContent.replace(/\s+/g, ' ')));
		said[0] += '.';
		check(said.join(' ') === report.verdict.sentence.replace(/\s+/g, ' '), 'says the verdict', said.join(' '));
		await checkDoubt(view.page, report);
		const tile = view.page.locator('.tiles li', { hasText: 'Verdict' }).locator('strong');
		check((await tile.textContent()) === report.verdict.verdict &&
			(await tile.locator('small').count()) === 0, 'the verdict stands as one, no word a unit');
		await view.close();
	}
}

async function checkComparison(browser, folder) {
	const report = JSON.parse(fs.readFileSync(path.join(folder, 'report.json'), 'utf8'));
	const url = pathToFileURL(path.resolve(folder, 'index.html')).href;
	session.subject = path.basename(folder);
	check(report.schema === 'jaxreport.compare/1', 'is a comparison', report.schema);
	await checkPage(browser, folder, url, report);
	const names = Object.keys(report.flamegraphs);
	check(names.length > 0, 'has flamegraphs');
	for (const name of names) {
		const id = `fig-${name}`, stacks = readFolded(folder, name);
		session.subject = `${path.basename(folder)} ${name}`;
		for (const colorScheme of name === names[0] ? ['light', 'dark'] : ['light']) {
			const view = await open(browser, url, { colorScheme });
			const flame = new Flame(view.page, id);
			await flame.awake();
			check(await flame.figure.locator('.jr-flame-scale li').count() === 9, 'a scale of nine');
			await checkModes(flame, stacks);
			await checkRemoved(flame, stacks);
			await checkKeys(flame);
			await view.close();
		}
		await checkPermalink(browser, url, id);
		await checkStill(browser, url, id, stacks);
		await checkPrint(browser, url, id);
		const file = path.join(folder, 'figures', `${name}.interactive.svg`);
		session.subject = file;
		const view = await open(browser, pathToFileURL(path.resolve(file)).href);
		const flame = new Flame(view.page, id);
		await flame.awake();
		await checkModes(flame, stacks);
		await view.close();
	}
}

main('diff', async (browser, folders) => {
	for (const folder of folders)
		await checkComparison(browser, folder);
});
