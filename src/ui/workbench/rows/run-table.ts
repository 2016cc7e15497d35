import { flattenRow, mergePeople } from '../../../core/columns/tables.ts';
import type { ReferenceNames } from '../../../core/contract/reference.ts';
import { DossierError } from '../../../core/errors.ts';
import type { LeftOut } from '../../../core/rules/suppression.ts';
import { type Ledger, openLedgerToRead } from '../../../engine/ledger/open-ledger.ts';
import { isPublished, type Run, runName } from '../../../engine/ledger/runs/runs.ts';
import { refusePruned } from '../../../engine/queue/choose-run.ts';
import { findBase } from '../../../results/changes.ts';
import { type CompanyPeople, type FlatTable, openFlatTable } from './flat-table.ts';

/** Rows that are read together: few, because requests wait for them. */
const rowsInPortion = 200;
const companiesInPortion = 50;
/** A pass over the rows is followed by a rest that is twice as long, within these limits. */
const restFactor = 2;
const leastRestMs = 300;
const longestRestMs = 5_000;
/** The people of a run that goes on are read again after ten times as long as that took. */
const peopleRestFactor = 10;
/** After an error, such as a full disk. */
const restAfterErrorMs = 30_000;

/** The run whose table is wanted. */
export interface TableOf {
  readonly ledger: string;
  readonly job: string;
  /** Its number; undefined for the newest. */
  readonly run: number | undefined;
  readonly terms: PeopleTerms;
}

/** What people are read with. */
interface PeopleTerms {
  /** What the job calls seniorities and departments. */
  readonly names: ReferenceNames;
  /** How old people may be who stand in for those of a search that did not end. */
  readonly staleMs: number;
  readonly leftOut?: LeftOut;
  /** Differs where something else is left out. */
  readonly leftOutStamp?: string;
}

export type RunTable = ReturnType<typeof openRunTable>;

