/*
 * Files that other programs open: speedscope reads the folded stacks of a report (data/NAME.folded)
 * and shows the self time of each frame; it also opens profile.speedscope.json. usage: node handover.js REPORT-FOLDER...
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { check, main, session } = require('./session');

const VIEWER = `file://${path.join(path.dirname(require.resolve('speedscope/package.json')),
	'dist/release/index.html')}`;
const MOST_ROWS = 3; /* of the table that are compared */

/* Sums of self times by innermost frame, largest first: [[frame, ns]]. */
function selfTimes(file) {
	const sums = new Map();
	for (const line of fs.readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
		const found = /^(.*) (\d+)$/.exec(line);
		check(found, `${path.basename(file)}: frames, a blank, a whole number`, line.slice(-80));
		if (!found)
			return [];
		const frame = found[1].split(';').pop();
		sums.set(frame, (sums.get(frame) || 0) + Number(found[2]));
	}
	return [...sums].sort((a, b) => b[1] - a[1]);
}

const UNITS = { '': 1, ns: 1, '\u00b5s': 1e3, '\u03bcs': 1e3, ms: 1e6, s: 1e9 };

/* The first rows of the table of frames, which is sorted by self time: [[ns, error]]. A folded file
 * has no unit, so its numbers are shown in full; times are shown with two decimals. */
async function shownTimes(page) {
	const SELF = '^([\\d,.]+)(\\D*?)\\s*\\(';
	await page.keyboard.press('3');
	await page.waitForFunction((self) => [...document.querySelectorAll('table tr td:nth-child(2)')]
		.some((cell) => new RegExp(self).test(cell.textContent.trim())), SELF);
	const cells = await page.$$eval('table tr td:nth-child(2)', (all) =>
		all.map((cell) => cell.textContent.trim()));
	return cells.map((text) => new RegExp(SELF).exec(text)).filter(Boolean).slice(0, MOST_ROWS)
		.map(([, number, unit]) => [Number(number.replace(/,/g, '')) * UNITS[unit],
			unit && unit !== 'ns' ? 0.0051 * UNITS[unit] : 0]);
}

const opens = (browser, file) => opensWith(browser, file, path.basename(file), selfTimes(file));

/* title: what speedscope calls the file; self: [[frame, ns]], largest first, as it must show them. */
async function opensWith(browser, file, title, self) {
	const name = path.basename(file), said = [];
	if (!self.length)
		return;
	const context = await browser.newContext({ offline: true });
	const page = await context.newPage();
	page.on('dialog', (dialog) => {
		said.push(dialog.message());
		dialog.dismiss();
	});
	await page.goto(VIEWER);
	await page.setInputFiles('input[type=file]', file);
	const loaded = await page.waitForFunction((start) => document.title.startsWith(start), title,
		{ timeout: 20000 }).then(() => true, () => false);
	check(loaded && !said.length, `speedscope opens ${name}`, said.join('; '));
	if (loaded) {
		const shown = await shownTimes(page);
		check(shown.length === Math.min(MOST_ROWS, self.length), `${name}: rows`, shown.length);
		for (const [i, [ns, error]] of shown.entries())
			check(Math.abs(ns - self[i][1]) <= error, `${name}: self time of row ${i + 1}`, `${ns}, not ${self[i]}`);
	}
	await context.close();
}

/* speedscope's own file: the profile that it shows first has the self times of its frames. */
async function opensOwn(browser, file) {
	const { profiles, shared, name, activeProfileIndex } = JSON.parse(fs.readFileSync(file, 'utf8')), sums = new Map();
	profiles[activeProfileIndex].samples.forEach((stack, i) => {
		const frame = shared.frames[stack[stack.length - 1]].name;
		sums.set(frame, (sums.get(frame) || 0) + profiles[activeProfileIndex].weights[i]);
	});
	check(profiles.some((p) => p.type === 'evented'), 'a timeline per track');
	await opensWith(browser, file, name, [...sums].sort((a, b) => b[1] - a[1]));
}

main('handover', async (browser, folders) => {
	for (const folder of folders) {
		session.subject = path.basename(folder);
		const data = path.join(folder, 'data');
		const files = fs.existsSync(data) ? fs.readdirSync(data) : [];
		const folded = files.filter((f) => f.endsWith('.folded') && !f.startsWith('diff_')).sort();
		check(folded.length > 0, 'folded stacks');
		for (const file of folded)
			await opens(browser, path.join(data, file));
		const own = path.join(folder, 'profile.speedscope.json');
		if (fs.existsSync(own))
			await opensOwn(browser, own);
	}
});
