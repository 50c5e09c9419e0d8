/*
 * Pages of archives whose every name tries to break out (jr-generate --hostile-names, --long-names):
 * nothing is executed, asked for or made into an element; the names are there as text; the layout
 * holds.
 * usage: node hostile.js PAGE...
 */
'use strict';

const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { check, main, open, session } = require('./session');

/* What a page may be made of: nothing else comes out of a template or a writer. */
const FOREIGN = 'img, iframe, object, embed, form, video, audio, base, link:not([rel=icon]), math, '
	+ 'foreignObject, [onerror], [onload], [onclick], [href^="javascript:"]';
/* Overrides and isolates, controls, C1 controls: none may reach a reader. */
const UNFIT = /[\u202A-\u202E\u2066-\u2069\u0000-\u0008\u000B-\u001F\u007F-\u009F]/;

async function judge(browser, file, options) {
	const url = pathToFileURL(path.resolve(file)).href, mail = file.endsWith('mail.html');
	const view = await open(browser, url, options);
	const { page } = view;
	const found = await page.evaluate(({ foreign }) => ({
		scripts: [...document.scripts].filter((s) => s.type !== 'application/json').length,
		foreign: [...document.querySelectorAll(foreign)].map((e) => e.outerHTML.slice(0, 80)),
		text: document.body.textContent,
		attributes: [...document.querySelectorAll('[title], [aria-label], [alt]')].map((e) =>
			[e.title, e.getAttribute('aria-label'), e.alt].join(' ')).join('\n'),
	}), { foreign: mail ? FOREIGN.replace('img, ', 'img:not([src^="cid:"]), ') : FOREIGN });
	check(found.scripts === (mail ? 0 : 1), 'scripts', found.scripts);
	check(found.foreign.length === 0, 'no foreign element', found.foreign.slice(0, 3).join(' '));
	check(found.text.includes('<script>alert(1)</script>"\'`&amp;\uFFFDcba\uFFFD\uFFFD(\uFFFD'),
		'names are visible as they are');
	for (const [what, text] of Object.entries({ text: found.text, attributes: found.attributes }))
		check(!UNFIT.test(text), `no control or override in ${what}`,
			JSON.stringify(UNFIT.exec(text)));
	if (!mail)
		for (const width of [1440, 360]) {
			await page.setViewportSize({ width, height: 900 });
			const wide = await page.evaluate(() => document.documentElement.scrollWidth);
			check(wide <= width, `fits ${width} px`, `${wide} px`);
		}
	const nested = await page.evaluate(() => [...document.querySelectorAll('main > section')].length
		=== document.querySelectorAll('section').length);
	check(nested, 'sections are where they belong');
	return view;
}

/* Names in the script's hands: tables, flamegraphs, tooltips, the clipboard's text. */
async function drive(view) {
	const { page } = view;
	await page.setViewportSize({ width: 1440, height: 900 });
	for (const svg of await page.locator('.flame svg').all()) {
		await svg.scrollIntoViewIfNeeded();
		await svg.focus();
		for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'Enter', 'ArrowDown'])
			await page.keyboard.press(key);
	}
	for (const input of await page.locator('.flame input[type=search], .jr-flame-search input').all())
		await input.fill('<script>');
	for (const input of await page.locator('.tools input').all())
		await input.fill('<script>');
	for (const head of await page.locator('thead button').all())
		await head.evaluate((button) => button.click());
	await page.evaluate(() => document.querySelectorAll('.cut').forEach((cut) => {
		cut.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
		cut.click();
	}));
	await page.waitForTimeout(200);
	const made = await page.evaluate(() => document.scripts.length
		- document.querySelectorAll('script.jr-flame-data, body > script').length);
	check(made === 0, 'no script was made', made);
	await page.setViewportSize({ width: 360, height: 740 });
	const wide = await page.evaluate(() => document.documentElement.scrollWidth);
	check(wide <= 360, 'fits 360 px with all names open', `${wide} px`);
}

main('hostile', async (browser, files) => {
	for (const file of files)
		for (const javaScriptEnabled of [true, false]) {
			session.subject = `${path.join(path.basename(path.dirname(file)), path.basename(file))}${
				javaScriptEnabled ? '' : ', without script'}`;
			const view = await judge(browser, file, { javaScriptEnabled });
			if (javaScriptEnabled && !file.endsWith('mail.html'))
				await drive(view);
			await view.close();
		}
});