/** A run that is shown. Its flat table follows the ledger in passes over the rows. */
export function openRunTable(ledger: Ledger, { ledger: path, terms }: TableOf, first: Run) {
  // The same object for as long as nothing has changed: which rows are open is read once for each.
  let run = first;
  let table: FlatTable | undefined;
  let pass: Generator<void> | undefined;
  let share = 0;
  let nextPass = 0;
  let nextPeople = 0;
  let problem: string | null = null;
  /** Where the run stood when its rows, or its people, were last read; undefined before. */
  let rowsAt: string | undefined;
  let peopleAt: string | undefined;
  let baseId: number | undefined;

  const close = () => {
    table?.[Symbol.dispose]();
    table = undefined;
    pass = undefined;
    rowsAt = undefined;
    peopleAt = undefined;
    share = 0;
  };
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (thrown) {
      // Of the ledger, or of SQLite.
      if (!(thrown instanceof Error) || !('code' in thrown)) throw thrown;
      close();
      const isOfLedger = thrown instanceof DossierError;
      problem = isOfLedger ? thrown.message : `the table cannot be kept: ${thrown.message}`;
      nextPass = Date.now() + restAfterErrorMs;
    }
  };

  const arePeopleDue = (token: string) =>
    run.hasPeople && peopleAt !== token && (!isLive(run) || Date.now() >= nextPeople);

  function* fill(into: FlatTable, token: string): Generator<void> {
    const startedAt = Date.now();
    const base = changeBase(ledger, run)?.id;
    // What has changed since the run before is known when a run has ended, of all its rows.
    const isFirst = rowsAt === undefined;
    const size = ledger.lists.size(run.listId);
    const numbers =
      isFirst || base !== baseId
        ? Array.from({ length: size }, (_, at) => at + 1)
        : into.unsettled();
    for (let at = 0; at < numbers.length; at += rowsInPortion) {
      const sides = ledger.records.at(run, numbers.slice(at, at + rowsInPortion));
      into.put(
        sides
          .filter(({ record }) => isFirst || record.status !== 'open')
          .map(({ record, changedRun }) => ({
            row: flattenRow(record, run.columns.length),
            changedRun,
            isChanged: base !== undefined && (changedRun ?? 0) > base,
          })),
      );
      if (isFirst) share = at / size;
      yield;
    }
    share = 1;
    baseId = base;
    rowsAt = token;
    if (arePeopleDue(token)) {
      const beganAt = Date.now();
      yield* fillPeople(into);
      peopleAt = token;
      nextPeople = Date.now() + peopleRestFactor * (Date.now() - beganAt);
    }
    const restMs = Math.max(leastRestMs, restFactor * (Date.now() - startedAt));
    nextPass = Date.now() + Math.min(restMs, longestRestMs);
  }

  /** By companies in the order of their first row, as in an export. */
  function* fillPeople(into: FlatTable): Generator<void> {
    // What is read once would push out of the cache what pages are read from.
    using own = openLedgerToRead(path);
    own?.records.leaveOut(terms.leftOut);
    const filler = into.fillPeople();
    const recorded = { ...run, staleSince: run.lastStartedAt - terms.staleMs };
    let portion: CompanyPeople[] = [];
    for (const company of own?.records.of(recorded, () => {}).people() ?? []) {
      portion.push({ rows: company.rows, people: mergePeople(company, terms.names) });
      if (portion.length < companiesInPortion) continue;
      filler.put(portion);
      portion = [];
      yield;
    }
    filler.put(portion);
    filler.end();
  }

  return {
    ledger,
    terms,
    get run() {
      return run;
    },
    /** Undefined before the list is read, and after an error. */
    get flat() {
      return table;
    },
    /** How far the table of rows has come, or that of people. */
    state(isOfPeople = false) {
      const isDone = (isOfPeople ? peopleAt : rowsAt) !== undefined;
      // A table that was whole before the run ended lacks what its last calls brought.
      const isNewest = ledger.runs.get(run.id)?.state === run.state;
      return {
        /** Every row is in it, as the ledger had it a moment ago. */
        isWhole: isDone && isNewest && (isLive(run) || !pass),
        /** From 0 to 1: the rows that are in it. Rows that are not do not fit any search or facet. */
        share,
        /** Why there is none, such as a full disk: only the plain table works. */
        problem,
      };
    },
    isLive: () => isLive(run),
    /** Looks whether the run has changed, and begins a pass over its rows if so. Throws where it is gone. */
    look(): void {
      const found = ledger.runs.get(run.id);
      if (found?.startedAt !== run.startedAt) {
        throw new DossierError('RUN_MISSING', `${runName(run)} is not in the ledger any more`);
      }
      refusePruned(found);
      if (pass || (Date.now() < nextPass && (isLive(found) || problem !== null))) return;
      // A list that is read to its end may turn out to be one that is there already.
      if (found.listId !== run.listId) close();
      if (JSON.stringify(found) !== JSON.stringify(run)) run = found;
      if (run.state === 'ingesting') return;
      const token = stateOfRun(ledger, run);
      if (rowsAt === token && !arePeopleDue(token)) return;
      guarded(() => {
        problem = null;
        table ??= openFlatTable(run.columns);
        // Rows that wait are read anew with each pass.
        run = { ...run };
        pass = fill(table, token);
      });
    },
    /** Reads a portion of the rows; false where there is nothing left to do. */
    step(): boolean {
      guarded(() => {
        // Jobs on one ledger leave out different things.
        if (pass) ledger.records.leaveOut(terms.leftOut);
        if (pass?.next().done) pass = undefined;
      });
      return pass !== undefined;
    },
    [Symbol.dispose]: close,
  };
}

function isLive({ state }: Run): boolean {
  return state === 'ingesting' || state === 'open';
}

/** The run that changes are told against; none while a run goes on, as it may yet come to the same. */
export function changeBase(ledger: Ledger, run: Run): Run | undefined {
  return run.state === 'finished' ? findBase(ledger, run) : undefined;
}

/** Changes whenever any row of the run may have. */
function stateOfRun(ledger: Ledger, run: Run): string {
  const [start] = ledger.starts.list(run.job, 1).filter(({ runId }) => runId === run.id);
  return JSON.stringify([
    ...[run, isPublished(run), changeBase(ledger, run)?.id, ledger.progress.of(run.id)],
    // A process that stops may have given rows stale answers, though they go on to wait.
    ...[start?.startedAt, start?.endedAt],
  ]);
}
