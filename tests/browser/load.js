/*
 * Response time of a page: ms from the start of navigation to the end of its load event, and to the
 * frame after a click on the first sortable header.
 * usage: node load.js LIMIT_BYTES LIMIT_MS LIMIT_WORK_MS PAGE; a limit of 0 ms: printed, not judged
 *
 * The fastest load is judged, because other work on the machine disturbed it least. The processor
 * time of the page's thread until the click is handled is judged, too: it depends least on the rest.
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
		const header = document.querySelector('.table:has(tbody:not(.always) tr + tr) thead th');
		header.click();
		const sorted = header.hasAttribute('aria-sort');
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
	const work = async () => 1000 * (await protocol.send('Performance.getMetrics')).metrics
		.find(({ name }) => name === 'TaskDuration').value;
	times.first = await work();
	times.longest = await page.evaluate(async () => {
		while (document.querySelector('main > section:not(.laid)'))
			await new Promise((resolve) => setTimeout(resolve, 50));
		return window.longest;
	});
	times.work = await work();
	await context.close();
	return times;
}

main('load', async (browser, [bytes, limit, workLimit, file]) => {
	session.subject = path.basename(path.dirname(path.resolve(file)));
	const size = fs.statSync(file).size;
	const loads = [];
	for (let i = 0; i < LOADS; i++)
		loads.push(await loadOnce(browser, pathToFileURL(path.resolve(file)).href));
	const sorted = (key) => loads.map((times) => times[key]).sort((a, b) => a - b);
	const median = (key) => Math.round(sorted(key)[LOADS >> 1]);
	const told = (key) => `${median(key)} ms (best ${Math.round(sorted(key)[0])})`;
	const most = (ms) => ms > 0 ? ` (at most ${ms})` : '';
	console.log(`${session.subject}: ${LOADS} loads, medians`);
	console.log(`        page   ${(size / 1e6).toFixed(3)} MB (at most ${bytes / 1e6})`);
	console.log(`        first paint ${told('paint')}, load event ${told('load')}, `
		+ `first click handled ${told('answer')}${most(limit)}`);
	console.log(`        main thread ${told('first')} of processor time until then${most(workLimit)}, `
		+ `${told('work')} until all is laid out, longest task ${told('longest')}`);
	check(size <= bytes, 'size', size);
	check(loads.every(({ answer }) => answer > 0), 'a click sorts');
	if (limit > 0)
		check(sorted('answer')[0] <= limit, 'first click handled', `${sorted('answer')[0]} ms`);
	if (workLimit > 0)
		check(sorted('first')[0] <= workLimit, 'work until then', `${sorted('first')[0]} ms`);
});
