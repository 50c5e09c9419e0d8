/*
 * templates/view.js: the address, search, keys, steps from mark to mark, numbers as text.
 */
'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');
const { jrView } = require('./scripts');

/* A window with a history of entries; `base` is its address without the part after "#". */
function windowAt(hash = '', base = 'file:///index.html') {
	const location = { pathname: '/index.html', search: '', hash, href: base + hash };
	const history = { state: null, calls: [] };
	const go = (how) => (state, _, url) => {
		history.calls.push(how);
		history.state = state;
		location.hash = url.includes('#') ? url.slice(url.indexOf('#')) : '';
		location.href = base + location.hash;
	};
	history.pushState = go('push');
	history.replaceState = go('replace');
	return { location, history };
}

function chart(id, state = '') {
	return { id, state, shown: [], appeared: 0, link() {
		return this.state;
	}, show(to) {
		this.state = to;
		this.shown.push(to);
	}, appear() {
		this.appeared++;
	} };
}

function linksAt(window, ...charts) {
	const links = new jrView.Links(window);
	links.charts.push(...charts);
	return links;
}

test('an address keeps the state of each chart', () => {
	const states = [['fig-a', 'z=12&s=dot%3B'], ['fig-b', ''], ['fig-c', 'f=1']];
	const hash = `#${jrView.encode(states)}`;
	assert.equal(hash, '#fig-a!z=12&s=dot%3B;fig-c!f=1');
	assert.deepEqual([...jrView.decode(hash)], [states[0], states[2]]);
	assert.equal(jrView.encode([['a', ''], ['b', '']]), '');
});

test('an address without a state is decoded to nothing', () => {
	for (const hash of ['', '#', '#notes', '#;;', '#a=1;b'])
		assert.equal(jrView.decode(hash).size, 0, hash);
	assert.deepEqual([...jrView.decode('#!x;a!;b!c!d')], [['', 'x'], ['a', ''], ['b', 'c!d']]);
});

test('a change is written to the address and to the history', () => {
	const window = windowAt(), a = chart('a'), b = chart('b');
	const links = linksAt(window, a, b);
	a.state = 'z=1';
	links.remember(true);
	assert.equal(window.location.hash, '#a!z=1');
	assert.deepEqual(window.history.state.flames, { a: 'z=1', b: '' });
	a.state = '';
	links.remember(false);
	assert.equal(window.location.hash, '');
	assert.deepEqual(window.history.calls, ['push', 'replace']);
});

test('a link to another place of the page stays when nothing is shown', () => {
	const window = windowAt('#notes');
	linksAt(window, chart('a')).remember(true);
	assert.equal(window.location.hash, '#notes');
});

test('an opened permalink shows its charts and scrolls to them', () => {
	const window = windowAt('#a!z=1'), a = chart('a'), b = chart('b', 'f=1');
	linksAt(window, a, b).recall();
	assert.deepEqual([a.shown, a.appeared, b.shown, b.appeared], [['z=1'], 1, [''], 0]);
	assert.deepEqual(window.history.state.flames, { a: 'z=1', b: '' });
});

test('an entry of the history wins over the address', () => {
	const window = windowAt('#a!z=2'), a = chart('a'), b = chart('b', 'f=1');
	window.history.state = { flames: { a: 'z=1' }, other: 7 };
	linksAt(window, a, b).recall();
	assert.deepEqual([a.shown, b.shown, a.appeared], [['z=1'], [''], 0]);
	assert.deepEqual(window.history.calls, []);
});

test('a link elsewhere changes no chart, and other state of the history stays', () => {
	const window = windowAt('#notes'), a = chart('a', 'z=1');
	window.history.state = { other: 7 };
	linksAt(window, a).recall();
	assert.deepEqual(a.shown, []);
	assert.deepEqual(window.history.state, { other: 7, flames: { a: 'z=1' } });
});

test('a page without a history has no permalink and no error', () => {
	const window = windowAt();
	window.history.pushState = () => {
		throw new Error('sandboxed');
	};
	linksAt(window, chart('a', 'z=1')).remember(true);
	assert.equal(window.location.hash, '');
});

test('search steps through its hits in a circle', () => {
	const search = new jrView.Search(), names = ['add', 'mul', 'ADDMUL'];
	const match = (regexp) => ({ hits: [0, 1, 2].filter((i) => regexp.test(names[i])) });
	search.run(match);
	assert.deepEqual([search.found, search.count(), search.go(1)], [null, 0, undefined]);
	search.set('add');
	search.run(match);
	assert.deepEqual([search.go(1), search.go(1), search.go(1)], [0, 2, 0]);
	assert.equal(search.go(-1), 2);
	search.set('add');
	search.run(match);
	assert.equal(search.go(-1), 2, 'backwards from the last');
	search.set('nothing');
	search.run(match);
	assert.deepEqual([search.go(1), search.step], [undefined, -1]);
});

test('an invalid regular expression is marked and finds nothing', () => {
	const search = new jrView.Search();
	search.set('(');
	search.run(() => ({ hits: [1] }));
	assert.deepEqual([search.invalid, search.count()], [true, 0]);
	search.set('a');
	search.run(() => ({ hits: [1] }));
	assert.deepEqual([search.invalid, search.count()], [false, 1]);
});

