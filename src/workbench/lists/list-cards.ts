import { statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { DossierError } from '../../errors.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { type Ledger, openLedgerToRead } from '../../ledger/open-ledger.ts';
import { openRanJob } from '../../overview/jobs/open-job.ts';
import { scanFolder } from '../../overview/jobs/scan-folder.ts';
import { readJobFacts } from '../../run/run-facts.ts';
import type { RunFacts } from '../../sinks/manifest.ts';
import type { CardVerb, ListCard } from '../api/lists.ts';

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
    const { facts, isRunning } = ledger
      ? readJobFacts(ledger, job.ledger, job.name, 1)
      : { facts: [], isRunning: false };
    const last = facts[0] ?? null;
    return {
      path,
      kind,
      problem: null,
      isRunning,
      last,
      list: job.list === '-' ? null : basename(job.list),
      bytes: statSync(job.list, { throwIfNoEntry: false })?.size ?? null,
      verb: verbFor(isRunning, last),
    };
  } catch (error) {
    if (error instanceof DossierError) return { path, kind, ...nothing, problem: error.message };
    throw error;
  }
}

const unfinished: readonly RunFacts['state'][] = ['stopped', 'killed', 'incomplete'];

function verbFor(isRunning: boolean, last: RunFacts | null): CardVerb {
  if (isRunning) return 'watch';
  if (!last) return 'read';
  if (unfinished.includes(last.state)) return 'go on';
  if (last.state === 'superseded' || last.limit !== null) return 'read';
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
