import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { type Ledger, openLedgerToRead } from '../../ledger/open-ledger.ts';
import { openRanJob } from '../../overview/jobs/open-job.ts';
import { scanFolder } from '../../overview/jobs/scan-folder.ts';
import { readJob } from '../../overview/status/status-facts.ts';
import type { RunStatus } from '../../overview/status/status-json.ts';
import type { CardVerb, LastRun, ListCard } from '../api/lists.ts';

/** The jobs of the folder, and the lists that no job reads; what ran last comes first. */
export function listCards(folder: string): ListCard[] {
  const { jobs, lists } = scanFolder(folder);
  using ledgers = openLedgers();
  const opened = jobs.map((path) => ({ path, job: tryToOpen(path) }));
  const read = new Set(opened.map(({ job }) => ('name' in job ? job.list : '')));
  const bare = lists.filter((path) => !read.has(resolve(folder, path)));
  const cards = [
    ...opened.map(({ path, job }) => card(path, 'job', job, ledgers)),
    ...bare.map((path) => card(path, 'list', tryToOpen(path), ledgers)),
  ];
  const ranAt = ({ last }: ListCard) => last?.startedAt ?? '';
  // A list that was just dropped comes before everything that ran.
  const isNew = ({ last, problem }: ListCard) => last === null && problem === null;
  return cards.sort(
    (one, other) =>
      Number(isNew(other)) - Number(isNew(one)) || ranAt(other).localeCompare(ranAt(one)),
  );
}

function tryToOpen(path: string): ResolvedJob | { readonly problem: string } {
  try {
    return openRanJob(path, {});
  } catch (error) {
    if (error instanceof DossierError) return { problem: error.message };
    throw error;
  }
}

function card(
  path: string,
  kind: ListCard['kind'],
  job: ResolvedJob | { readonly problem: string },
  ledgers: Ledgers,
): ListCard {
  const nothing = { list: null, bytes: null, isRunning: false, last: null, verb: 'read' } as const;
  if ('problem' in job) return { path, kind, problem: job.problem, ...nothing };
  try {
    const ledger = ledgers.of(job.ledger);
    const source = ledger && { ledger, path: job.ledger, nowMs: Date.now() };
    const status = source && readJob(source, job.name, { runs: 1, starts: 1 });
    const isRunning = status?.running ?? false;
    const last = status?.runs[0] ? lastRun(status.runs[0]) : null;
    return {
      ...{ path, kind, problem: null, isRunning, last },
      list: job.list === '-' ? null : basename(job.list),
      bytes: statSync(job.list, { throwIfNoEntry: false })?.size ?? null,
      verb: verbFor(isRunning, last),
    };
  } catch (error) {
    if (error instanceof DossierError) return { path, kind, ...nothing, problem: error.message };
    throw error;
  }
}

function lastRun(run: RunStatus): LastRun {
  const { state, startedAt, limit, rows, requests, money } = run;
  return {
    ...{ run: run.run, state, startedAt, limit, rows, requests, money },
    isHeld: run.held !== null,
    isSample: run.sampleData,
  };
}

function verbFor(isRunning: boolean, last: LastRun | null): CardVerb {
  if (isRunning) return 'watch';
  if (last?.state === 'interrupted') return 'go on';
  if (last?.state !== 'finished' || last.limit !== null) return 'read';
  return last.rows.invalid > 0 ? 'mend' : 'run again';
}

interface Ledgers extends Disposable {
  of(path: string): Ledger | undefined;
}

/** Most jobs share a ledger, which is opened once. */
function openLedgers(): Ledgers {
  const opened = new Map<string, Ledger | undefined>();
  return {
    of(path) {
      if (!opened.has(path)) opened.set(path, openLedgerToRead(path));
      return opened.get(path);
    },
    [Symbol.dispose]() {
      for (const ledger of opened.values()) ledger?.[Symbol.dispose]();
    },
  };
}
