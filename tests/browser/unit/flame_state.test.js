/*
 * templates/flame_state.js over flame_tree.js: zoom, folds, search and the permalink of a flamegraph.
 */
'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');
const { jrFlame, pack } = require('./scripts');

const WIDTH = 1000;
const MS = 1e6;

/* all | main 100 | step 90, idle 10 | a 60, b 29, tiny 1 */
const SMALL = [
	{ name: 'main', depth: 0 },
	{ name: 'step', depth: 1 },
	{ name: 'a', depth: 2, self: 60 * MS },
	{ name: 'b', depth: 2, self: 29 * MS },
	{ name: 'tiny', depth: 2, self: MS },
	{ name: 'wait', depth: 1, self: 10 * MS },
];
const [MAIN, STEP, A, B, TINY] = [1, 2, 3, 4, 5];

/* Two roots; below the first, four frames that pass all their time to callees, then one with two callees. */
const DEEP = [
	{ name: 'main', depth: 0 },
	...[1, 2, 3, 4, 5].map((depth) => ({ name: `pass${depth}`, depth })),
	{ name: 'left', depth: 6, self: 50 * MS },
	{ name: 'right', depth: 6, self: 30 * MS },
	{ name: 'other', depth: 0, self: 20 * MS },
];

const stateOf = (frames, more) => new jrFlame.State(pack(frames, more));
const names = (state) => state.layout(WIDTH).map((box) => state.name(box));
const boxOf = (state, name) => state.layout(WIDTH).find((box) => state.name(box) === name);
const find = (state, query) => {
	state.search.set(query);
	state.refresh();
};

test('at first everything is shown, and the address is empty', () => {
	const state = stateOf(SMALL);
	assert.equal(state.link(), '');
	assert.deepEqual(names(state), ['all', 'main', 'step', 'a', 'b', 'tiny', 'wait']);
	assert.ok(Math.abs(boxOf(state, 'step').w - 0.9 * WIDTH) < 1e-6);
	assert.equal(state.whole(), '100.0 ms');
});

test('a tree of bytes shows bytes', () => {
	const state = stateOf([{ name: 'main', depth: 0, self: 338184 }, { name: 'a', depth: 1, self: 999 }],
		{ unit: 'bytes' });
	assert.equal(state.whole(), '339.2 kB');
	assert.equal(state.values(boxOf(state, 'a')), '999 B, 0.29 %');
	assert.equal(state.values(boxOf(state, 'main')), '339.2 kB, 100.00 %; itself 338.2 kB');
	assert.equal(state.noun, 'size');
});

test('zoom puts a frame at full width below its callers', () => {
	const state = stateOf(SMALL);
	assert.equal(state.zoom(...state.target(boxOf(state, 'step'))), true);
	assert.deepEqual(names(state), ['all', 'main', 'step', 'a', 'b', 'tiny']);
	assert.equal(boxOf(state, 'step').w, WIDTH);
	assert.ok(Math.abs(boxOf(state, 'a').w - WIDTH * 60 / 90) < 1e-6);
	assert.deepEqual([state.pinned, state.link()], [STEP, `z=${STEP}`]);
	assert.equal(state.zoom(STEP, 0), false, 'the same again is nothing');
	assert.equal(state.values(boxOf(state, 'a')),
		'60.00 ms, 60.00 % (66.67 % of the zoomed frame)');
	assert.deepEqual(state.out(), [MAIN, 0]);
});

test('frames that are too narrow are gathered, and zoomed to together', () => {
	const state = stateOf(SMALL), boxes = state.layout(50);
	const box = boxes.find(({ n }) => n === 1);
	assert.equal(state.name(box), '… 1 frame');
	assert.deepEqual(state.target(box), [TINY, 0], 'one frame alone is zoomed to');
	const many = stateOf([{ name: 'main', depth: 0 }, { name: 'big', depth: 1, self: 1e6 },
		{ name: 'x', depth: 1, self: 1 }, { name: 'y', depth: 1, self: 1 }]);
	const gathered = many.layout(WIDTH).find(({ n }) => n === 2);
	assert.equal(many.name(gathered), '… 2 frames');
	assert.deepEqual(many.target(gathered), [1, 3]);
	many.zoom(1, 3);
	assert.deepEqual(names(many), ['all', 'main', 'x', 'y']);
	assert.deepEqual([many.link(), many.out()], ['z=1&g=3', [1, 0]]);
});

test('a place that does not lie below what is zoomed is left out', () => {
	const state = stateOf(SMALL);
	state.show(`z=${A}&g=${B}`);
	assert.deepEqual(state.focus(), [A, 0]);
});

test('a permalink is opened as it was left', () => {
	for (const link of ['', 'z=2', 'z=2&g=4', 's=a%7Cb%26%3B', 'f=1', 'u=all', 'z=3&s=x&f=1']) {
		const state = stateOf(SMALL);
		state.show(link);
		assert.equal(state.link(), link);
	}
});

test('a permalink with junk shows what it can and nothing else', () => {
	for (const link of ['z=99999999&g=-1&l=7&u=x.y.1e9&c=roof&w=base', 'z=6.5', 'z=0x2', 'z=1e0',
		'z=', 'u=', 'l=', 'f=2', 'q=1', '%', '&&&', 'z=9999999999']) {
		const state = stateOf(SMALL);
		state.show(link);
		assert.equal(state.link(), '', link);
		assert.equal(names(state).length, 7, link);
	}
	const state = stateOf(SMALL);
	state.show('z=2&s=%5B');
	assert.deepEqual([state.search.invalid, state.matches(), state.zoomed],
		[true, 'not a regular expression', STEP]);
});