test('a key is taken from the browser only where it did something', () => {
	const done = [];
	const keys = { n: () => void done.push('n'), w: () => false };
	const press = (key, held = {}) => {
		let prevented = false;
		jrView.press({ key, preventDefault: () => prevented = true, ...held }, keys);
		return prevented;
	};
	assert.equal(press('n'), true);
	for (const held of ['ctrlKey', 'metaKey', 'altKey'])
		assert.equal(press('n', { [held]: true }), false, held);
	assert.equal(press('w'), false);
	assert.equal(press('q'), false);
	assert.deepEqual(done, ['n']);
});

/* all | a b | a1 a2 (gap) b1 */
const ROWS = [[[0, 100]], [[0, 60], [60, 40]], [[0, 20], [20, 30], [70, 30]]].map((row, r) =>
	row.map(([x, w]) => ({ row: r, x, w })));

test('arrows walk along a row and between rows', () => {
	const walk = (r, k, key, upwards = false) => {
		const to = jrView.walk(ROWS, r < 0 ? null : ROWS[r][k], `Arrow${key}`, upwards);
		return to ? [to.row, ROWS[to.row].indexOf(to)] : to;
	};
	assert.deepEqual(walk(-1, 0, 'Down'), [0, 0]);
	assert.deepEqual(walk(0, 0, 'Down'), [1, 0]);
	assert.deepEqual(walk(1, 0, 'Right'), [1, 1]);
	assert.deepEqual(walk(1, 1, 'Right'), undefined);
	assert.deepEqual(walk(1, 0, 'Left'), undefined);
	assert.deepEqual(walk(1, 1, 'Down'), [2, 2]);
	assert.deepEqual(walk(2, 2, 'Down'), undefined);
	assert.deepEqual(walk(2, 2, 'Up'), [1, 1]);
	assert.deepEqual(walk(0, 0, 'Up'), undefined);
	assert.deepEqual(walk(0, 0, 'Up', true), [1, 0], 'upwards');
	assert.deepEqual(walk(2, 1, 'Down', true), [1, 0], 'upwards');
});

test('the mark at a place of a row, gaps and ends included', () => {
	const at = (x) => ROWS[2].indexOf(jrView.markAt(ROWS[2], x));
	assert.deepEqual([0, 19.9, 20, 49.9, 50, 69.9, 70, 99.9, 100, -1].map(at),
		[0, 0, 1, 1, -1, -1, 2, 2, -1, -1]);
	assert.equal(jrView.markAt([], 5), null);
});

test('a zoom begins where the mark was and ends as drawn', () => {
	const before = { x: 40, w: 10 }, after = { x: 0, w: 100 };
	const [scale, shift] = jrView.between(before, after, 0);
	assert.ok(Math.abs(scale * after.x + shift - before.x) < 1e-9);
	assert.ok(Math.abs(scale * (after.x + after.w) + shift - before.x - before.w) < 1e-9);
	assert.deepEqual(jrView.between(before, after, 1), [1, 0]);
	assert.ok(jrView.between(before, after, 0.5)[0] > 0.5, 'most of the way in the first half');
});

test('numbers as text', () => {
	assert.equal(jrView.time(1234567890), '1.235 s');
	assert.equal(jrView.time(13043784000), '13.04 s');
	assert.equal(jrView.time(2500000000000), '2,500 s');
	assert.equal(jrView.time(127231), '127.2 µs');
	assert.equal(jrView.time(0.4), '<1 ns');
	assert.equal(jrView.percent(1, 3), '33.33 %');
	assert.equal(jrView.percent(1, 0), '0.00 %');
	assert.deepEqual([1.25, -1.25, 0].map((v) => jrView.signed(v, 1)), ['+1.3', '−1.3', '0.0']);
});

test('bytes have four digits and a decimal unit', () => {
	assert.deepEqual([0, 512, 999, 1000, 99999, 999949, 999960, 38214567890, 5e15].map(jrView.bytes),
		['0 B', '512 B', '999 B', '1.000 kB', '100.0 kB', '999.9 kB', '1.000 MB', '38.21 GB', '5,000 TB']);
});

test('names that would look equal show where they differ', () => {
	const names = ['sm80_xmma_gemm_f32f32_tilesize64x256x8_a4', 'sm80_xmma_gemm_f32f32_tilesize128x128x8_a4', 'copy'];
	assert.deepEqual(jrView.apart(names, 24),
		['sm80_xmma_…tilesize64x256x8_a4', 'sm80_xmma_…tilesize128x128x8_a4', 'copy']);
	assert.deepEqual(jrView.apart(names, 60), names);
	const equal = ['x'.repeat(80), 'x'.repeat(80)];
	assert.deepEqual(jrView.apart(equal, 24), equal);
	const long = [`${'y'.repeat(50)}a`, `${'y'.repeat(50)}b`];
	assert.deepEqual(jrView.apart(long, 24), [`${'y'.repeat(10)}…a`, `${'y'.repeat(10)}…b`]);
});
