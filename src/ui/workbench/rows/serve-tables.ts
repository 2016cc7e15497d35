import { DossierError } from '../../../core/errors.ts';
import { isJobLocked } from '../../../engine/ledger/file/locks.ts';
import { refusePruned } from '../../../engine/runs/choose-run.ts';
import { openThread, type Served, siblingModule } from '../../../platform/thread/thread.ts';
import { newestRun, openLedgers } from '../runs/runs.ts';
import {
  findRows,
  readColumns,
  readFacets,
  readFixable,
  readPage,
  readWholeRow,
} from './read-page.ts';
import { openRunTable, type RunTable, type TableSource } from './run-table.ts';
import { type DownloadRequest, writeDownload } from './write-download.ts';

const lookEveryMs = 400;
const mostTables = 4;

/** Runs in its own thread, so other requests do not wait for it. */
export function serve() {
  const ledgers = openLedgers();
  /** Least recently used first. */
  const tables = new Map<string, RunTable>();
  const close = (key: string) => {
    tables.get(key)?.[Symbol.dispose]();
    tables.delete(key);
  };

  const tableOf = (source: TableSource): RunTable => {
    const { ledger: path, job } = source;
    const isRunning = isJobLocked(path, job);
    const ledger = ledgers.at(path);
    const run =
      source.run === undefined
        ? ledger && newestRun(ledger, job, isRunning)
        : ledger?.runs.get(source.run);
    if (!ledger || run?.job !== job) {
      const which = source.run === undefined ? 'has not run yet' : `has no run r${source.run}`;
      throw new DossierError('RUN_MISSING', `${job} ${which}`);
    }
    refusePruned(run);
    const key = `${run.id} ${path} ${source.terms.exclusionsStamp}`;
    // A different ledger file may have replaced the open one.
    if (tables.get(key)?.ledger !== ledger) close(key);
    const table = tables.get(key) ?? openRunTable(ledger, source, run);
    tables.delete(key);
    tables.set(key, table);
    for (const oldest of [...tables.keys()].slice(0, -mostTables)) close(oldest);
    table.look();
    work();
    return table;
  };

  let isWorking = false;
  const work = () => {
    if (isWorking) return;
    isWorking = true;
    // Requests are answered between portions.
    setImmediate(() => {
      isWorking = false;
      if ([...tables.values()].some((table) => table.step())) work();
    });
  };
  const looking = setInterval(() => {
    for (const [key, table] of tables) {
      try {
        if (table.isLive()) table.look();
      } catch {
        // The next request reports that the run or ledger is gone.
        close(key);
      }
    }
    work();
  }, lookEveryMs);

  const answer =
    <Query, Found>(read: (table: RunTable, query: Query) => Found) =>
    ({ source, query }: { source: TableSource; query: Query }) =>
      read(tableOf(source), query);

  return {
    columns: answer(readColumns),
    rows: answer(readPage),
    facets: answer(readFacets),
    numbers: answer(findRows),
    fixable: answer(readFixable),
    row: answer(readWholeRow),
    download: ({ source, ...request }: DownloadRequest & { source: TableSource }) => {
      const { id } = tableOf(source).run;
      return writeDownload(() => tableOf({ ...source, run: id }), request);
    },
    close: (_: null) => {
      clearInterval(looking);
      for (const key of [...tables.keys()]) close(key);
      ledgers[Symbol.dispose]();
    },
  };
}

export type Tables = ReturnType<typeof openTables>;

export function openTables() {
  let opened = open();
  const ask: Served<ReturnType<typeof serve>>['ask'] = async (verb, request) => {
    const { thread } = await opened;
    // The thread may have run out of memory.
    if (thread.hasEnded()) opened = open();
    return await (await opened).served.ask(verb, request);
  };
  return {
    ask,
    async [Symbol.asyncDispose]() {
      const { thread, served } = await opened;
      await served.ask('close', null).catch(() => {});
      await thread[Symbol.asyncDispose]();
    },
  };
}

async function open() {
  const thread = openThread();
  const served = await thread.open<ReturnType<typeof serve>>(
    siblingModule(import.meta.url, 'serve-tables'),
    {},
  );
  return { thread, served };
}
