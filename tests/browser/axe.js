/*
 * Accessibility by axe-core: no serious or critical violation in any page, in light and
 * dark, in wide and narrow windows. EVERY=n: of these each n-th, from PART on.
 * usage: node axe.js PAGE...
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { check, main, open, session } = require('./session');

const AXE = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [1440, 360];
const GRAVE = ['serious', 'critical'];

/* Create, lay out and show everything: axe-core ignores what is not shown. */
async function unfold() {
	const asleep = () => document.querySelectorAll('script.jr-flame-data').length
		> document.querySelectorAll('.jr-flame-bar').length
		|| (document.querySelector('script.jr-timeline-data') && !document.querySelector('.jr-timeline'))
		|| document.querySelector('main > section:not(.laid)'); // by the page, with its tables
	for (let left = 200; left > 0 && asleep(); left--)
		await new Promise((resolve) => setTimeout(resolve, 50));
	for (const details of document.querySelectorAll('details'))
		details.open = true;
	for (const toggle of document.querySelectorAll('input.toggle'))
		toggle.checked = true;
}

async function judge(browser, url, options) {
	const view = await open(browser, url, { bypassCSP: true, ...options });
	await view.page.evaluate(unfold);
	await view.page.evaluate(AXE);
	const { violations } = await view.page.evaluate(() => window.axe.run(document,
		{ resultTypes: ['violations'] }));
	const grave = violations.filter(({ impact }) => GRAVE.includes(impact));
	for (const { id, nodes } of violations.filter(({ impact }) => !GRAVE.includes(impact)))
		console.log(`        ${session.subject}: ${id} (not grave): ${nodes[0].target}`);
	for (const { id, nodes } of grave)
		console.log(nodes.slice(0, 3).map((node) => `        ${session.subject}: ${id}: ${node.target}: `
			+ `${node.any.map(({ message }) => message).join(' ').slice(0, 200)}`).join('\n'));
	check(grave.length === 0, 'no grave violation',
		grave.map(({ id, nodes }) => `${id} ${nodes.length} x`).join(', '));
	await view.close();
}

main('axe', async (browser, pages) => {
	const every = Number(process.env.EVERY) || 1, part = Number(process.env.PART) || 0;
	const views = pages.flatMap((file) => ['light', 'dark'].flatMap((colorScheme) =>
		WIDTHS.map((width) => ({ file, colorScheme, width }))));
	for (const { file, colorScheme, width } of views.filter((_, n) => (n + part) % every === 0)) {
		session.subject = `${path.join(path.basename(path.dirname(file)),
			path.basename(file))}, ${colorScheme}, ${width} px`;
		await judge(browser, pathToFileURL(path.resolve(file)).href,
			{ colorScheme, viewport: { width, height: 900 } });
	}
});
