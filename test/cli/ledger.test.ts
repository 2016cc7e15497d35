import { expect, test } from 'vitest';
import { info, merge } from '../../src/cli/ledger.ts';
import { rendered } from '../support/rendered.ts';

test('facts are shown as one label per line, with relative paths and readable sizes', () => {
  const facts = { ledger: `${process.cwd()}/a.db`, from: 'b.db', taken: 1_200, damaged: 0 };
  expect(rendered(merge, facts)).toBe(
    'ledger            a.db\nfrom              b.db\ntaken             1,200\ndamaged           0\n',
  );
});

test('a list of facts is a table if it fits, otherwise blocks of lines', () => {
  const facts = { ok: false, bytes: { free: 4_100 }, jobs: [{ job: 'a', oldestRunAt: 'x' }] };
  const wide = ['ok                no', '', 'bytes', '  free            4.1 KB', '', 'jobs'];
  expect(rendered(info, facts).split('\n')).toEqual([
    ...wide,
    '  job  oldest run at',
    '  a    x',
    '',
  ]);
  const long = { ...facts, snapshot: null, jobs: [{ job: 'a', why: 'long '.repeat(20).trim() }] };
  const shown = rendered(info, long, 60).split('\n');
  expect(shown).toContain('job  a');
  for (const line of shown) expect(line.length).toBeLessThan(60);
});
