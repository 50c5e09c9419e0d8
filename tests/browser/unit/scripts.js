/*
 * The scripts of templates/ that do not touch a page, joined as in a page; and packed trees for them.
 */
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const TEMPLATES = path.resolve(__dirname, '../../../templates');
const ROLES = ['unknown', 'user', 'library'];

const text = ['view.js', 'flame_tree.js', 'flame_state.js', 'timeline_data.js'].map((name) =>
	fs.readFileSync(path.join(TEMPLATES, name), 'utf8')).join('\n');
const { jrView, jrFlame, jrTimeline } = vm.runInThisContext(
	`(() => {${text}\nreturn { jrView, jrFlame, jrTimeline };})()`);

/*
 * The object of render/flame_pack.c. `frames` is in preorder, each { name, depth (0: a root), self,
 * role, base, e }; `more` has further keys. Every name of `wrappers` only passes calls on.
 */
function pack(frames, { wrappers = [], ...more } = {}) {
	const names = [...new Set(frames.map(({ name }) => name))].sort();
	const packed = { v: 2, root: 'all', roles: ROLES, legend: [], p: names.map(() => 0), q: names,
		t: '4'.repeat(names.length), w: wrappers.map((name) => names.indexOf(name)),
		n: frames.map(({ name }) => names.indexOf(name)),
		u: frames.map(({ depth }, i) => i ? frames[i - 1].depth + 1 - depth : 0),
		r: frames.map(({ role = 'user' }) => 'ABC'[ROLES.indexOf(role)]).join(''),
		s: frames.map(({ self = 0 }) => self), ...more };
	if (frames.some(({ base }) => base !== undefined))
		packed.b = frames.map(({ base = 0 }) => base);
	return packed;
}

module.exports = { jrView, jrFlame, jrTimeline, pack };
