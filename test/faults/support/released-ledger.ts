import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import type { Call, CallResult } from '../../../src/core/contract/call.ts';
import { suppressionKeys } from '../../../src/core/rules/suppression.ts';
import { accountOf } from '../../../src/engine/ledger/file/shared-rate.ts';
import { packageVersion } from '../../../src/platform/package-path.ts';
import { forget } from '../../../src/run/forget/forget.ts';
import { readJob } from '../../../src/run/jobs/read-job.ts';
import { runJob } from '../../../src/run/run-job.ts';
import { abnsOf, companyOf, domainOf, peopleOf, slugOf } from '../../journeys/sample-companies.ts';
import { hitOf, miss } from '../../support/answers.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createPlainReporter } from '../../support/plain-report.ts';
import { answeredBy } from '../../support/run-parts.ts';
import { day } from '../../support/test-job.ts';

/**
 * What the ledgers in test/faults/ledgers were written from: jobs, lists, corrections, answers and
 * times. None of it may ever change, because those ledgers cannot.
 */

const service = 'http://service.invalid/v1';
const firstNight = Date.parse('2026-11-01T02:00:00Z');
const unknown = 900;
const forgottenNumber = 4;
/** Stands in kept ledgers for the folder of the jobs. */
const anyFolder = '/kept';

export const forgotten = domainOf(forgottenNumber);
export const forgottenPerson = 'c_21-3-0';
export const correctedKey = '7';

const identify = [{ column: 'page' }, { column: 'abn', as: 'abn' }, { column: 'website' }];

function jobOf(name: string, more: object = {}) {
  return {
    name,
    service: { url: service },
    input: { path: `${name}.csv`, key: 'id' },
    identify,
    output: { path: `output/${name}`, format: ['csv', 'jsonl'] },
    ledger: 'ledger.db',
    ...more,
  };
}

const people = { seniority: [3, 4], pageSize: 2 };

const jobs = {
  companies: jobOf('companies'),
  people: jobOf('people', { people, reuse: { people: '10d' }, country: 'NZ' }),
  held: jobOf('held', { expect: { matchRate: '>= 90%' } }),
  unfinished: jobOf('unfinished', { people, limits: { concurrency: 4 } }),
} as const;
export type KeptJob = keyof typeof jobs;
export const keptJobs = Object.keys(jobs) as KeptJob[];

/** Every way to a company: a page, an ABN, a website, one that another row has, one after a miss. */
function listOf(from: number, rows: number): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const number = from + index;
    switch (index % 10) {
      case 0:
        return [index, '', abnsOf[number] ?? '', domainOf(number)];
      case 3:
        return [index, '', '', `https://www.${domainOf(number - 1)}/about`];
      case 5:
        return [index, '', '', domainOf(unknown + number)];
      case 7:
        return [index, '', '', 'not a domain'];
      case 8:
        return [index, `linkedin.com/company/${slugOf(unknown + number)}`, '', domainOf(number)];
      default:
        return [index, '', '', domainOf(number)];
    }
  });
  return `${[['id', 'page', 'abn', 'website'], ...lines].map((line) => line.join(',')).join('\n')}\n`;
}

const lists: Record<KeptJob, string> = {
  companies: listOf(0, 20),
  people: listOf(20, 6),
  held: listOf(40, 5),
  unfinished: listOf(60, 30),
};
/** The list that the last night of `held` got: half of its companies are unknown. */
const badList = lists.held.concat(
  Array.from({ length: 6 }, (_, index) => `${100 + index},,,${domainOf(unknown + index)}\n`).join(
    '',
  ),
);

const correction = {
  row_key: correctedKey,
  column: 'website',
  was: 'not a domain',
  now: domainOf(30),
  at: '2026-11-01T01:00:00.000Z',
};

/** Writes jobs, lists and corrections as they were when the ledger was written. */
function writeFiles(folder: string): void {
  const write = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    utimesSync(path, new Date(firstNight), new Date(firstNight));
  };
  for (const name of keptJobs) {
    write(`${name}.yaml`, JSON.stringify(jobs[name]));
    write(`${name}.csv`, lists[name]);
  }
  write('held.csv', badList);
  write('companies.fixed.jsonl', `${JSON.stringify(correction)}\n`);
}

