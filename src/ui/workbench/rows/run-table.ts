import type { Records } from '../../../core/columns/run-records.ts';
import { mergePeople } from '../../../core/columns/tables.ts';
import type { ReferenceNames } from '../../../core/contract/reference.ts';
import { DossierError } from '../../../core/errors.ts';
import type { Exclusions } from '../../../core/rules/suppression.ts';
import { type Ledger, openLedgerToRead } from '../../../engine/ledger/open-ledger.ts';
import { type Run, runName } from '../../../engine/ledger/runs/runs.ts';
import { refusePruned } from '../../../engine/runs/choose-run.ts';
import type { ResolvedJob } from '../../../job/resolved-job.ts';
import { compareRows, findBase } from '../../../results/compare-runs.ts';
import { type CompanyPeople, type FlatTable, openFlatTable } from './flat-table.ts';

/** Portions are small, because requests wait until a portion is done. */
const rowsInPortion = 200;
const companiesInPortion = 50;
/** The pause after a pass is this many times as long as the pass. */
const restFactor = 2;
const leastRestMs = 300;
const longestRestMs = 5_000;
const peopleRestFactor = 10;
const restAfterErrorMs = 30_000;

export interface TableSource {
  readonly ledger: string;
  readonly job: string;
  /** Undefined for the newest run. */
  readonly run: number | undefined;
  readonly terms: {
    readonly reference: ReferenceNames;
    readonly staleMs: Readonly<Record<string, number>>;
    readonly exclusions?: Exclusions;
    /** Changes when different records are left out. */
    readonly exclusionsStamp?: string;
    readonly changes: ResolvedJob['changes'];
  };
}

export type RunTable = ReturnType<typeof openRunTable>;

interface Filled {
  readonly flat: FlatTable;
  readonly forgotten: number;
  pass?: Generator<void> | undefined;
  /** Share of the rows that the first pass has read, from 0 to 1. */
  share: number;
  /** Version of the run when its rows, or its people, were last read. */
  rowsVersion?: string;
  peopleVersion?: string;
  baseId?: number | undefined;
}

/** Updates the flat table from the ledger in repeated passes over the rows. */
export function openRunTable(ledger: Ledger, source: TableSource, first: Run) {
  let run = first;
  let filled: Filled | undefined;
  let problem: string | null = null;
  const due = { passAt: 0, peopleAt: 0 };

  const readRecords = () => ledger.records(source.terms.exclusions);
  const close = () => {
    filled?.flat[Symbol.dispose]();
    filled = undefined;
  };
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (thrown) {
      // Errors of the ledger and of SQLite have a code; any other error is a bug.
      if (!(thrown instanceof Error) || !('code' in thrown)) throw thrown;
      close();
      const { message } = thrown;
      problem =
        thrown instanceof DossierError ? message : `a temporary file cannot be written: ${message}`;
      due.passAt = Date.now() + restAfterErrorMs;
    }
  };

  const arePeopleDue = (version: string) =>
    run.hasPeople &&
    filled?.peopleVersion !== version &&
    (!isLive(run) || Date.now() >= due.peopleAt);

  return {
    ledger,
    readRecords,
    terms: source.terms,
    get run() {
      return run;
    },
    /** Undefined before the list is read, and after an error. */
    get flat() {
      return filled?.flat;
    },
    state(isOfPeople = false) {
      const { rowsVersion, peopleVersion, share = 0, pass } = filled ?? {};
      const isDone = (isOfPeople && run.hasPeople ? peopleVersion : rowsVersion) !== undefined;
      // A table that was complete before the run ended lacks the last answers.
      const isNewest = ledger.runs.get(run.id)?.state === run.state;
      return {
        isWhole: isDone && isNewest && (isLive(run) || !pass),
        share,
        /** Why there is no flat table, such as a full disk. */
        problem,
      };
    },
    isLive: () => isLive(run),
    look(): void {
      const found = ledger.runs.get(run.id);
      if (found?.startedAt !== run.startedAt) {
        throw new DossierError('RUN_MISSING', `${runName(run)} is no longer in the ledger`);
      }
      refusePruned(found);
      if (filled?.pass) return;
      if (Date.now() < due.passAt && (isLive(found) || problem !== null)) return;
      const forgotten = ledger.forgotten.count();
      // A list gets another id if, once read, it turns out to be one that the ledger already has.
      if (found.listId !== run.listId || filled?.forgotten !== forgotten) close();
      run = found;
      if (run.state === 'ingesting') return;
      const version = versionOf(ledger, run);
      if (filled?.rowsVersion === version && !arePeopleDue(version)) return;
      guarded(() => {
        problem = null;
        filled ??= { flat: openFlatTable(run.columns), forgotten, share: 0 };
        readRecords().refresh();
        filled.pass = fill(ledger, source, run, filled, { version, due, arePeopleDue });
      });
    },
    /** Returns false if nothing is left to do. */
    step(): boolean {
      guarded(() => {
        if (filled?.pass?.next().done) filled.pass = undefined;
      });
      return filled?.pass !== undefined;
    },
    [Symbol.dispose]: close,
  };
}

