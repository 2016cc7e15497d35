import { hash } from 'node:crypto';
import type { Ledger } from '../../../ledger/open-ledger.ts';
import { isPublished, type Run } from '../../../ledger/runs/runs.ts';
import { findBase } from '../../../records/compare-runs.ts';
import { companiesColumns, flattenRow } from '../../../records/flatten-row.ts';
import type { FacetName } from '../../api/rows.ts';
import { type Entry, entryMaker } from './entry.ts';
import { FacetCodes, facetNames } from './facet-codes.ts';
import type { IndexFile, NewValues } from './index-file.ts';

/** Rows that are read and written together: few, as requests wait so long. */
const rowsInPortion = 200;
/** Rows whose codes are stored as one. */
const rowsInBlock = 4_096;

/**
 * The index of one run: a file with texts and sort keys, and the facets of all rows in memory. It follows
 * the ledger: each pass takes over the rows that have changed since the last one.
 */
export class RunIndex {
  readonly file: IndexFile;
  readonly rows: number;
  readonly facets: Readonly<Record<FacetName, FacetCodes>>;
  /** Grows with every change, so that what was found before is not taken for what is found now. */
  version = 0;
  /** Rows up to this number are in the index. */
  upTo = 0;
  /** Where the run stood when all its rows had been looked at. */
  wholeAt: string | null = null;
  readonly #ledger: Ledger;
  /** By the number of the row: a hash of what it was made of. */
  readonly #states: Float64Array;
  readonly #changedBlocks = new Set<number>();
  readonly #makeEntry: ReturnType<typeof entryMaker>;

  constructor(ledger: Ledger, run: Run, file: IndexFile) {
    this.#ledger = ledger;
    this.file = file;
    this.rows = ledger.lists.size(run.listId);
    this.facets = Object.fromEntries(
      facetNames.map((name) => [name, new FacetCodes(this.rows)]),
    ) as Record<FacetName, FacetCodes>;
    this.#states = new Float64Array(this.rows + 1);
    this.#makeEntry = entryMaker(companiesColumns(run.columns));
    this.#restore();
  }

  /** Takes over all rows of the run that are not in the index as they are now, a portion at a time. */
  *takeAll(run: Run, token: string): Generator<void> {
    for (const { after, upTo } of rangesOf(this.rows)) {
      yield* this.#takeRange(run, after, upTo, () => true);
      this.upTo = Math.max(this.upTo, upTo);
      // Who has looked since the last portion has found none of these rows.
      this.version += 1;
      this.#save();
    }
    this.wholeAt = token;
    this.#save();
  }

  /** Takes over the rows that were open in the index and are not any more: what changes while a run calls. */
  *takeEnded(run: Run, token: string): Generator<void> {
    const { codes, values } = this.facets.status;
    for (const { firstNumber, isOpen } of this.#ledger.records.openRows(run)) {
      const hasEnded = (number: number) =>
        values[codes[number] ?? 0]?.[0] === 'open' && isOpen[number - firstNumber] === false;
      const numbers = isOpen.map((_, at) => firstNumber + at);
      const [first, last] = [numbers.find(hasEnded), numbers.findLast(hasEnded)];
      if (first === undefined || last === undefined) continue;
      yield* this.#takeRange(run, first - 1, last, hasEnded);
    }
    this.wholeAt = token;
    this.#save();
  }

