import { flattenRow, mergePeople } from '../../../core/columns/tables.ts';
import type { ReferenceNames } from '../../../core/contract/reference.ts';
import { DossierError } from '../../../core/errors.ts';
import { type Ledger, openLedgerToRead } from '../../../engine/ledger/open-ledger.ts';
import { isPublished, type Run, runName } from '../../../engine/ledger/runs/runs.ts';
import { refusePruned } from '../../../engine/queue/published/choose-run.ts';
import { findBase } from '../../../results/changes.ts';
import type { IndexState } from '../api/rows.ts';
import { searchText } from './flat-row.ts';
import type { CompanyPeople, FlatTable } from './flat-table.ts';
import { isDamage, type PlacedTable, placeTable } from './place-table.ts';

/** Rows that are looked at together, and those that are written together: few, as requests wait so long. */
const rowsInRange = 4_096;
const rowsInPortion = 200;
const companiesInPortion = 50;
/** A pass over the rows is followed by a rest that is twice as long. */
const restFactor = 2;
const leastRestMs = 300;
/** The first pass reads every row, and says nothing of how long the next will take. */
const longestRestMs = 5_000;
/** People of a run that goes on are read anew after a rest that is so many times as long. */
const peopleRestFactor = 10;
/** After trouble, such as a full disk. */
const restAfterTroubleMs = 30_000;
const mostRenewals = 3;

/** What people are read with. */
export interface PeopleTerms {
  /** What the job calls seniorities and departments. */
  readonly names: ReferenceNames;
  /** How old people may be who stand in for those of a search that did not end. */
  readonly staleMs: number;
}

export type FollowedRun = ReturnType<typeof followRun>;

/** A run that is shown, with its flat table, which follows the ledger in passes over the rows. */
export function followRun(ledger: Ledger, ledgerPath: string, first: Run, terms: PeopleTerms) {
  // The same object for as long as nothing has changed: which rows are open is read once for each.
  let run = first;
  let placed: PlacedTable | undefined;
  let pass: Generator<void> | undefined;
  let upTo = 0;
  let passBegan = 0;
  let nextLook = 0;
  let nextPeople = 0;
  let problem: string | null = null;
  let renewals = 0;

  const leavePass = () => {
    pass?.return(undefined);
    pass = undefined;
  };
  const close = () => {
    leavePass();
    placed?.[Symbol.dispose]();
    placed = undefined;
  };
  const remove = () => {
    leavePass();
    placed?.remove();
    placed = undefined;
  };
  /** Does without the table: for good where it cannot be kept, and else until it is made anew. */
  const meet = (error: Error) => {
    remove();
    // A row of the ledger that has changed on the disk is no fault of the table.
    const isOfLedger = error instanceof DossierError;
    if (!isOfLedger && isDamage(error) && renewals < mostRenewals) {
      renewals += 1;
      return;
    }
    problem = isOfLedger ? error.message : `the table cannot be kept: ${error.message}`;
    nextLook = Date.now() + restAfterTroubleMs;
  };
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error)) throw error;
      meet(error);
    }
  };
  const begin = (now: number) => {
    if (!placed) {
      placed = placeTable(ledgerPath, run);
      upTo = placed.table.rowCount;
      problem = null;
    }
    const { table } = placed;
    const token = stateOfRun(ledger, run);
    const arePeopleDue =
      run.hasPeople && table.peopleAt !== token && (!isLive(run) || now >= nextPeople);
    if (table.wholeAt === token && !arePeopleDue) return;
    // Rows that wait are read anew with each pass.
    run = { ...run };
    passBegan = now;
    pass = takeAll(table, token, arePeopleDue);
  };

  function* takeAll(table: FlatTable, token: string, withPeople: boolean): Generator<void> {
    yield* takeRows(ledger, run, table, token, (number) => {
      upTo = Math.max(upTo, number);
    });
    if (!withPeople) return;
    const startedAt = Date.now();
    yield* takePeople(ledgerPath, run, terms, table, token);
    nextPeople = Date.now() + peopleRestFactor * (Date.now() - startedAt);
  }

  return {
    get run() {
      return run;
    },
    /** Undefined before there is one, and where it cannot be kept. */
    get table(): FlatTable | undefined {
      return placed?.table;
    },
    /** How far the table of rows has come, or that of people. */
    state(isOfPeople = false): IndexState {
      const rows = ledger.lists.size(run.listId);
      const share = rows === 0 ? 1 : upTo / rows;
      const doneAt = isOfPeople ? placed?.table.peopleAt : placed?.table.wholeAt;
      const isDone = placed ? doneAt !== null : rows === 0 && run.state !== 'ingesting';
      // A table that was whole before the run ended lacks what its last calls brought.
      const isNewest = ledger.runs.get(run.id)?.state === run.state;
      const isFollowed = isNewest && (isLive(run) || pass === undefined);
      return { isWhole: isDone && isFollowed && problem === null, share, problem };
    },
    /** Whether it goes on, so that there is always something to follow. */
    isLive: () => isLive(run),
    /** Looks whether the run has changed, and begins a pass over its rows if so. Throws where it is gone. */
    look(now = Date.now()): void {
      const found = ledger.runs.get(run.id);
      if (!found || found.startedAt !== run.startedAt) {
        throw new DossierError('RUN_MISSING', `${runName(run)} is not in the ledger any more`);
      }
      if (found.prunedAt !== null) remove();
      refusePruned(found);
      if (pass || (now < nextLook && (isLive(found) || problem !== null))) return;
      if (JSON.stringify(found) !== JSON.stringify(run)) {
        // A list that is read to its end may turn out to be one that is there already.
        const isOtherList = found.listId !== run.listId || run.state === 'ingesting';
        run = found;
        if (isOtherList) close();
      }
      if (found.state !== 'ingesting') guarded(() => begin(now));
    },
    /** Takes over a portion of the rows; false where there is nothing left to do. */
    step(): boolean {
      guarded(() => {
        if (!pass?.next().done) return;
        pass = undefined;
        const restMs = Math.max(leastRestMs, restFactor * (Date.now() - passBegan));
        nextLook = Date.now() + Math.min(restMs, longestRestMs);
      });
      return pass !== undefined;
    },
    /** Asks a question to the table; undefined where it is found to be damaged, and will be made anew. */
    ask<Answer>(question: () => Answer): Answer | undefined {
      try {
        return question();
      } catch (error) {
        if (error instanceof DossierError || !isDamage(error)) throw error;
        meet(error as Error);
        return undefined;
      }
    },
    [Symbol.dispose]: close,
  };
}