/** One pass. The next one is due when it ends. */
function* fill(
  ledger: Ledger,
  source: TableSource,
  run: Run,
  into: Filled,
  {
    version,
    due,
    arePeopleDue,
  }: {
    readonly version: string;
    readonly due: { passAt: number; peopleAt: number };
    arePeopleDue(version: string): boolean;
  },
): Generator<void> {
  const startedAt = Date.now();
  const base = changeBase(ledger, run);
  const readRecords = () => ledger.records(source.terms.exclusions);
  yield* fillRows(ledger, readRecords, run, into, base?.id !== into.baseId);
  into.baseId = base?.id;
  into.rowsVersion = version;
  if (base) yield* markChanged(source, base, run, into.flat);
  if (arePeopleDue(version)) {
    const beganAt = Date.now();
    yield* fillPeople(source, run, into.flat);
    into.peopleVersion = version;
    due.peopleAt = Date.now() + peopleRestFactor * (Date.now() - beganAt);
  }
  const restMs = Math.max(leastRestMs, restFactor * (Date.now() - startedAt));
  due.passAt = Date.now() + Math.min(restMs, longestRestMs);
}

function* fillRows(
  ledger: Ledger,
  readRecords: () => Records,
  run: Run,
  into: Filled,
  hasNewBase: boolean,
) {
  const isFirst = into.rowsVersion === undefined;
  const size = ledger.lists.size(run.listId);
  // Changes are known only when the run ends, so all rows are then read again.
  const numbers = isFirst || hasNewBase ? numbersTo(size) : into.flat.unsettled();
  for (let at = 0; at < numbers.length; at += rowsInPortion) {
    const recorded = readRecords().at(run, numbers.slice(at, at + rowsInPortion));
    into.flat.put(recorded.filter(({ record }) => isFirst || record.status !== 'open'));
    if (isFirst) into.share = at / size;
    yield;
  }
  into.share = 1;
}

/**
 * As in History, changes of values such as traffic are ignored. Long reads use a second connection,
 * because they would evict the first one's cached pages.
 */
function* markChanged({ ledger, terms }: TableSource, base: Run, run: Run, into: FlatTable) {
  using own = openLedgerToRead(ledger);
  const records = own?.records(terms.exclusions);
  let compared = 0;
  for (const change of records ? compareRows(records, { base, run }, terms) : []) {
    if (change && change.op !== 'row_removed') into.markChanged.run(change.rowNumber);
    compared += 1;
    if (compared % rowsInPortion === 0) yield;
  }
}

/** Companies come in the order of their first row, as in an export. */
function* fillPeople({ ledger, terms }: TableSource, run: Run, into: FlatTable) {
  using own = openLedgerToRead(ledger);
  const filler = into.fillPeople();
  const recorded = { ...run, staleMs: terms.staleMs };
  let portion: CompanyPeople[] = [];
  const records = own?.records(terms.exclusions).ofRun(recorded, () => {});
  for (const company of records?.people() ?? []) {
    portion.push({ rows: company.rows, people: mergePeople(company, terms.reference) });
    if (portion.length < companiesInPortion) continue;
    filler.put(portion);
    portion = [];
    yield;
  }
  filler.put(portion);
  filler.end();
}

export function numbersTo(size: number, offset = 0, limit = size): number[] {
  const length = Math.max(0, Math.min(limit, size - offset));
  return Array.from({ length }, (_, at) => offset + at + 1);
}

function isLive({ state }: Run) {
  return state === 'ingesting' || state === 'open';
}

/** Undefined during the run: open rows may still get the same result as before. */
function changeBase(ledger: Ledger, run: Run): Run | undefined {
  return run.state === 'finished' ? findBase(ledger, run) : undefined;
}

/** Returns a new text whenever a row of the run may have changed. */
function versionOf(ledger: Ledger, run: Run) {
  const [start] = ledger.starts.list(run.job, 1).filter(({ runId }) => runId === run.id);
  return JSON.stringify([
    run,
    changeBase(ledger, run)?.id,
    ledger.progress.counts(run.id),
    // Rows also change when a process stops: open ones may get stale answers.
    start?.startedAt,
    start?.endedAt,
  ]);
}
