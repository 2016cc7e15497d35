import { expect } from 'vitest';
import type { RowRecord } from '../../../../src/core/columns/run-records.ts';
import { matchedRow, rejectedRow } from '../../../core/columns/sample-records.ts';
import { sharedPostgres, testWithPostgres } from '../../../support/postgres.ts';
import { peopleOf, sourceOf } from '../../sample-run.ts';
import { changeOf, factsOf, load, loadOptions } from './load-sample.ts';

const postgres = sharedPostgres();

const rows = [matchedRow(1), rejectedRow(2), matchedRow(3)];

testWithPostgres(
  'a night without changes writes one line in runs, and the same run again none',
  async () => {
    const { url, sql } = await postgres();
    const people = [
      peopleOf('c_1', [{ person_id: 'p_1' }, { position: 'CFO' }, { position: 'CFO' }]),
    ];
    const source = { ...sourceOf(rows, people), changes: [changeOf()] };
    const tables = ['companies', 'people', 'rejects', 'changes', 'runs'];
    const versions = tables.map((table) => `select '${table}', xmin::text from same.${table}`);
    const written = () => sql(`${versions.join(' union all ')} order by 1, 2`);
    await load(source, loadOptions(url, 'same', factsOf(2)));
    const first = await written();
    await load(source, loadOptions(url, 'same', factsOf(2)));
    expect(await written()).toEqual(first);

    await load(sourceOf(rows, people), loadOptions(url, 'same', factsOf(3)));
    const later = await written();
    expect(later).toHaveLength(first.length + 1);
    expect(later).toEqual(expect.arrayContaining(first));
  },
);

testWithPostgres(
  'changed rows are updated, new ones inserted, and removed ones deleted',
  async () => {
    const { url, sql } = await postgres();
    const on = (night: number, some: readonly RowRecord[]) =>
      load(sourceOf(some), loadOptions(url, 'nightly', factsOf(night)));
    await on(1, rows);
    const same = `select xmin from nightly.companies where row_key = 'crm-1'`;
    const before = await sql(same);
    const changed = matchedRow(3, { identifier: 'acme.com' });
    await on(2, [rows[0] as RowRecord, changed, matchedRow(4)]);
    expect(await sql(same)).toEqual(before);
    expect(await sql('select row_key, identifier from nightly.companies order by 1')).toEqual([
      'crm-1|51824753556',
      'crm-3|acme.com',
      'crm-4|51824753556',
    ]);
    expect(await sql('select row_key from nightly.rejects')).toEqual([]);
  },
);

testWithPostgres(
  'people without an id are counted within their company, and none is lost',
  async () => {
    const { url, sql } = await postgres();
    const nameless = { position: 'Joiner' };
    const people = [
      peopleOf('c_1', [nameless, { person_id: '#1' }, nameless]),
      peopleOf('c_2', [nameless]),
    ];
    await load(sourceOf(rows, people), loadOptions(url, 'people', factsOf(1)));
    expect(
      await sql(
        'select company_id, person_key, person_id, position from people.people order by 1, 2',
      ),
    ).toEqual(['c_1|##1|#1|', 'c_1|#1||Joiner', 'c_1|#2||Joiner', 'c_2|#1||Joiner']);
    await load(sourceOf(rows), loadOptions(url, 'people', factsOf(2)));
    // The job searches no people any more.
    expect(await sql('select count(*) from people.people')).toEqual(['0']);
  },
);

testWithPostgres('a row that leaves the list changes no other record of the tables', async () => {
  const { url, sql } = await postgres();
  const people = [peopleOf('c_1', [{ person_id: 'p_1' }])];
  await load(
    sourceOf([rejectedRow(1), ...rows.slice(1)], people),
    loadOptions(url, 'left', factsOf(1)),
  );
  const stored =
    `select xmin, row_key from left_.companies union all select xmin, row_key from left_.rejects
    union all select xmin, person_key from left_.people order by 2`.replaceAll('left_', '"left"');
  const before = await sql(stored);
  const moved = rows.slice(1).map((row, index) => ({ ...row, number: index + 1 }));
  const shifted = people.map((of) => ({ ...of, rows: [9] }));
  await load(sourceOf(moved, shifted), loadOptions(url, 'left', factsOf(2)));
  expect(await sql(stored)).toEqual(before.filter((line) => !line.endsWith('|crm-1')));
});
