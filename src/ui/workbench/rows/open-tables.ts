import { statSync } from 'node:fs';
import { DossierError } from '../../../core/errors.ts';
import { realLedgerPath } from '../../../engine/ledger/file/ledger-path.ts';
import { isJobLocked } from '../../../engine/ledger/file/locks.ts';
import { type Ledger, openLedgerToRead } from '../../../engine/ledger/open-ledger.ts';
import type { Run } from '../../../engine/ledger/runs/runs.ts';
import { refusePruned } from '../../../engine/queue/published/choose-run.ts';
import { newestRun } from '../runs/runs.ts';
import { type FollowedRun, followRun, type PeopleTerms } from './followed-run.ts';
import { removeOtherTables } from './place-table.ts';
import type { OpenTable } from './read-page.ts';

/** Which run a table is of. */
export interface TableOf {
  readonly ledger: string;
  readonly job: string;
  /** Its number; undefined for the newest. */
  readonly run: number | undefined;
  readonly terms: PeopleTerms;
}

/** The tables that were asked for, by run. */
export interface OpenTables extends Disposable {
  of(table: TableOf): OpenTable;
  /** Takes a portion of rows into a flat table; false where there is nothing to do. */
  step(): boolean;
  /** Looks at the runs that go on. */
  look(): void;
}

/** Tables that stay open for runs that have ended. */
const mostEnded = 3;

interface OpenedLedger {
  readonly ledger: Ledger;
  /** Tells the file from another one that has taken its place. */
  readonly inode: number;
  /** The run that was asked for last comes last. */
  readonly runs: Map<number, FollowedRun>;
}

export function openTables(): OpenTables {
  const ledgers = new Map<string, OpenedLedger>();

  const close = (path: string) => {
    const opened = ledgers.get(path);
    ledgers.delete(path);
    for (const run of opened?.runs.values() ?? []) run[Symbol.dispose]();
    opened?.ledger[Symbol.dispose]();
  };
  const ledgerAt = (path: string): OpenedLedger | undefined => {
    const inode = statSync(path, { throwIfNoEntry: false })?.ino;
    const known = ledgers.get(path);
    if (known?.inode === inode) return known;
    close(path);
    const ledger = inode === undefined ? undefined : openLedgerToRead(path);
    if (!ledger || inode === undefined) return undefined;
    const opened = { ledger, inode, runs: new Map<number, FollowedRun>() };
    ledgers.set(path, opened);
    removeOtherTables(
      path,
      ledger.runs.list().filter(({ prunedAt }) => prunedAt === null),
    );
    return opened;
  };
  const eachRun = () => [...ledgers.values()].flatMap(({ runs }) => [...runs.values()]);

  return {
    of({ ledger: given, job, run: number, terms }) {
      const path = realLedgerPath(given);
      const opened = ledgerAt(path);
      const found = opened && findRun(opened.ledger, given, job, number);
      if (!opened || !found) {
        const which = number === undefined ? 'has not run yet' : `has no run r${number}`;
        throw new DossierError('RUN_MISSING', `${job} ${which}`);
      }
      refusePruned(found);
      const followed = opened.runs.get(found.id) ?? followRun(opened.ledger, path, found, terms);
      opened.runs.delete(found.id);
      opened.runs.set(found.id, followed);
      closeOldest(opened.runs);
      followed.look();
      return { ledger: opened.ledger, followed, terms };
    },
    step: () => eachRun().some((run) => run.step()),
    look() {
      for (const run of eachRun().filter((each) => each.isLive())) {
        try {
          run.look();
        } catch (error) {
          // A run that is gone is told to those who ask for it.
          if (!(error instanceof DossierError)) throw error;
        }
      }
    },
    [Symbol.dispose]() {
      for (const path of [...ledgers.keys()]) close(path);
    },
  };
}

function findRun(
  ledger: Ledger,
  path: string,
  job: string,
  number: number | undefined,
): Run | undefined {
  if (number === undefined) return newestRun(ledger, job, isJobLocked(path, job));
  const run = ledger.runs.get(number);
  return run?.job === job ? run : undefined;
}

function closeOldest(runs: Map<number, FollowedRun>): void {
  const ended = [...runs].filter(([, run]) => !run.isLive());
  for (const [id, run] of ended.slice(0, Math.max(0, ended.length - mostEnded))) {
    run[Symbol.dispose]();
    runs.delete(id);
  }
}