function isLive({ state }: Run): boolean {
  return state === 'ingesting' || state === 'open';
}

/** Takes over all rows that are not in the table as they are now, a portion at a time. */
function* takeRows(
  ledger: Ledger,
  run: Run,
  table: FlatTable,
  token: string,
  onRange: (upTo: number) => void,
): Generator<void> {
  const width = run.columns.length;
  const textOf = searchText(run.columns);
  const baseId = changeBase(ledger, run)?.id ?? Number.POSITIVE_INFINITY;
  const rows = ledger.lists.size(run.listId);
  for (let after = 0; after < rows; after += rowsInRange) {
    const upTo = Math.min(after + rowsInRange, rows);
    const known = table.states(after, upTo);
    const changed = new Map<number, string>();
    for (const { firstNumber, states, changedRuns } of ledger.records.states(run, {
      after,
      upTo,
    })) {
      for (const [at, text] of states.entries()) {
        const state = `${text}${(changedRuns[at] ?? 0) > baseId ? ' changed' : ''}`;
        if (known.get(firstNumber + at) !== state) changed.set(firstNumber + at, state);
      }
    }
    const numbers = [...changed.keys()];
    for (let at = 0; at < numbers.length; at += rowsInPortion) {
      const sides = ledger.records.at(run, numbers.slice(at, at + rowsInPortion));
      table.put(
        sides.map(({ record }) => {
          const { number } = record;
          const state = changed.get(number) ?? '';
          const row = flattenRow(record, width);
          const isChanged = state.endsWith(' changed');
          return { number, state, text: textOf(row), source: { row, isChanged } };
        }),
      );
      yield;
    }
    onRange(upTo);
    yield;
  }
  table.wholeAt = token;
}

/** Takes over all people of a run, by companies in the order of their first row, as in an export. */
function* takePeople(
  path: string,
  run: Run,
  { names, staleMs }: PeopleTerms,
  table: FlatTable,
  token: string,
): Generator<void> {
  // What is read once would push out of the cache what pages are read from.
  using ledger = openLedgerToRead(path);
  const filler = table.fillPeople();
  const recorded = { ...run, staleSince: run.lastStartedAt - staleMs };
  let portion: CompanyPeople[] = [];
  for (const company of ledger?.records.of(recorded, () => {}).people() ?? []) {
    portion.push({ rows: company.rows, people: mergePeople(company, names) });
    if (portion.length < companiesInPortion) continue;
    filler.put(portion);
    portion = [];
    yield;
  }
  filler.put(portion);
  filler.end(token);
}

/** The run that changes are told against; none while a run goes on, as it may yet come to the same. */
export function changeBase(ledger: Ledger, run: Run): Run | undefined {
  return run.state === 'finished' ? findBase(ledger, run) : undefined;
}

/** Changes whenever any row of the run may have. */
function stateOfRun(ledger: Ledger, run: Run): string {
  const { id, state, startedAt, lastStartedAt, finishedAt } = run;
  const [start] = ledger.starts.list(run.job, 1).filter(({ runId }) => runId === id);
  return JSON.stringify([
    ...[id, startedAt, state, lastStartedAt, finishedAt, isPublished(run)],
    ...[changeBase(ledger, run)?.id ?? null, ledger.counts(id)],
    // A process that stops may have given rows stale answers, though they go on to wait.
    ...[start?.startedAt ?? null, start?.endedAt ?? null],
  ]);
}
