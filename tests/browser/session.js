/*
 * Shared code of the programs in this folder: a headless browser, pages that record forbidden
 * behavior, and the count of checks. CHROMIUM selects a browser other than Debian's.
 * SAMPLES=1: the reports are those of the samples, so each sought thing must be in one of them.
 */
'use strict';

const { chromium } = require('playwright-core');

const count = { passed: 0, failed: 0 };
const session = { subject: '' };
const seen = new Set();

/* Note that the subject of a check was found: it must be in one report, not in every one. */
function met(what) {
	seen.add(what);
}

function check(ok, what, detail) {
	if (ok) {
		count.passed++;
	} else {
		count.failed++;
		console.log(`FAILED ${session.subject}: ${what}${detail === undefined ? '' : `: ${detail}`}`);
	}
}

function launch() {
	return chromium.launch({
		executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
		args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
			'--disable-background-networking', '--disable-component-update', '--disable-sync'],
	});
}

/* A page; `bad` collects its requests, messages and errors. */
async function open(browser, url, options) {
	const context = await browser.newContext({ viewport: { width: 1440, height: 900 },
		offline: true, ...options });
	const page = await context.newPage();
	const bad = [];
	page.on('console', (message) => bad.push(`console: ${message.text()}`));
	page.on('pageerror', (error) => bad.push(`error: ${error.message}`));
	page.on('request', (request) => {
		const asked = request.url();
		if (asked.split('#')[0] !== url.split('#')[0] && !asked.startsWith('data:'))
			bad.push(`request: ${asked}`);
	});
	page.on('dialog', (dialog) => {
		bad.push(`dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	await page.addInitScript(() => addEventListener('securitypolicyviolation',
		(event) => console.log(`policy: ${event.violatedDirective} ${event.blockedURI}`)));
	await page.goto(url);
	return { page, bad, close: async () => {
		check(bad.length === 0, 'silence', bad.slice(0, 5).join('; '));
		await context.close();
	} };
}

/*
 * On a common screen with a scroll bar, each row of a table is visible up to its last column;
 * names cut for that keep their ends, and the text around the cut is unchanged.
 */
async function checkColumns(page) {
	await page.setViewportSize({ width: 1425, height: 900 });
	const beyond = await page.evaluate(() => [...document.querySelectorAll('.table .scroll')]
		.filter((box) => box.scrollWidth > box.clientWidth)
		.map((box) => `${box.parentNode.id} by ${box.scrollWidth - box.clientWidth} px`));
	check(beyond.length === 0, 'all columns of the tables', beyond.join(', '));
	const { narrow, eaten } = await page.evaluate(() => {
		/* files show only their last part and line; brief.js checks those */
		const cuts = [...document.querySelectorAll('.cut:not(.file)')].filter((cut) =>
			cut.checkVisibility({ contentVisibilityAuto: true }));
		const size = (cut) => parseFloat(getComputedStyle(cut).fontSize);
		return { narrow: cuts.find((cut) => cut.clientWidth < 7 * size(cut))?.textContent,
			eaten: cuts.find((cut) => cut.innerText.replace(/\n/g, '') !== cut.textContent)?.textContent };
	});
	check(!narrow, 'names that are cut still tell something', narrow);
	check(!eaten, 'spaces beside a cut', eaten);
}

/*
 * Run the program: its closing line and status give the result of the checks. A part of `sought`
 * that was never found has not been checked at all.
 */
function main(name, work, sought = []) {
	(async () => {
		const browser = await launch();
		await work(browser, process.argv.slice(2));
		session.subject = 'all reports';
		for (const what of sought.filter((one) => !seen.has(one)))
			if (process.env.SAMPLES)
				check(false, `in none of them: ${what}`);
			else
				console.log(`${name}: SKIPPED ${what}: in none of the reports`);
		await browser.close();
	})().catch((error) => {
		count.failed++;
		console.log(`${name}: ${session.subject}: ${error.message}`);
	}).then(() => {
		console.log(`${name}: ${count.passed} passed, ${count.failed} failed`);
		process.exit(count.failed ? 1 : 0);
	});
}

module.exports = { check, checkColumns, main, met, open, session };
