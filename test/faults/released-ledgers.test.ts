import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { type Call, parseCall } from '../../src/core/contract/call.ts';
import { keyedCall } from '../../src/engine/ledger/calls/call-key.ts';
import { examineLedger } from '../../src/engine/ledger/care/examine-ledger.ts';
import { findInLedger } from '../../src/engine/ledger/care/find-forgotten.ts';
import { mergeLedger } from '../../src/engine/ledger/care/merge-ledger.ts';
import { upgradeLedger } from '../../src/engine/ledger/care/upgrade-ledger.ts';
import { openForMaintenance } from '../../src/engine/ledger/file/ledger-file.ts';
import { copiesBeforeUpgrade } from '../../src/engine/ledger/file/ledger-path.ts';
import { openLedger } from '../../src/engine/ledger/open-ledger.ts';
import { jobFingerprint, outcomeSettingsHash } from '../../src/job/job-fingerprint.ts';
import { domainOf } from '../journeys/sample-companies.ts';
import { brokenRelations } from '../support/ledger-relations.ts';
import { runDossier } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { faultCase } from './support/fault-case.ts';
import {
  answerTruly,
  correctedKey,
  forgotten,
  forgottenPerson,
  type KeptJob,
  keptJobs,
  readKeptJob,
  runKeptJob,
  unpackLedger,
  writeReleasedLedger,
} from './support/released-ledger.ts';

const ledgers = join(import.meta.dirname, 'ledgers');
const kept = readdirSync(ledgers).filter((name) => name.endsWith('.db.gz'));

function refuse(call: Call): never {
  throw new Error(`an answer would be bought again: ${JSON.stringify(call)}`);
}

/** Unpacks a ledger and upgrades it, as every command that writes does. */
async function unpackHere(from: string, folder: string): Promise<string> {
  const path = unpackLedger(from, folder);
  await upgradeLedger(path);
  return path;
}

function tableIn(folder: string, name: KeptJob, table: string): Record<string, string>[] {
  const text = readFileSync(join(folder, 'output', name, `${table}.csv`));
  return parse(text, { columns: true });
}

test.each(kept)('%s: what jobs, calls and results are known by is unchanged', async (name) => {
  using folder = temporaryFolder();
  const path = await unpackHere(join(ledgers, name), folder.path);
  using ledger = openLedger(path);
  for (const name of keptJobs) {
    const job = readKeptJob(folder.path, name);
    const [run] = ledger.runs.list(name);
    expect(run).toMatchObject({ jobFingerprint: jobFingerprint(job) });
    expect(run).toMatchObject({ outcomeSettingsHash: outcomeSettingsHash(job) });
  }
  const db = new Database(path, { readonly: true });
  const calls = db.prepare<[], { key: Buffer; text: string }>('select key, text from call');
  const known = calls.all();
  const [service] = readKeptJob(folder.path, 'people').services;
  const now = known.map((call) => {
    const { key, text } = keyedCall(service.url, parseCall(call.text));
    return { key, text };
  });
  db.close();
  expect(known.length).toBeGreaterThan(90);
  expect(now).toEqual(known);
});

test.each(kept)('%s: finished jobs run again without a call', async (name) => {
  using folder = temporaryFolder();
  const path = await unpackHere(join(ledgers, name), folder.path);
  const companies = await runKeptJob(folder.path, 'companies', 2, refuse);
  expect(companies).toMatchObject({ exitCode: 0, isResumed: false });
  const rows = tableIn(folder.path, 'companies', 'companies');
  const statusOf = (key: string) => rows.find(({ row_key }) => row_key === key)?.status;
  expect(statusOf(correctedKey), 'the corrected row').toBe('matched');
  expect(rows.filter(({ status }) => status === 'suppressed')).toHaveLength(1);
  expect(rows.some(({ company_fqdn }) => company_fqdn === forgotten)).toBe(false);

  await runKeptJob(folder.path, 'people', 2, refuse);
  const people = tableIn(folder.path, 'people', 'people').map(({ person_id }) => person_id);
  expect(people.length).toBeGreaterThan(20);
  expect(people).not.toContain(forgottenPerson);

  expect(await runKeptJob(folder.path, 'held', 2, refuse)).toMatchObject({ exitCode: 4 });
  expect(examineLedger(path).findings).toEqual([]);
  const db = new Database(path, { readonly: true });
  expect(brokenRelations(db)).toEqual([]);
  db.close();
});

