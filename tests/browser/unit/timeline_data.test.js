/*
 * templates/timeline_data.js: unpacking, sums over any stretch, and the rectangles of a lane.
 */
'use strict';

const assert = require('node:assert/strict');
const test = require('node:test');
const zlib = require('node:zlib');
const { jrTimeline } = require('./scripts');

/* Equal numbers for equal seeds. */
const random = (seed) => () => {
	seed = (seed * 1103515245 + 12345) % 2147483648;
	return seed / 2147483648;
};

/* A lane of n slices with gaps and durations below `most`, of ten things. */
const laneOf = (n, most, seed) => {
	const next = random(seed), lane = new jrTimeline.Lane(['Device 0', 'Compute', n, 0]);
	for (let i = 0, at = 0; i < n; i++) {
		lane.start[i] = at + Math.floor(next() * most * next());
		at = lane.end[i] = lane.start[i] + Math.floor(next() ** 8 * most * 50);
		lane.thing[i] = Math.floor(next() * 10);
	}
	lane.index([...Array(10).keys()].map((thing) => thing % 3));
	return lane;
};
const busyOf = (lane, from, to) => {
	let sum = 0;
	for (let i = 0; i < lane.n; i++)
		sum += Math.max(0, Math.min(to, lane.end[i]) - Math.max(from, lane.start[i]));
	return sum;
};

test('windows are side by side, and back', () => {
	const windows = [[0, 1000], [50000, 50500], [900000, 900500]];
	const { parts, x, t } = jrTimeline.overview(windows, 212, 6);
	assert.deepEqual(parts.map((part) => [part.x, part.w]), [[0, 100], [106, 50], [162, 50]]);
	for (const [from, to] of windows)
		for (const at of [from, (from + to) / 2, to])
			assert.equal(Math.round(t(x(at))), at);
	assert.deepEqual([-5, 2000, 49000, 1e6].map(x), [0, 100, 106, 212]);
	assert.deepEqual([-1, 103, 300].map(t), [0, 1000, 900500]);
	assert.equal(jrTimeline.overview([[0, 10]], 0, 6).t(5), 10); // a window of no width
});

test('a stretch as an option', () => {
	assert.equal(jrTimeline.option([1500000.2, 2000000.9]), '1.5ms..2.000001ms');
	assert.equal(jrTimeline.option([-20, 5e9]), '0ms..5000ms');
});

test('busy time of any stretch is exact', () => {
	const lane = laneOf(3000, 1000, 1), next = random(2), end = lane.end[lane.n - 1];
	for (let k = 0; k < 2000; k++) {
		const [from, to] = [next() * end, next() * end].map(Math.round).sort((a, b) => a - b);
		assert.equal(lane.busy(from, to), busyOf(lane, from, to));
	}
	for (const i of [0, 1, 700, lane.n - 1]) // a stretch that begins or ends with a slice
		assert.equal(lane.busy(lane.start[i], lane.end[i]), lane.length(i));
});

const sumsOf = (lane, from, to) => {
	const sums = [0, 0, 0];
	for (let i = 0; i < lane.n; i++)
		sums[lane.kind[i]] += Math.max(0, Math.min(to, lane.end[i]) - Math.max(from, lane.start[i]));
	return sums;
};

test('the slice that stands for others is the longest of the kind that takes most time', () => {
	const lane = laneOf(500, 100, 3), next = random(4);
	let longer = 0;
	for (let k = 0; k < 2000; k++) {
		const from = Math.floor(next() * lane.n), to = from + 1 + Math.floor(next() * (lane.n - from));
		const sums = sumsOf(lane, lane.start[from], lane.end[to - 1]), best = lane.leading(from, to);
		assert.equal(sums[lane.kind[best]], Math.max(...sums));
		for (let i = from; i < to; i++) {
			assert.ok(lane.kind[i] !== lane.kind[best] || lane.length(i) <= lane.length(best));
			longer += lane.length(i) > lane.length(best);
		}
	}
	assert.ok(longer > 0, 'there are longer slices of other kinds');
});

test('time by pixel and kind', () => {
	const lanes = [laneOf(3000, 1000, 7), laneOf(300, 10000, 8)], end = lanes[0].end[2999];
	for (const [from, to, width] of [[0, end, 500], [end * 0.3, end * 0.31, 77]]) {
		const sums = jrTimeline.shares(lanes, from, to, width, 3), px = (to - from) / width;
		for (let x = 0; x < width; x++) {
			const each = lanes.map((lane) => sumsOf(lane, from + x * px, from + (x + 1) * px));
			for (let kind = 0; kind < 3; kind++)
				assert.ok(Math.abs(sums[3 * x + kind] - each[0][kind] - each[1][kind]) < 1e-3 * px);
		}
	}
});

