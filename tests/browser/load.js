/*
 * Response time of a page: ms from the start of navigation to the end of its load event, and to the
 * frame after a click on the first sortable header.
 * usage: node load.js LIMIT_BYTES LIMIT_RATIO PAGE; a limit of 0: printed, not judged
 *
 * Times of an unknown machine judge nothing. So the processor time of the page's thread until the click is
 * handled is divided by that of a fixed page, which the same browser loads in turns with it. The fastest load of
 * each counts, because other work on the machine disturbed it least.
 */
'use strict';

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { check, main, session } = require('./session');

const LOADS = 9;

/*
 * The fixed page: what takes time in ours, none of it ours. A table that a click sorts, and charts whose marks have
 * titles, laid out in one go.
 */
function fixedPage() {
	const times = (n, part) => Array.from({ length: n }, (_, i) => part(i)).join('');
	const row = (i) => `<tr>${times(8, (k) => `<td>${(i * 7919 + k * 104729) % 99991}</td>`)}</tr>`;
	const mark = (i) => `<rect x="${i % 900}" y="${i % 200}" width="3" height="9"><title>mark ${i}</title></rect>`;
	return `<!DOCTYPE html><meta charset="utf-8"><title>fixed</title><style>td { padding: 2px 8px }</style>
		<div class="table"><table><thead><tr>${times(8, (k) => `<th>Column ${k}</th>`)}</tr></thead>
		<tbody>${times(400, row)}</tbody></table></div>
		${times(4, () => `<svg width="900" height="220">${times(250, mark)}</svg>`)}
		<script>
		const header = document.querySelector('th'), body = document.querySelector('tbody');
		header.onclick = () => {
			body.append(...[...body.rows].sort((a, b) => a.cells[0].textContent - b.cells[0].textContent));
			header.setAttribute('aria-sort', 'ascending');
		};
		</script>`;
}

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

main('load', async (browser, [bytes, limit, file]) => {
	session.subject = path.basename(path.dirname(path.resolve(file)));
	const size = fs.statSync(file).size;
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'load-'));
	const loads = [], fixed = [];
	try {
		fs.writeFileSync(path.join(folder, 'fixed.html'), fixedPage());
		for (let i = 0; i < LOADS; i++) {
			fixed.push(await loadOnce(browser, pathToFileURL(path.join(folder, 'fixed.html')).href));
			loads.push(await loadOnce(browser, pathToFileURL(path.resolve(file)).href));
		}
	} finally {
		fs.rmSync(folder, { recursive: true });
	}
	const sorted = (all, key) => all.map((times) => times[key]).sort((a, b) => a - b);
	const best = (all, key) => Math.round(sorted(all, key)[0]);
	const median = (key) => Math.round(sorted(loads, key)[LOADS >> 1]);
	const told = (key) => `${median(key)} ms (best ${best(loads, key)})`;
	const ratio = (key) => sorted(loads, key)[0] / sorted(fixed, key)[0];
	console.log(`${session.subject}: ${LOADS} loads, medians`);
	console.log(`        page   ${(size / 1e6).toFixed(3)} MB (at most ${bytes / 1e6})`);
	console.log(`        first paint ${told('paint')}, load event ${told('load')}, `
		+ `first click handled ${told('answer')}, ${ratio('answer').toFixed(2)} x the fixed page's `
		+ `${best(fixed, 'answer')} ms`);
	console.log(`        main thread ${told('first')} of processor time until then, ${ratio('first').toFixed(2)} x `
		+ `the fixed page's ${best(fixed, 'first')} ms${limit > 0 ? ` (at most ${limit})` : ''}, `
		+ `${told('work')} until all is laid out, longest task ${told('longest')}`);
	check(size <= bytes, 'size', size);
	check([...loads, ...fixed].every(({ answer }) => answer > 0), 'a click sorts');
	if (limit > 0)
		check(ratio('first') <= limit, 'work until the first click is handled', `${ratio('first')} x the fixed page's`);
});
