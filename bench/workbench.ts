import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Facets, RowsPage } from '../src/ui/workbench/api/answers.ts';
import type { BenchOptions, Figure } from './harness/bench.ts';
import { fastService } from './harness/programs.ts';
import { median } from './harness/rounds.ts';
import { residentMiB, startServer } from './harness/server-process.ts';
import { temporaryFolder } from './harness/temporary-folder.ts';
import { dossierRun } from './run/compared-programs.ts';
import { siteDomain, writeRows } from './run/sample-sites.ts';

const workbenchServer = join(import.meta.dirname, 'run/workbench-server.ts');

const answerLimitMs = 300;
const firstPageLimitMs = 2_000;
const memoryLimitMiB = 300;
/** One row in so many is rejected. */
const rejectedRow = 20;

/** Asks the table of a run as somebody would who searches, sorts, narrows and scrolls. */
export async function run(options: BenchOptions): Promise<Figure[]> {
  const { isSmall, tell, rows = isSmall ? 5_000 : 100_000 } = options;
  using folder = temporaryFolder();
  tell(`a run of ${rows} rows`);
  await fillLedger(folder.path, rows);
  const log = join(folder.path, 'workbench.log');
  await using server = await startServer([workbenchServer, folder.path], { logPath: log });
  let peakMiB = 0;
  const { origin } = new URL(server.url);
  const get = async <Answer>(path: string, query: object) => {
    const startedAt = performance.now();
    const answer = await fetch(new URL(`api/${path}?job=list.csv`, server.url), {
      ...{ method: 'POST', body: JSON.stringify({ columns, ...query }) },
      headers: { origin, 'content-type': 'application/json' },
    });
    const json = (await answer.json()) as Answer;
    if (answer.status !== 200) throw new Error(JSON.stringify(json));
    peakMiB = Math.max(peakMiB, residentMiB(server.pid));
    return { json, ms: performance.now() - startedAt };
  };

  const first = await get<RowsPage>('rows', {});
  if (first.json.rows.length !== 100) throw new Error('the first page is not there');
  tell('the index is made');
  const { ms: indexMs } = await measure(async () => {
    while (!(await get<Facets>('facets', {})).json.index.isWhole) await sleep(200);
  });
  const ask = async (path: string, queries: readonly object[]) => {
    const times: number[] = [];
    const cpuBefore = server.cpuSeconds();
    for (const query of queries) times.push((await get(path, query)).ms);
    const cpuMs = ((server.cpuSeconds() - cpuBefore) * 1_000) / queries.length;
    return { times, notes: [`${cpuMs.toFixed(0)} ms of CPU an answer`] };
  };
  tell('asking');
  const repeated = isSmall ? 5 : 25;
  const each = <Item>(itemOf: (at: number) => Item) =>
    Array.from({ length: repeated }, (_, at) => itemOf(at));
  const narrowed = { facets: { status: ['matched'] } };
  const asked = {
    scrolling: await ask(
      'rows',
      each((at) => ({ offset: Math.floor((rows * at) / repeated) })),
    ),
    search: await ask(
      'rows',
      each((at) => ({ search: `site-${String(at).padStart(4, '0')}` })),
    ),
    sort: await ask(
      'rows',
      each((at) => ({
        sort: sorts[at % sorts.length],
        descending: at % 2 === 0,
        offset: at * 10,
      })),
    ),
    facets: await ask(
      'facets',
      each((at) => ({ ...narrowed, search: `ite-00${at}` })),
    ),
    'all facets': await ask(
      'facets',
      each((at) => ({ facets: at % 2 === 0 ? {} : narrowed.facets })),
    ),
  };
  return [
    against('workbench: first page of a run', [first.ms], firstPageLimitMs),
    ...Object.entries(asked).map(([what, { times, notes }]) => ({
      ...against(`workbench: ${what} at ${rows} rows, 95 of 100`, times, answerLimitMs),
      notes,
    })),
    {
      ...against('workbench: memory of the server', [peakMiB], memoryLimitMiB),
      unit: 'MiB',
      notes: [`index of ${rows} rows made in ${(indexMs / 1_000).toFixed(1)} s`],
    },
  ];
}

const columns = ['input_company', 'status', 'company_name', 'matched_by', 'country'];
const sorts = [
  ...['company_name', 'input_company', 'company_employee_count', 'company_fqdn'],
  ...['status', 'input_website', 'fetched_at'],
];

async function fillLedger(folder: string, rows: number): Promise<void> {
  await using service = await startServer([fastService], { logPath: join(folder, 'service.log') });
  const list = join(folder, 'list.csv');
  await writeRows(list, rows, (row) =>
    row % rejectedRow === 7
      ? `Company ${row},someone${row}@gmail.com`
      : `Company ${row},https://www.${siteDomain(row)}/`,
  );
  const output = join(folder, 'output');
  const paths = { ledger: join(output, 'ledger.db'), output: join(output, 'list') };
  await dossierRun(service.url, list, paths);
}

async function measure(work: () => Promise<void>): Promise<{ ms: number }> {
  const startedAt = performance.now();
  await work();
  return { ms: performance.now() - startedAt };
}

/** The time that 95 of 100 answers take at most, against a limit. */
function against(name: string, times: readonly number[], limit: number): Figure {
  const sorted = times.toSorted((one, other) => one - other);
  const slow = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
  const spread = { low: median(sorted) / limit, high: (sorted.at(-1) ?? 0) / limit };
  return {
    ...{ name: `${name}, against the limit`, unit: 'ms', figure: slow, ceiling: limit },
    ...{ ratio: slow / limit, spread, rounds: times.length, goal: { atMost: 1 } },
  };
}
