import { DossierError } from '../../../errors.ts';
import type { Ledger } from '../../../ledger/open-ledger.ts';
import { type Run, runName } from '../../../ledger/runs/runs.ts';
import { refusePruned } from '../../../queue/published/choose-run.ts';
import type { IndexState } from '../../api/rows.ts';
import { isDamage, type PlacedIndex, placeIndex } from './place-index.ts';
import { RunIndex, stateOfRun } from './run-index.ts';

/** A pass over many rows is followed by a rest that is as long as two of them. */
const restFactor = 2;
const leastRestMs = 300;
/** The first pass reads every row, and says nothing of how long the next will take. */
const longestRestMs = 5_000;
/** After trouble, such as a full disk. */
const restAfterTroubleMs = 30_000;
const mostRenewals = 3;

/** A run that the table is open for, with its index as far as there is one. */
export class FollowedRun implements Disposable {
  /** The same object for as long as nothing has changed: which rows are open is read once for each. */
  run: Run;
  index: RunIndex | undefined;
  readonly #ledger: Ledger;
  readonly #ledgerPath: string;
  #placed: PlacedIndex | undefined;
  #pass: Generator<void> | undefined;
  #passBegan = 0;
  #nextLook = 0;
  #trouble: string | null = null;
  #renewals = 0;

  constructor(ledger: Ledger, ledgerPath: string, run: Run) {
    this.#ledger = ledger;
    this.#ledgerPath = ledgerPath;
    this.run = run;
  }

  get state(): IndexState {
    const { index, run } = this;
    const trouble = this.#trouble;
    if (!index) {
      const isEmpty = run.state !== 'ingesting' && this.#ledger.lists.size(run.listId) === 0;
      return { isWhole: isEmpty && trouble === null, share: isEmpty ? 1 : 0, trouble };
    }
    const share = index.rows === 0 ? 1 : index.upTo / index.rows;
    const isFollowed = this.isLive || this.#pass === undefined;
    return { isWhole: index.wholeAt !== null && isFollowed, share, trouble };
  }

  /** Whether it goes on, so that there is always something to follow. */
  get isLive(): boolean {
    return isLive(this.run);
  }

  /** Looks whether the run has changed, and begins a pass over its rows if so. Throws where it is gone. */
  look(now = Date.now()): void {
    const found = this.#ledger.runs.get(this.run.id);
    if (!found || found.startedAt !== this.run.startedAt) {
      throw new DossierError('RUN_MISSING', `${runName(this.run)} is not in the ledger any more`);
    }
    if (found.prunedAt !== null) this.#removeIndex();
    refusePruned(found);
    if (this.#pass || (now < this.#nextLook && (isLive(found) || this.#trouble !== null))) return;
    if (JSON.stringify(found) !== JSON.stringify(this.run)) this.#changeRun(found);
    if (found.state === 'ingesting') return;
    this.#guarded(() => this.#begin(now));
  }

  #changeRun(found: Run): void {
    // A list that is read to its end may turn out to be one that is there already.
    const isOtherList = found.listId !== this.run.listId || this.run.state === 'ingesting';
    this.run = found;
    if (isOtherList) this.#closeIndex();
  }

  #begin(now: number): void {
    const index = this.#open();
    const state = stateOfRun(this.#ledger, this.run);
    const token = `${state.run}\n${state.counts}`;
    if (index.wholeAt === token) return;
    // Rows that wait are read anew with each pass.
    this.run = { ...this.run };
    const isSameRun = index.wholeAt?.startsWith(`${state.run}\n`) === true;
    this.#passBegan = now;
    this.#pass = isSameRun ? index.takeEnded(this.run, token) : index.takeAll(this.run, token);
  }

  #open(): RunIndex {
    if (this.index) return this.index;
    this.#placed = placeIndex(this.#ledgerPath, this.run);
    this.index = new RunIndex(this.#ledger, this.run, this.#placed.file);
    this.#trouble = null;
    return this.index;
  }

  /** Takes over a portion of the rows; false where there is nothing left to do. */
  step(): boolean {
    const pass = this.#pass;
    if (!pass) return false;
    this.#guarded(() => {
      if (!pass.next().done) return;
      this.#pass = undefined;
      const now = Date.now();
      const restMs = Math.max(leastRestMs, restFactor * (now - this.#passBegan));
      this.#nextLook = now + Math.min(restMs, longestRestMs);
    });
    return this.#pass !== undefined;
  }

  /** Asks a question to the index; undefined where it is found to be damaged, and will be made anew. */
  ask<Answer>(question: () => Answer): Answer | undefined {
    try {
      return question();
    } catch (error) {
      if (error instanceof DossierError || !isDamage(error)) throw error;
      this.#meet(error as Error);
      return undefined;
    }
  }

  #guarded<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error)) throw error;
      this.#meet(error);
      return undefined;
    }
  }

  /** Does without the index: for good where there is trouble, and else until it is made anew. */
  #meet(error: Error): void {
    this.#removeIndex();
    // A row of the ledger that has changed on the disk is no fault of the index.
    if (!(error instanceof DossierError) && isDamage(error) && this.#renewals < mostRenewals) {
      this.#renewals += 1;
      return;
    }
    const isOfLedger = error instanceof DossierError;
    this.#trouble = isOfLedger ? error.message : `the index cannot be kept: ${error.message}`;
    this.#nextLook = Date.now() + restAfterTroubleMs;
  }

  #closeIndex(): void {
    this.#pass = undefined;
    this.index = undefined;
    this.#placed?.[Symbol.dispose]();
    this.#placed = undefined;
  }

  #removeIndex(): void {
    const placed = this.#placed;
    this.#placed = undefined;
    placed?.remove();
    this.#closeIndex();
  }

  [Symbol.dispose](): void {
    this.#closeIndex();
  }
}

function isLive({ state }: Run): boolean {
  return state === 'ingesting' || state === 'open';
}
