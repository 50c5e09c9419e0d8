/*
 * Files that other programs open: speedscope reads the folded stacks of a report (data/NAME.folded)
 * and shows the self time of each frame. usage: node handover.js REPORT-FOLDER...
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

/* The first rows of the table of frames, which is sorted by self time: [[frame, ns]]. */
async function shownTimes(page) {
	await page.keyboard.press('3');
	await page.waitForSelector('table tr td');
	return page.$$eval('table tr', (rows, most) => rows.map((row) => [...row.querySelectorAll('td')])
		.filter((cells) => cells.length >= 3).slice(0, most)
		.map((cells) => [cells[2].textContent, Number(cells[1].textContent.replace(/,|\(.*/g, ''))]),
	MOST_ROWS);
}

async function opens(browser, file) {
	const name = path.basename(file), self = selfTimes(file), said = [];
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
	const loaded = await page.waitForFunction((title) => document.title.startsWith(title), name,
		{ timeout: 20000 }).then(() => true, () => false);
	check(loaded && !said.length, `speedscope opens ${name}`, said.join('; '));
	if (loaded) {
		const shown = await shownTimes(page);
		check(shown.length === Math.min(MOST_ROWS, self.length), `${name}: rows`, shown.length);
		for (const [i, [, ns]] of shown.entries())
			check(ns === self[i][1], `${name}: self time of row ${i + 1}`, `${ns}, not ${self[i]}`);
	}
	await context.close();
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
	}
});
