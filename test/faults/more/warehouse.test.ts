import { describe, expect } from 'vitest';
import type { RowRecord } from '../../../src/core/columns/run-records.ts';
import { reasonOf } from '../../../src/core/errors.ts';
import { matchedRow, rejectedRow } from '../../core/columns/sample-records.ts';
import {
  changeOf,
  factsOf,
  load,
  loadOptions,
  openSession,
} from '../../results/destinations/postgres/load-sample.ts';
import { sourceOf } from '../../results/sample-run.ts';
import { isOnPath, testIf } from '../../support/needs.ts';
import {
  emptyDatabase,
  giveToPostgres,
  programs,
  type RunningPostgres,
  testWithPostgres,
} from '../../support/postgres.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { canMount, mountSmallDisk } from '../support/disks.ts';
import { faultCase } from '../support/fault-case.ts';
import type { Seed } from '../support/seed.ts';
import { openWarehouseLink } from '../support/warehouse-link.ts';

let database: Promise<RunningPostgres> | undefined;
const postgres = () => {
  database ??= emptyDatabase();
  return database;
};
const where = testWithPostgres;

const firstRows = Array.from({ length: 300 }, (_, index) => matchedRow(index + 1));
/** On the second night rows have come, gone and changed. */
const secondRows = [
  ...firstRows.slice(50).map((row) => ({ ...row, identifier: 'acme.com' })),
  ...Array.from({ length: 30 }, (_, index) => rejectedRow(1_000 + index)),
].map((row, index): RowRecord => ({ ...row, number: index + 1 }));
const second = { ...sourceOf(secondRows), changes: [changeOf(), changeOf()] };

/** All that a schema holds, but for when it was loaded. */
async function stateOf(schema: string): Promise<string[]> {
  const { sql } = await postgres();
  const rows = (table: string) =>
    `select md5(string_agg(t::text, ',' order by row_key)) from ${schema}.${table} t`;
  return sql(`${rows('companies')} union all ${rows('rejects')} union all
    select count(*)::text from ${schema}.changes union all
    select string_agg(run_id, ',' order by run_id) from ${schema}.runs`);
}

/** What two nights without a fault come to, and the bytes that the second has sent. */
let reference: Promise<{ readonly state: string[]; readonly bytes: number }> | undefined;
function withoutFault() {
  reference ??= (async () => {
    const { url } = await postgres();
    await load(sourceOf(firstRows), loadOptions(url, 'whole', factsOf(1)));
    using link = await openWarehouseLink(url);
    await load(second, loadOptions(link.url, 'whole', factsOf(2)));
    return { state: await stateOf('whole'), bytes: link.sent() };
  })();
  return reference;
}

/** The texts of the merge are a few of all bytes, and the COMMIT is nearly the last of them. */
function byteOf(seed: Seed, bytes: number): number {
  const after = { copy: bytes, merge: 20_000, commit: 24 }[
    seed.pick(['copy', 'merge', 'commit'] as const)
  ];
  return bytes - seed.random(after);
}

describe('a warehouse', () => {
  for (const how of ['is cut off', 'crashes'] as const) {
    faultCase(
      `that ${how} at any byte of a load holds the one result or the other, whole`,
      async (seed) => {
        const { state: after, bytes } = await withoutFault();
        const server = await postgres();
        const schema = `${how.replaceAll(' ', '_')}_${seed.value}`;
        await load(sourceOf(firstRows), loadOptions(server.url, schema, factsOf(1)));
        const before = await stateOf(schema);
        using link = await openWarehouseLink(server.url);
        const restart = () => server.crash().then(server.start);
        link.breakAfter(byteOf(seed, bytes), how === 'crashes' ? restart : undefined);
        const options = loadOptions(link.url, schema, factsOf(2));
        const outcome = await load(second, options).then(() => 'loaded', reasonOf);
        await link.settled();
        // A session whose client has gone may still be at work.
        const sessions = `select count(*) from pg_stat_activity where application_name = 'dossier'`;
        await expect.poll(() => server.sql(sessions)).toEqual(['0']);

        const found = await stateOf(schema);
        const allowed = {
          loaded: [after],
          WAREHOUSE_DOWN: [before, after],
        }[outcome];
        expect(allowed, outcome).toContainEqual(found);
        await load(second, options);
        expect(await stateOf(schema)).toEqual(after);
      },
      { short: how === 'crashes' ? 0 : 1, long: 80, where },
    );
  }

  const ended = 'whose user ends a session, or cancels its statement, keeps what it had';
  faultCase(ended, endSessions, { short: 0, where });
  const whereMounts = testIf(canMount && programs.every(isOnPath), 'this user may not mount');
  faultCase('without room on its disk keeps what it had', fillDisk, {
    short: 0,
    where: whereMounts,
  });
});

async function endSessions(): Promise<void> {
  const { url, sql } = await postgres();
  await load(sourceOf(firstRows), loadOptions(url, 'ended', factsOf(1)));
  const before = await stateOf('ended');
  for (const end of ['pg_terminate_backend', 'pg_cancel_backend']) {
    // The merge waits for this session, so that it is in the middle when it is ended.
    await using holder = await openSession(url);
    await holder.run('begin; lock table ended.companies');
    const loading = load(second, loadOptions(url, 'ended', factsOf(2))).catch(reasonOf);
    const ours = `from pg_stat_activity where application_name = 'dossier' and wait_event_type = 'Lock'`;
    await expect.poll(() => sql(`select count(*) ${ours}`)).toEqual(['1']);
    await sql(`select ${end}(pid) ${ours}`);
    expect(await loading).toBe('WAREHOUSE_DOWN');
    await holder.run('rollback');
    expect(await stateOf('ended')).toEqual(before);
  }
}

async function fillDisk(): Promise<void> {
  const { url, sql } = await postgres();
  await load(sourceOf(firstRows), loadOptions(url, 'crammed', factsOf(1)));
  const before = await stateOf('crammed');
  using folder = temporaryFolder();
  using _disk = mountSmallDisk(folder.path, 200);
  giveToPostgres(folder.path);
  await using session = await openSession(url);
  await session.run(`create tablespace small location '${folder.path}'`);
  const address = `${url}?options=-c%20temp_tablespaces%3Dsmall`;
  await expect(load(second, loadOptions(address, 'crammed', factsOf(2)))).rejects.toMatchObject({
    code: 'WAREHOUSE_DOWN',
    message: expect.stringContaining('has no room left on its disk'),
  });
  expect(await stateOf('crammed')).toEqual(before);
  await session.run('drop tablespace small');
  await sql('drop schema crammed cascade');
}