test('the area of the rectangles is the busy time', () => {
	const lane = laneOf(20000, 1000, 5), end = lane.end[lane.n - 1], next = random(6);
	for (const share of [1, 0.3, 0.01, 0.0003]) {
		const from = next() * end * (1 - share), to = from + end * share, width = 1000;
		const rects = lane.pixels(from, to, width), ns = (to - from) / width;
		let area = 0, runs = 0, seen = -1;
		for (let k = 0; k < rects.length; k += 4) {
			const [x, w, height, i] = rects.slice(k, k + 4);
			/* parts outside the stretch are outside the chart */
			area += height < 1 ? height * w : Math.min(width, x + w) - Math.max(0, x);
			runs += w <= 1;
			assert.ok(i > seen || lane.length(i) * width / (to - from) < 1, 'in order');
			seen = Math.max(seen, i);
			assert.ok(height > 0 || lane.length(i) === 0);
		}
		/* a column may lack a part of its last slice, which is shorter than a pixel */
		assert.ok(Math.abs(area * ns - lane.busy(from, to)) <= ns * (runs + 2));
		assert.ok(rects.length / 4 <= 2 * width + 4, 'no more rectangles than pixels');
	}
});

test('the slice at a time', () => {
	const lane = new jrTimeline.Lane(['Device 0', 'Compute', 3, 0]);
	[[10, 20], [20, 21], [100, 200]].forEach(([from, to], i) => {
		lane.start[i] = from;
		lane.end[i] = to;
	});
	lane.index([0]);
	assert.deepEqual([5, 12, 20, 20.5, 60, 150, 201].map((t) => lane.at(t, 2)),
		[-1, 0, 1, 1, -1, 2, 2]);
	assert.equal(lane.at(20, 0.1), 1);
	assert.deepEqual(lane.within(20, 100), [1, 2]);
});

const varint = (v) => {
	const out = [];
	for (; v >= 128; v = Math.floor(v / 128))
		out.push(v % 128 + 128);
	return [...out, v];
};

test('unpack', async () => {
	const json = Buffer.from(JSON.stringify({ names: ['a', 'b'], ops: ['x/a', 0], src: [0, 0],
		at: [0, 0], kind: [0, 1], flops: [null, null], bytes: [null, null], of: [null, null],
		lanes: [['Device 0', 'Compute', 2, 0], ['Device 0', 'Communication', 1, 1]],
		kinds: [['gemm', 'products'], ['wait', 'waiting']], steps: [[0, 300, 7]],
		windows: [[0, 300]], home: 7, path: [], left: 0,
		first: [], strip: { rows: [['Device 0', 'Device 0'], ['Device 1']], columns: [[7, 7]], kinds: 2 } }));
	const bytes = [...varint(json.length), ...json, 0, 1, 1, /* gaps */ 5, 0, ...varint(200),
		/* durations */ ...varint(130), 1, 40, /* waiting */ 30,
		/* strip */ ...varint(1234), ...varint(10000), 0, ...varint(9995)];
	const data = await jrTimeline.unpack(zlib.deflateSync(Buffer.from(bytes)).toString('base64'));
	const [compute, communication] = data.lanes;
	assert.deepEqual([...compute.start, ...compute.end], [5, 135, 135, 136]);
	assert.deepEqual([communication.start[0], communication.end[0], communication.wait[0]],
		[200, 240, 30]);
	assert.deepEqual(data.span, [0, 240]);
	assert.deepEqual(data.strip.ns.map((kind) => [...kind]), [[123e4, NaN], [0, 999e5]]);
	assert.deepEqual(jrTimeline.summary(data.lanes, 100, 210), [
		{ thing: 0, time: 35, count: 1, longest: 35 }, { thing: 1, time: 11, count: 2, longest: 10 }]);
});

test('which devices are shown', () => {
	const { MOST, added, device, devices } = jrTimeline, groups = [];
	for (let i = 0; i < 40; i++)
		groups.push(`Device ${i} on “node7”`);
	assert.equal(device(groups[12]), '12');
	assert.deepEqual(devices('1.5,2', groups), null);
	assert.deepEqual(devices('1.5,2,99', groups), null);
	assert.deepEqual(devices('1.5,2,3,12', groups), [groups[3], groups[12]]);
	assert.equal(devices(`0,1,${[...groups.keys()]}`, groups).length, MOST);
	assert.deepEqual(added(['a', 'b'], ['b', 'c']), ['a', 'b', 'c']);
	const full = groups.slice(0, MOST);
	assert.deepEqual(added(full, [groups[20]]), [...full.slice(1), groups[20]]); // the first leaves
	assert.equal(added(full, groups.slice(20)).length, MOST);
});