test('show() leaves nothing of the state before', () => {
	const state = stateOf(DEEP);
	state.show('z=2&s=a&u=all&f=1');
	state.show('');
	assert.equal(state.link(), '');
	assert.deepEqual([state.pinned, state.search.step, state.folds], [0, -1, true]);
});

test('a flamegraph with its root at the bottom is flipped from there', () => {
	const state = stateOf(SMALL, { up: 1 });
	assert.deepEqual([state.flipped, state.link()], [true, '']);
	state.show('f=1');
	assert.deepEqual([state.flipped, state.link()], [false, 'f=1']);
});

test('a run in which no time is divided is one band until it is unfolded', () => {
	const state = stateOf(DEEP), all = state.layout(WIDTH), [band] = all.filter((box) => box.band);
	assert.equal(state.name(band), '… 4 frames: pass1 → pass4');
	assert.deepEqual(state.list(band), [1, 2, 3, 4].map((i) => `pass${i}`));
	state.unfold(band);
	assert.equal(state.link(), 'u=2');
	assert.equal(state.layout(WIDTH).length, all.length + 3);
	state.fold();
	assert.deepEqual([state.folds, state.link()], [true, ''], 'folds what was opened by hand');
	state.fold();
	assert.deepEqual([state.folds, state.link()], [false, 'u=all']);
	state.show('u=2.3.x');
	assert.deepEqual([...state.open], [2, 3]);
});

test('search: how much matches, and a match below a match counts once', () => {
	const state = stateOf(SMALL);
	find(state, 'step|^a$');
	assert.equal(state.matches(), '2 frames, 90.00 %');
	assert.ok(state.isMatch(boxOf(state, 'a')) && !state.isMatch(boxOf(state, 'b')));
	assert.equal(state.go(1, WIDTH), STEP);
	assert.equal(state.matches(), '1 of 2 frames, 90.00 %');
	assert.equal(state.go(1, WIDTH), A);
	assert.equal(state.go(1, WIDTH), STEP);
	find(state, 'none');
	assert.equal(state.matches(), 'no match, 0.00 %');
	find(state, '');
	assert.equal(state.matches(), '');
});

test('a step to a match zooms out, zooms in just so far, and unfolds', () => {
	const state = stateOf(SMALL);
	find(state, 'tiny');
	state.zoom(A, 0);
	state.go(1, WIDTH);
	assert.equal(state.zoomed, TINY, '1 of 90 is too narrow for a label');
	state.show('s=tiny');
	state.go(1, 100 * jrFlame.MIN_LABEL);
	assert.equal(state.zoomed, 0, '1 of 100 is wide enough');
	const deep = stateOf(DEEP);
	find(deep, 'pass3');
	deep.go(1, WIDTH);
	assert.deepEqual([...deep.open], [2]);
	assert.ok(names(deep).includes('pass3'));
});

test('frames that only pass calls on are left out, and a link to one shows it', () => {
	const state = stateOf(SMALL, { wrappers: ['step'] });
	assert.deepEqual(names(state), ['all', 'main', 'a', 'b', 'wait', 'tiny']);
	assert.equal(state.whole(), '100.0 ms', 'their time stays');
	find(state, 'step');
	assert.equal(state.matches(), 'no match, 0.00 %; 1 frame hidden');
	state.show('s=step');
	assert.deepEqual([state.level, state.matches()], [jrFlame.ALL, '1 frame, 90.00 %']);
	state.show('s=step&l=1');
	assert.equal(state.level, jrFlame.NO_WRAPPERS, 'unless it says otherwise');
	state.setLevel(jrFlame.ALL);
	assert.equal(state.link(), 's=step&l=0');
});

test('a comparison: widths, and a zoom that has no width in another run', () => {
	const state = stateOf([{ name: 'main', depth: 0 },
		{ name: 'gone', depth: 1, base: 40 * MS },
		{ name: 'kept', depth: 1, self: 60 * MS, base: 50 * MS },
		{ name: 'new', depth: 1, self: 5 * MS }]);
	assert.equal(state.by, jrFlame.AFTER);
	assert.equal(state.values(boxOf(state, 'kept')),
		'50.00 ms → 60.00 ms, +10.00 ms (+20.00 %)');
	assert.match(state.values(boxOf(state, 'new')), /\(added\)/);
	assert.equal(boxOf(state, 'gone'), undefined);
	find(state, 'gone');
	const i = state.go(1, WIDTH);
	assert.equal(state.more({ i, end: i + 1, n: 0, undrawn: true }),
		'This frame has no width here; press w to change what the width shows.');
	state.measureBy(state.nextWidth());
	state.refresh();
	assert.deepEqual([state.by, state.link()], [jrFlame.BEFORE, 'w=base&s=gone']);
	state.zoom(2, 0);
	state.measureBy(jrFlame.AFTER);
	assert.equal(state.zoomed, 0);
	state.show('w=change');
	assert.equal(state.nextWidth(), jrFlame.AFTER, 'in a circle');
});

test('colors by efficiency only where a roofline is known', () => {
	const state = stateOf(SMALL, { e: [20 * MS, -1, [0, 1, 1], -1] });
	state.show('c=roof');
	assert.deepEqual([state.colors, state.link()], [jrFlame.BY_ROOF, 'c=roof']);
	assert.equal(state.against(boxOf(state, 'a')), '; at 66.67 % of roofline, 20.00 ms above roofline');
	assert.equal(state.against(boxOf(state, 'b')), '');
});