  *#takeRange(
    run: Run,
    after: number,
    upTo: number,
    isLookedAt: (number: number) => boolean,
  ): Generator<void> {
    const baseId = changeBase(this.#ledger, run)?.id ?? Number.POSITIVE_INFINITY;
    for (const block of this.#ledger.records.states(run, { after, upTo })) {
      const changed = block.states.flatMap((text, at) => {
        const number = block.firstNumber + at;
        const isChanged = (block.changedRuns[at] ?? 0) > baseId;
        const state = hashOf(`${text} ${isChanged}`);
        const isKnown = this.#states[number] === state || !isLookedAt(number);
        return isKnown ? [] : [{ number, state, isChanged }];
      });
      for (let at = 0; at < changed.length; at += rowsInPortion) {
        this.#take(run, changed.slice(at, at + rowsInPortion));
        yield;
      }
    }
    yield;
  }

  #take(run: Run, rows: readonly ChangedState[]): void {
    const numbers = rows.map(({ number }) => number);
    const changed = new Set(rows.filter(({ isChanged }) => isChanged).map(({ number }) => number));
    const width = run.columns.length;
    const entries = this.#ledger.records
      .at(run, numbers, () => {})
      .map(({ record }) =>
        this.#makeEntry(flattenRow(record, width), width, changed.has(record.number)),
      );
    for (const { number, state } of rows) this.#states[number] = state;
    this.file.put(entries, this.#setFacets(entries));
    this.version += 1;
  }

  #setFacets(entries: readonly Entry[]): NewValues[] {
    const added: NewValues[] = [];
    for (const { number, facets } of entries) {
      this.#changedBlocks.add(Math.floor(number / rowsInBlock));
      for (const facet of facetNames) {
        const values = facets[facet];
        const code = this.facets[facet].set(number, values);
        if (code !== undefined) added.push({ facet, code, value: JSON.stringify(values) });
      }
    }
    return added;
  }

  /** Stores what is in memory. Rows that were taken since the last time are taken again after a kill. */
  #save(): void {
    const blocks = [...this.#changedBlocks].map((block) => this.#block(block * rowsInBlock));
    const { upTo, wholeAt } = this;
    this.file.save(blocks, { upTo, wholeAt });
    this.#changedBlocks.clear();
  }

  #block(firstNumber: number) {
    const end = Math.min(firstNumber + rowsInBlock, this.rows + 1);
    const codes = facetNames.map((name) =>
      bytesOf(this.facets[name].codes.subarray(firstNumber, end)),
    );
    const states = bytesOf(this.#states.subarray(firstNumber, end));
    return { firstNumber, codes: Buffer.concat(codes), states: Buffer.from(states) };
  }

  #restore(): void {
    const note = this.file.note();
    if (!note) return;
    for (const { facet, value } of this.file.facetValues()) {
      this.facets[facet].restoreValues(value);
    }
    for (const { firstNumber, codes, states } of this.file.blocks()) {
      this.#states.set(new Float64Array(new Uint8Array(states).buffer), firstNumber);
      const all = new Uint16Array(new Uint8Array(codes).buffer);
      const width = all.length / facetNames.length;
      for (const [at, name] of facetNames.entries()) {
        this.facets[name].restoreCodes(firstNumber, all.subarray(at * width, (at + 1) * width));
      }
    }
    this.upTo = note.upTo;
    this.wholeAt = note.wholeAt;
  }
}

interface ChangedState {
  readonly number: number;
  readonly state: number;
  /** Different from the run that changes are told against. */
  readonly isChanged: boolean;
}

/** Rows a few thousand at a time, so that a look at their states does not take long. */
function* rangesOf(rows: number): Generator<{ readonly after: number; readonly upTo: number }> {
  for (let after = 0; after < rows; after += rowsInBlock) {
    yield { after, upTo: Math.min(after + rowsInBlock, rows) };
  }
}

/** The run that changes are told against; none while a run goes on, as it may yet come to the same. */
export function changeBase(ledger: Ledger, run: Run): Run | undefined {
  return run.state === 'finished' ? findBase(ledger, run) : undefined;
}

export interface RunState {
  /** Changes whenever any row of the run may have. */
  readonly run: string;
  /** Changes whenever a row has ended. */
  readonly counts: string;
}

export function stateOfRun(ledger: Ledger, run: Run): RunState {
  const base = changeBase(ledger, run);
  const counts = ledger.counts(run.id);
  const { id, state, startedAt, lastStartedAt, finishedAt } = run;
  const [start] = ledger.starts.list(run.job, 1).filter(({ runId }) => runId === id);
  return {
    run: JSON.stringify([
      ...[id, startedAt, state, lastStartedAt, finishedAt, isPublished(run), base?.id ?? null],
      // A process that stops may have given rows stale answers, though they go on to wait.
      ...[counts.stale, start?.startedAt ?? null, start?.endedAt ?? null],
    ]),
    counts: JSON.stringify(counts),
  };
}

function bytesOf(array: Uint16Array | Float64Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** 48 bits, which a number holds exactly. */
function hashOf(text: string): number {
  return Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16);
}
