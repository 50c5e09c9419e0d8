/*
 * Pages of archives whose every name tries to break out (jr-generate --hostile-names, --long-names):
 * nothing is executed, requested or made into an element; the names appear as text; the layout
 * holds. Folders planted_KIND_SAMPLE are of --plant KIND: there each field of an input has its own
 * text. Each is searched for, and no element or attribute may exist that the page of the same
 * sample without it (planted_none_SAMPLE, listed before them) does not have. Interactive SVGs are
 * opened directly.
 * usage: BUILD=dir node hostile.js PAGE...
 */
'use strict';

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { check, checkColumns, main, open, session } = require('./session');
const planted = require('../hostile/planted.json');

/* The elements that a page may contain: templates and writers produce no others. */
const FOREIGN = 'img, iframe, object, embed, form, video, audio, base, link:not([rel=icon]), math, '
	+ 'foreignObject, [onerror], [onload], [onclick], [href^="javascript:"]';
/* Overrides and isolates, controls, C1 controls: none may reach a reader. */
const UNFIT = /[\u202A-\u202E\u2066-\u2069\u0000-\u0008\u000B-\u001F\u007F-\u009F]/;

async function judge(browser, file, options) {
	const url = pathToFileURL(path.resolve(file)).href, mail = file.endsWith('mail.html');
	const view = await open(browser, url, options);
	const { page } = view;
	const found = await page.evaluate(({ foreign }) => ({
		scripts: [...document.scripts].filter((s) =>
			!['application/json', 'application/octet-stream'].includes(s.type)).length,
		foreign: [...document.querySelectorAll(foreign)].map((e) => e.outerHTML.slice(0, 80)),
		text: document.body.textContent,
		attributes: [...document.querySelectorAll('[title], [aria-label], [alt]')].map((e) =>
			[e.title, e.getAttribute('aria-label'), e.alt].join(' ')).join('\n'),
	}), { foreign: mail ? FOREIGN.replace('img, ', 'img:not([src^="cid:"]), ') : FOREIGN });
	check(found.scripts === (mail ? 0 : 1), 'scripts', found.scripts);
	check(found.foreign.length === 0, 'no foreign element', found.foreign.slice(0, 3).join(' '));
	if (!isPlanted(file))
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
	if (!mail && /^planted_none/.test(folderOf(file)))
		await checkColumns(page);
	const nested = await page.evaluate(() => [...document.querySelectorAll('main > section')].length
		=== document.querySelectorAll('section').length);
	check(nested, 'sections are where they belong');
	return view;
}

/* Names handled by the script: tables, flamegraphs, tooltips, the clipboard's text. */
async function drive(view) {
	const { page } = view;
	await page.setViewportSize({ width: 1440, height: 900 });
	await page.evaluate(() => document.querySelectorAll('details').forEach((d) => { d.open = true; }));
	for (const svg of await page.locator('svg.jr-flame').all()) {
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
		- document.querySelectorAll('script.jr-flame-data, script.jr-timeline-data, body > script').length);
	check(made === 0, 'no script was made', made);
	await page.setViewportSize({ width: 360, height: 740 });
	const wide = await page.evaluate(() => document.documentElement.scrollWidth);
	check(wide <= 360, 'fits 360 px with all names open', `${wide} px`);
}

/* --- fields, one by one ---------------------------------------------------------------------- */

const folderOf = (file) => path.basename(path.dirname(path.resolve(file)));
const isPlanted = (file) => /^planted_/.test(folderOf(file));

/* [{ name, flags }] of tests/generator/fields.def. */
function fields() {
	const table = execFileSync(path.join(process.env.BUILD || 'build', 'jr-generate'),
		['--list-fields'], { encoding: 'utf8' });
	return table.trim().split('\n').map((line) => line.split('\t'))
		.map(([name, flags]) => ({ name, flags: flags.split(' ') }));
}

function payload(kind, { name, flags }) {
	let text = planted.other[name]?.[kind] ?? planted.kinds[kind];
	if (typeof text === 'object')
		text = text.repeat.repeat(text.times);
	return flags.includes('split') ? [...text].filter((c) => !planted.split.includes(c)).join('') : text;
}

/* A page's elements and all of its text: runs in the page. */
function census() {
	const made = new Set(), texts = [];
	for (const element of document.querySelectorAll('*')) {
		made.add(element.localName);
		for (const { name, value } of element.attributes) {
			made.add(`[${name}]`);
			if (/^(title|alt|aria-label|content|data-)/.test(name))
				texts.push(value);
		}
	}
	const every = (value) => {
		if (typeof value === 'string')
			texts.push(value);
		else if (value && typeof value === 'object')
			Object.values(value).forEach(every);
	};
	for (const data of document.querySelectorAll('script[type="application/json"]'))
		every(JSON.parse(data.textContent));
	const page = document.documentElement.cloneNode(true);
	page.querySelectorAll('script, style').forEach((element) => element.remove());
	return { made: [...made], text: page.textContent, data: texts.join('\n'),
		source: document.documentElement.outerHTML };
}

/* Return true if the text is complete, or visibly cut. */
function isShown(text, name, wanted, short) {
	const mark = `zq${name}`;
	for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
		const rest = text.slice(at + mark.length, at + mark.length + wanted.length + 1);
		let same = 0;
		while (same < wanted.length && rest[same] === wanted[same])
			same++;
		const cut = short || (wanted.length > 1000 && same >= 10);
		if (same === wanted.length || (cut && rest[same] === '…'))
			return true;
	}
	return false;
}

/* All texts of a report.json, as Node parses it. */
function jsonTexts(file) {
	const texts = [];
	JSON.parse(fs.readFileSync(file, 'utf8'), (name, value) => {
		texts.push(name, typeof value === 'string' ? value : '');
		return value;
	});
	return texts.join('\n');
}