test.each(kept)(
  '%s: its unfinished run goes on, and searches people of a company once',
  async (name) => {
    using folder = temporaryFolder();
    const path = await unpackHere(join(ledgers, name), folder.path);
    const asked: string[] = [];
    const { isResumed, counts } = await runKeptJob(folder.path, 'unfinished', 2, (call) => {
      asked.push(JSON.stringify(call));
      if (call.operation === 'people') return answerTruly(call);
      // This company is found already, and its people search is open or half done.
      const identifier = { kind: 'fqdn', value: asked.length % 2 ? domainOf(68) : domainOf(60) };
      return answerTruly({ ...call, identifier } as Call);
    });
    expect(isResumed).toBe(true);
    expect(counts).toMatchObject({ rows: { open: 0 }, calls: { open: 0 }, failedSearches: 0 });
    expect(asked.length).toBeGreaterThan(20);
    expect(new Set(asked).size).toBe(asked.length);
    const db = new Database(path, { readonly: true });
    const searches = 'select run_id, company_id, country, seniority from search';
    const twice = `${searches} group by 1, 2, 3, 4 having count(*) > 1`;
    expect(db.prepare(twice).all()).toEqual([]);
    const nameless = `select id from call where service_id is null
    union select id from search where service_id is null or state <> 'ended'`;
    expect(db.prepare(nameless).all()).toEqual([]);
    db.close();
    expect(examineLedger(path).findings).toEqual([]);
  },
);

test.each(kept)('%s: its upgrade writes down which runs are trials and lookups', async (name) => {
  using folder = temporaryFolder();
  const path = unpackLedger(join(ledgers, name), folder.path);
  const db = new Database(path);
  db.exec(`
    update run set row_limit = 5 where id = 1;
    update run set job = 'lookup@12' where id = 2;
    update run set job = 'lookup' where id = 3;`);
  db.close();
  await upgradeLedger(path);
  using ledger = openLedger(path);
  const kinds = ledger.runs.list().map(({ kind }) => kind);
  expect(kinds.reverse().slice(0, 4)).toEqual(['trial', 'lookup', 'whole', 'whole']);
});

async function expectToGoOn(from: string, beforeUpgrade = async (_path: string) => {}) {
  using folder = temporaryFolder();
  const path = unpackLedger(from, folder.path);
  await beforeUpgrade(path);
  await upgradeLedger(path);
  const answered = answeredIn(path);
  const asked: string[] = [];
  const { isResumed, exitCode, counts } = await runKeptJob(folder.path, 'unfinished', 2, (call) => {
    asked.push(keyedCall('', call).text);
    return answerTruly(call);
  });
  expect({ isResumed, exitCode }).toEqual({ isResumed: true, exitCode: 0 });
  expect(counts.calls).toMatchObject({ made: callsOfUnfinished, open: 0 });
  expect(asked.filter((text) => answered.includes(text))).toEqual([]);
  expect(new Set(asked).size).toBe(asked.length);
  expect(asked).toHaveLength(callsOfUnfinished - answersOfUnfinished);
  using ledger = openLedger(path);
  expect(ledger.calls.possiblyCharged(runOfUnfinished)).toHaveLength(4);
}

function answeredIn(path: string): string[] {
  const db = new Database(path, { readonly: true });
  const calls = db
    .prepare<[], { text?: string; request?: string }>(
      `select * from call where answer_id is not null`,
    )
    .all();
  db.close();
  // Before the upgrade, the column has its former name.
  return calls.map(({ text, request = '' }) => text ?? request);
}

/** Calls of the unfinished run when nothing stops it, its answers before it died, and its number. */
const [callsOfUnfinished, answersOfUnfinished, runOfUnfinished] = [153, 30, 7];

test('an unfinished run of this version goes on with the calls that are missing', async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'ledger.db.gz');
  await writeReleasedLedger(folder.path, path);
  await expectToGoOn(path);
});

faultCase(
  'kill -9 of an upgrade, at seeded steps, leaves a ledger that is upgraded by the next one',
  (seed) =>
    expectToGoOn(join(ledgers, '0.9.0.db.gz'), async (path) => {
      const atStep = join(import.meta.dirname, 'support/at-step.ts');
      for (const from of [1, 23, 45]) {
        const FAULT_STEP = String(from + seed.random(22));
        const env = { NODE_OPTIONS: `--import ${atStep}`, FAULT_STEP };
        const { exitCode } = await runDossier(['ledger', 'upgrade', '--ledger', path], { env });
        expect(from < 45 ? [null] : [null, 0]).toContain(exitCode);
        for (const whole of [path, ...copiesBeforeUpgrade(path)]) {
          expect(answeredIn(whole)).toHaveLength(86);
        }
      }
    }),
  { long: 10 },
);

test.each(kept)('%s: after a merge, forget knows all identifiers of a company', (name) => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'merged.db');
  mergeLedger(path, unpackLedger(join(ledgers, name), folder.path));
  using file = openForMaintenance(path, true);
  const kinds = findInLedger(file.db, ['id c_1']).names.map(({ key }) => key.split(' ')[0]);
  expect(new Set(kinds)).toEqual(
    new Set(['id@http://service.invalid/v1', 'domain', 'abn', 'page']),
  );
});