test('hosts of the rows of a strip', () => {
	const rows = ['Device 7 on “n1”', 'Devices 0 to 3 on “n1”', 'Devices 4 to 7 on “n1”',
		'Devices 8 to 15 on “n2”', 'Devices 16 to 47 on “n097” to “n104”', 'Devices 48 to 63',
		'Devices 64 to 79 on “a” to “b-9”'];
	assert.deepEqual(jrTimeline.hosts(rows), [undefined, undefined, undefined, 'n2', 'n097 to 104',
		undefined, 'a to b-9']);
});

test('colors of the strip', () => {
	const { extent, level } = jrTimeline;
	const strip = { ns: [[20, NaN, 12, 16], [3, 1, NaN, 2], [NaN]] };
	assert.deepEqual([extent(strip, 0), extent(strip, 1)], [[12, 20], [0, 3]]);
	assert.deepEqual([12, 13.5, 13.7, 20, NaN].map((v) => level(v, [12, 20], 5)), [0, 0, 1, 4, -1]);
	assert.deepEqual([extent(strip, 2), level(0, [0, 0], 5)], [[0, 0], 0]); // nothing is known
});

test('a text leads to names that have it, else to those that match it', () => {
	const names = ['fusion.1', 'fusion21', 'dot', 'void f(int*)'], ops = [null, 'jit/dot', 0, ''];
	const hits = (text) => [...jrTimeline.matching(text, [names, ops]) || ['none']];
	assert.deepEqual(['', '  ', 'FUSION.1', 'dot', '(int*', 'fusion.1$|^dot', '^D', '(', 'x+'].map(hits),
		[['none'], ['none'], [0], [1, 2], [3], [0, 1, 2], [2], [3], []]);
	assert.deepEqual(hits('(?'), []); // no regular expression
});

test('the same collective on other devices', () => {
	const lane = (sort, slices) => {
		const made = new jrTimeline.Lane(['', '', slices.length, sort]);
		slices.forEach(([thing, from, to], i) =>
			[made.thing[i], made.start[i], made.end[i]] = [thing, from, to]);
		made.index([0, 0]);
		return made;
	};
	const one = lane(1, [[0, 10, 20], [0, 30, 50]]), late = lane(1, [[0, 19, 21], [0, 49, 51]]);
	const two = lane(1, [[0, 25, 35], [0, 36, 50]]), other = lane(1, [[1, 10, 50]]);
	const lanes = [one, late, lane(0, [[0, 10, 20]]), other, two];
	const peers = (i) => jrTimeline.peers(lanes, one, i).map((mark) => [lanes.indexOf(mark.lane), mark.i]);
	assert.deepEqual([peers(0), peers(1)], [[[1, 0]], [[1, 1], [4, 1]]]);
});

test('the address of a view, a bar, a stretch and a search', () => {
	const { addressParts } = jrTimeline;
	assert.deepEqual(addressParts('1,2,3'), { view: '1,2,3' });
	assert.deepEqual(addressParts('1,2&m=1.5,1.75&b=4,1.2&q=a%26b%3B'),
		{ view: '1,2', m: '1.5,1.75', b: '4,1.2', q: 'a%26b%3B' });
	assert.deepEqual(addressParts(''), { view: '' });
});

test('texts', () => {
	const { time, address, stretch, step } = jrTimeline;
	assert.deepEqual([0, 999, 12345, 127.75e6, 1234567e6, -1500].map((ns) => time(ns)),
		['0\u00a0ns', '999\u00a0ns', '12.35\u00a0µs', '127.8\u00a0ms', '1235\u00a0s', '−1.500\u00a0µs']);
	assert.equal(address([1500000, 2000001]), '1.5,2.000001');
	assert.deepEqual(stretch('1.5,2.000001').map(Math.round), [1500000, 2000001]);
	for (const bad of ['', '1', '2,1', '1,1', 'a,b', '1,2e9x', '<script>,1'])
		assert.equal(stretch(bad), null, bad);
	assert.equal(step(1000, 10), 100);
	assert.ok(1001 / step(1001, 10) <= 10);
});