/* Wait for the page's script: sections are laid out, flamegraphs have their controls. */
async function settled(page) {
	await page.evaluate(async () => {
		const done = () => !document.querySelector('main > section:not(.laid)')
			&& [...document.querySelectorAll('figure.flame:has(.jr-flame-data)')].every((figure) =>
				figure.querySelector('output'));
		for (let left = 400; left > 0 && !done(); left--)
			await new Promise((resolve) => setTimeout(resolve, 50));
	});
}

/* Labels of figures, by the script and in the original page. */
async function judgeLabels(page) {
	const loose = await page.evaluate(() => {
		const walk = document.createTreeWalker(document, NodeFilter.SHOW_TEXT), found = [];
		while (walk.nextNode())
			if (/[\u0590-\u08FF]/.test(walk.currentNode.data)
				&& walk.currentNode.parentElement.closest('svg text, svg title')?.localName === 'text')
				found.push(walk.currentNode);
		return found.find((node) =>
			getComputedStyle(node.parentElement).unicodeBidi !== 'isolate')?.data;
	});
	check(loose === undefined, 'right to left is set apart in labels', loose);
}

async function judgeFields(view, file, plain) {
	const [, kind, sample] = /^planted_([a-z0-9]+)_(\w+)$/.exec(folderOf(file));
	const mail = file.endsWith('mail.html'), key = `${sample} ${path.basename(file)}`;
	const found = await view.page.evaluate(census);
	if (kind === 'none') {
		plain[key] = new Set([...plain[key] ?? [], ...found.made]);
		return;
	}
	/* right-to-left text is isolated; long sources wrap before their line */
	const isolated = mail ? ['span', '[dir]'] : ['bdi', 'tspan', '[unicode-bidi]'];
	const apart = ['wbr', ...(kind === 'rtl' ? isolated : [])];
	const made = found.made.filter((what) => !plain[key].has(what) && !apart.includes(what));
	check(made.length === 0, 'no element or attribute of its own', made.join(' '));
	check(/zq[A-Z]/.test(found.text), 'names are there');
	if (kind === 'rtl')
		check(found.made.includes(mail ? '[dir]' : 'bdi'), 'right to left is set apart');
	if (kind === 'rtl' && !mail)
		await judgeLabels(view.page);
	const json = jsonTexts(path.join(path.dirname(file), 'report.json'));
	for (const field of fields()) {
		const has = (flag) => field.flags.includes(flag);
		/* a message of the profiler is one line: visible line breaks become blanks */
		const text = field.name === 'Message'
			? payload(kind, field).replace(/[\u2409\u240A\u240D\s]+/g, ' ').trimEnd()
			: payload(kind, field);
		if (has('hidden') || has('structure')) {
			check(!found.source.includes(`zq${field.name}`), `${field.name} is not shown`);
		} else if (has('export') === (sample === 'export')) {
			/* a name of a file is cut in its middle, a line of source at its 300th byte */
			const cut = ['DamagedFile', 'SourceText'].includes(field.name) ? 60 : Infinity;
			check(json.includes(`zq${field.name}${text.slice(0, cut)}`), `${field.name} in report.json`);
			const told = mail ? found.text : `${found.text}\n${found.data}`;
			/* a mail has only some of the text, and less room: it is complete or visibly cut */
			if (mail ? told.includes(`zq${field.name}`) : !has('data'))
				check(isShown(told, field.name, text, mail), `${field.name} is shown as it is`);
		}
	}
}

/* An interactive flamegraph as a separate document. */
async function judgeImage(browser, file) {
	const view = await open(browser, pathToFileURL(path.resolve(file)).href, {});
	const found = await view.page.evaluate(({ foreign }) => ({
		foreign: [...document.querySelectorAll('*')].filter((e) => e.matches(foreign)
			|| [...e.attributes].some((a) => /^on/i.test(a.name))).map((e) => e.outerHTML.slice(0, 80)),
		text: document.documentElement.textContent,
	}), { foreign: FOREIGN });
	check(found.foreign.length === 0, 'no foreign element', found.foreign.slice(0, 3).join(' '));
	check(/zq\w/.test(fs.readFileSync(file, 'utf8')), 'names are there');
	check(!UNFIT.test(found.text), 'no control or override', JSON.stringify(UNFIT.exec(found.text)));
	for (const input of await view.page.locator('input').all())
		await input.fill('zq');
	for (const key of ['Tab', 'ArrowDown', 'ArrowDown', 'Enter', 'ArrowDown', '/', 'z', 'q'])
		await view.page.keyboard.press(key);
	await judgeLabels(view.page);
	await view.page.mouse.move(300, 150);
	await view.page.waitForTimeout(100);
	await view.close();
}

main('hostile', async (browser, files) => {
	const plain = {};
	for (const file of files) {
		if (file.endsWith('.svg')) {
			session.subject = `${folderOf(path.dirname(file))}/${path.basename(file)}`;
			await judgeImage(browser, file);
			continue;
		}
		const usual = /^planted_(?!script)/.test(folderOf(file)); /* without a script: one of them does */
		for (const javaScriptEnabled of usual ? [true] : [true, false]) {
			session.subject = `${path.join(path.basename(path.dirname(file)), path.basename(file))}${
				javaScriptEnabled ? '' : ', without script'}`;
			const view = await judge(browser, file, { javaScriptEnabled });
			if (javaScriptEnabled && !file.endsWith('mail.html'))
				await settled(view.page);
			if (isPlanted(file))
				await judgeFields(view, file, plain);
			if (javaScriptEnabled && !file.endsWith('mail.html'))
				await drive(view);
			await view.close();
		}
	}
});
