/*
 * Readers without a mouse, and readers of paper: the Tab key reaches everything and the focus is
 * visible; everything is printed, light, and no wider than the sheet.
 * usage: node reach.js REPORT-FOLDER...
 */
'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { check, main, open, session } = require('./session');

const A4 = { width: 718, height: 1047 }; // px within margins of 10 mm

/* Runs in the page: all flamegraphs awake, all sections laid out. */
async function settle() {
	const waiting = () => document.querySelector('main > section:not(.laid)')
		|| document.querySelectorAll('script.jr-flame-data').length
			> document.querySelectorAll('.jr-flame-bar').length
		|| (document.querySelector('script.jr-timeline-data') && !document.querySelector('.jr-timeline'));
	for (let left = 200; left > 0 && waiting(); left--)
		await new Promise((resolve) => setTimeout(resolve, 50));
}

/* The focused element, and whether the focus is visible. */
function focused() {
	const node = document.activeElement;
	window.reached ??= new Set();
	if (node === document.body || window.reached.has(node))
		return { end: true };
	window.reached.add(node);
	const shown = node.matches('input.toggle') ? node.nextElementSibling : node;
	const style = getComputedStyle(shown), box = shown.getBoundingClientRect();
	return { name: `${node.localName}.${node.className.baseVal ?? node.className} ${
		node.textContent.slice(0, 30)}`,
		outlined: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0,
		inView: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth };
}

async function checkKeyboard(browser, url) {
	const { page, close } = await open(browser, url);
	await page.evaluate(settle);
	await page.keyboard.press('Tab');
	check(await page.locator('.skip').evaluate((a) => a === document.activeElement
		&& a.getBoundingClientRect().top >= 0), 'the first Tab shows the skip link');
	await page.keyboard.press('Enter');
	check(await page.evaluate(() => document.activeElement.id === 'report'), 'it leads to the report');
	await page.evaluate(() => {
		document.activeElement.blur();
		getSelection().removeAllRanges();
		scrollTo(0, 0);
	});
	await page.locator('.skip').focus();
	const hidden = [], unseen = [];
	for (let left = 3000; left > 0; left--) {
		const at = await page.evaluate(focused);
		if (at.end)
			break;
		if (!at.outlined)
			hidden.push(at.name);
		if (!at.inView)
			unseen.push(at.name);
		await page.keyboard.press('Tab');
	}
	check(hidden.length === 0, 'the focus is visible', hidden.slice(0, 3).join('; '));
	check(unseen.length === 0, 'what has the focus is in view', unseen.slice(0, 3).join('; '));
	const missed = await page.evaluate(() => [...document.querySelectorAll(
		'a[href], button:enabled, input, select, summary, svg.jr-figure[tabindex="0"]')]
		.filter((e) => e.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true })
			&& e.tabIndex >= 0 && !window.reached.has(e))
		.map((e) => `${e.localName} ${e.textContent.slice(0, 30)}`));
	check(missed.length === 0, 'Tab reaches every control', `${missed.length}: ${
		missed.slice(0, 3).join('; ')}`);
	/* folded source opens, long tables unfold */
	const fold = page.locator('details.listing:not([open]) summary').first();
	if (await fold.count()) {
		const box = await fold.locator('..').elementHandle();
		await fold.press('Enter');
		check(await box.evaluate((e) => e.open), 'Enter unfolds a file');
	}
	const toggle = page.locator('input.toggle:not(details:not([open]) *)').first(); // in no closed fold
	if (await toggle.count()) {
		await toggle.press('Space');
		check(await toggle.isChecked(), 'Space shows all rows');
		const top = await page.locator('.table:has(input.toggle:checked) .scroll').first()
			.evaluate((scroll) => {
				scroll.scrollTop = 300;
				const head = scroll.querySelector('thead th').getBoundingClientRect();
				return scroll.scrollTop < 100 ? 0 : head.top - scroll.getBoundingClientRect().top;
			});
		check(Math.abs(top) < 2, 'the header of a long table stays in view', top);
	}
	await close();
}

async function checkPaper(browser, url, folder) {
	const { page, close } = await open(browser, url, { colorScheme: 'dark' });
	await page.evaluate(settle);
	await page.emulateMedia({ media: 'print' });
	await page.setViewportSize(A4);
	const light = await page.evaluate(() => {
		const sum = (color) => color.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0);
		const style = getComputedStyle(document.body);
		return sum(style.backgroundColor) > 700 && sum(style.color) < 150;
	});
	check(light, 'paper is light, its ink dark, in a dark theme too');
	const wide = await page.evaluate((room) => [...document.querySelectorAll('.picture svg')]
		.filter((svg) => svg.getBoundingClientRect().right > room + 1).map((svg) => svg.id), A4.width);
	check(wide.length === 0, 'pictures fit the sheet', wide.join(' '));
	const missing = await page.evaluate(() => [...document.querySelectorAll('.picture')].filter((p) =>
		!p.closest('details:not([open])') && !p.getBoundingClientRect().height).map((p) => p.innerHTML.slice(0, 60)));
	check(missing.length === 0, 'every figure is on paper', missing.join(' '));
	/* nothing unfolds on paper: the line of a file is printed */
	const lost = await page.evaluate(() => [...document.querySelectorAll('.cut > :last-child')]
		.filter((end) => /^[^:]{1,15}:\d+$/.test(end.textContent))
		.find((end) => end.scrollWidth > end.clientWidth + 1)?.textContent);
	check(lost === undefined, 'printed: lines of files', lost);
	/* only the unfolded parts of the glossary, and no heading of a section that is folded whole */
	const titles = await page.locator('h2').evaluateAll((all) => all
		.filter((h) => !h.closest('#glossary:not(:has(details[open]))') &&
			!h.closest('section:not(:has(> :not(h2, .summary, .fold:not([open]))))'))
		.map((h) => h.firstChild.data));
	check(!await page.locator('#glossary:not(:has(details[open]))').isVisible(),
		'a glossary that nobody unfolded takes no paper');
	const files = await page.locator('details.listing[open]').evaluateAll((all) => all.map((box) =>
		[...box.querySelectorAll('tr[class^="h"] td:last-child')].map((td) => td.textContent.trim())
			.find((line) => line.length > 12)).filter(Boolean));
	const file = path.join(folder, 'print.pdf');
	await page.pdf({ path: file, format: 'A4',
		margin: { top: '10mm', bottom: '10mm', left: '10mm', right: '10mm' } });
	const flat = (text) => text.replace(/\s+/g, '');
	const text = flat(execFileSync('pdftotext', [file, '-'],
		{ encoding: 'utf8', maxBuffer: 1 << 26 }));
	for (const title of titles.slice(1))
		check(text.includes(flat(title)), `printed: ${title}`);
	for (const line of files)
		check(text.includes(flat(line).slice(0, 40)), `printed: ${line}`);
	for (const control of ['Filterrows', 'Showall', 'Showasflame', 'Heaviestpathsastext'])
		check(!text.includes(control), `not printed: ${control}`);
	const { finds } = await page.evaluate(() => ({ finds: [...document.querySelectorAll(
		'.findings strong')].map((s) => s.textContent) }));
	for (const title of finds)
		check(text.includes(flat(title)), `printed: ${title}`);
	fs.unlinkSync(file);
	await close();
}

main('reach', async (browser, folders) => {
	for (const folder of folders) {
		session.subject = path.basename(folder);
		const url = pathToFileURL(path.resolve(folder, 'index.html')).href;
		await checkKeyboard(browser, url);
		await checkPaper(browser, url, folder);
	}
});