export function readKeptJob(folder: string, name: KeptJob) {
  return readJob(join(folder, `${name}.yaml`), {});
}

/** Runs a job on a night after the first one. */
export async function runKeptJob(
  folder: string,
  name: KeptJob,
  night: number,
  answer: (call: Call) => CallResult | Promise<CallResult>,
) {
  const clock = createFakeClock(firstNight + night * day);
  const accounts = [[accountOf(service, 'key')]];
  const version = packageVersion();
  const { createReport } = createPlainReporter(folder);
  const parts = answeredBy(answer, { clock, accounts, version, createReport });
  return await runJob(readKeptJob(folder, name), parts);
}

export function answerTruly(call: Call): CallResult {
  if (call.operation === 'people') return hitOf(peopleOf(JSON.stringify(call), 3));
  const { value } = call.identifier;
  const abn = abnsOf.indexOf(value);
  const number = abn === -1 ? Number(/\d+/.exec(value)?.[0]) : abn;
  if (number >= unknown) return miss;
  const description = `Company ${number} makes things. `.repeat(20);
  return hitOf({ ...companyOf(number), description }, companyOf(number).id);
}

/** Answers of the unfinished run before its process died. */
const answersBeforeDeath = 30;

/** Writes a ledger of this version, with all that a ledger may hold. */
export async function writeReleasedLedger(folder: string, to: string): Promise<void> {
  writeFiles(folder);
  const path = join(folder, 'ledger.db');
  writeFileSync(join(folder, 'held.csv'), lists.held);
  for (const night of [0, 1]) {
    for (const name of ['companies', 'people', 'held'] as const) {
      if (night === 1) writeFiles(folder);
      await runKeptJob(folder, name, night, answerTruly);
    }
  }
  const known = (['companies', 'people', 'held'] as const).map(
    (name) => [name, readKeptJob(folder, name)] as const,
  );
  const request = { version: packageVersion(), signal: new AbortController().signal };
  await forget({
    ...request,
    ledger: path,
    register: join(folder, 'register.db'),
    keys: [...suppressionKeys(forgotten, 'auto'), ...suppressionKeys(forgottenPerson, 'person')],
    jobs: new Map(known),
    isDryRun: false,
    places: [],
  });
  await copyDuringRun(folder, path, join(folder, 'copy.db'));
  writeFileSync(to, gzipSync(readFileSync(join(folder, 'copy.db')), { level: 9 }));
}

/** The copy is what a killed process leaves: calls in flight, and a start without an end. */
async function copyDuringRun(folder: string, path: string, copy: string): Promise<void> {
  let answers = 0;
  const dying = runKeptJob(folder, 'unfinished', 1, async (call) => {
    answers += 1;
    if (answers <= answersBeforeDeath) return answerTruly(call);
    // Answers are stored after 50 ms at the latest.
    await new Promise((resolve) => setTimeout(resolve, 500));
    if (answers <= answersBeforeDeath + 4) copyOf(folder, path, copy);
    answers += 100;
    throw new Error('the process dies here');
  });
  await dying.catch(() => {});
}

function copyOf(folder: string, path: string, copy: string): void {
  const source = new Database(path, { readonly: true });
  source.prepare('vacuum into ?').run(copy);
  source.close();
  const db = new Database(copy);
  moveRuns(db, folder, anyFolder);
  db.exec(`update start set host = 'any-host', pid = 1`);
  db.pragma('journal_mode = delete');
  db.exec('vacuum');
  db.close();
}

function moveRuns(db: Database.Database, from: string, to: string): void {
  for (const column of ['input_path', 'list', 'input_stamp']) {
    db.prepare(`update run set ${column} = replace(${column}, ?, ?)`).run(from, to);
  }
}

/** Unpacks a kept ledger into a folder, as if its jobs had always been there. */
export function unpackLedger(from: string, folder: string): string {
  writeFiles(folder);
  const path = join(folder, 'ledger.db');
  writeFileSync(path, gunzipSync(readFileSync(from)));
  const db = new Database(path);
  moveRuns(db, anyFolder, folder);
  db.close();
  return path;
}
