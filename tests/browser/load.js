/*
 * Response time of a page: ms from the start of navigation to the end of its load event, and to the
 * frame after a click on the first sortable header.
 * usage: node load.js LIMIT_BYTES LIMIT_MS PAGE; LIMIT_MS 0: printed, not judged
 *
 * The fastest load is judged, because other work on the machine disturbed it least.
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { check, main, session } = require('./session');

const LOADS = 9;

/* Runs in the page before its own script. */
function observe() {
	window.longest = 0;
	new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
		window.longest = Math.max(window.longest, entry.duration);
	})).observe({ type: 'longtask', buffered: true });
	window.answered = new Promise((resolve) => addEventListener('load', () => setTimeout(() => {
		const header = document.querySelector('thead th button');
		header.click();
		const sorted = header.parentNode.hasAttribute('aria-sort');
		requestAnimationFrame(() => {
			const channel = new MessageChannel();
			channel.port1.onmessage = () => resolve(sorted ? performance.now() : NaN);
			channel.port2.postMessage(0);
		});
	})));
}

async function loadOnce(browser, url) {
	const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
	const page = await context.newPage();
	await page.addInitScript(observe);
	const protocol = await context.newCDPSession(page);
	await protocol.send('Performance.enable', { timeDomain: 'threadTicks' });
	await page.goto(url);
	const times = await page.evaluate(async () => {
		const answer = await window.answered;
		const { loadEventEnd } = performance.getEntriesByType('navigation')[0];
		const [paint] = performance.getEntriesByName('first-contentful-paint');
		return { paint: paint ? paint.startTime : NaN, load: loadEventEnd, answer };
	});
	times.longest = await page.evaluate(async () => {
		while (document.querySelector('main > section:not(.laid)'))
			await new Promise((resolve) => setTimeout(resolve, 50));
		return window.longest;
	});
	const { metrics } = await protocol.send('Performance.getMetrics');
	times.work = 1000 * metrics.find(({ name }) => name === 'TaskDuration').value;
	await context.close();
	return times;
}

main('load', async (browser, [bytes, limit, file]) => {
	session.subject = path.basename(path.dirname(path.resolve(file)));
	const size = fs.statSync(file).size;
	const loads = [];
	for (let i = 0; i < LOADS; i++)
		loads.push(await loadOnce(browser, pathToFileURL(path.resolve(file)).href));
	const sorted = (key) => loads.map((times) => times[key]).sort((a, b) => a - b);
	const median = (key) => Math.round(sorted(key)[LOADS >> 1]);
	const told = (key) => `${median(key)} ms (best ${Math.round(sorted(key)[0])})`;
	console.log(`${session.subject}: ${LOADS} loads, medians`);
	console.log(`        page   ${(size / 1e6).toFixed(3)} MB (at most ${bytes / 1e6})`);
	console.log(`        first paint ${told('paint')}, load event ${told('load')}, `
		+ `first click handled ${told('answer')}${limit > 0 ? ` (at most ${limit})` : ''}`);
	console.log(`        main thread ${told('work')} of processor time until all is laid out, `
		+ `longest task ${told('longest')}`);
	check(size <= bytes, 'size', size);
	check(loads.every(({ answer }) => answer > 0), 'a click sorts');
	if (limit > 0)
		check(sorted('answer')[0] <= limit, 'first click handled', `${sorted('answer')[0]} ms`);
});
