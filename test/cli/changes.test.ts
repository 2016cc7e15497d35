import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { changes } from '../../src/cli/changes.ts';
import { noChanges } from '../../src/results/changes.ts';
import { rendered } from '../support/rendered.ts';

test('no line is wider than a narrow terminal, however long the name of the job', () => {
  const run = { id: 8, job: `${'a-long-name-'.repeat(5)}job`, startedAt: 0, finishedAt: 1 };
  const tally = { counts: { ...noChanges(), company_found: 1_200 }, fields: [], samples: [] };
  const facts = { base: { ...run, id: 7 }, run, tally, ops: [] };
  const text = stripVTControlCharacters(rendered(changes, facts, 40));
  for (const line of text.split('\n')) expect(line.length, line).toBeLessThan(40);
});
