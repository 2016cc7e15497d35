import type { RowsPage, TableRow } from '../../../../workbench/api/rows.ts';
import { type ApiProblem, problemOf } from '../../shell/api.ts';

/** Rows in one request. */
export const chunkRows = 100;

/** Chunks that are kept: 5,000 rows, so that a tab that was scrolled all day stays small. */
const mostChunks = 50;

/** The rows of one table, loaded where they are looked at. */
export interface RowStore {
  /** What the newest answer said of the whole table. */
  readonly page: RowsPage | undefined;
  readonly problem: ApiProblem | undefined;
  readonly isLoading: boolean;
  rowAt(index: number): TableRow | undefined;
  /** These rows are in view; what is no longer wanted is not waited for. */
  want(first: number, end: number): void;
  /** What is in view is loaded again; the rows stay until newer ones are there. */
  refresh(): void;
  close(): void;
}

export type LoadRows = (offset: number, signal: AbortSignal) => Promise<RowsPage>;

interface Chunk {
  readonly rows: readonly TableRow[];
  readonly generation: number;
}

export function openRowStore(load: LoadRows, onChange: () => void): RowStore {
  const chunks = new Map<number, Chunk>();
  const loading = new Map<number, AbortController>();
  let wanted: readonly number[] = [0];
  let generation = 0;
  let page: RowsPage | undefined;
  let problem: ApiProblem | undefined;
  let isClosed = false;

  const get = async (chunk: number) => {
    const leaving = new AbortController();
    const asked = generation;
    loading.set(chunk, leaving);
    try {
      const answer = await load(chunk * chunkRows, leaving.signal);
      if (leaving.signal.aborted) return;
      chunks.delete(chunk);
      chunks.set(chunk, { rows: answer.rows, generation: asked });
      page = answer;
    } catch (error) {
      if (leaving.signal.aborted) return;
      problem = problemOf(error);
    }
    loading.delete(chunk);
    forgetOld();
    fill();
    onChange();
  };
  const forgetOld = () => {
    for (const chunk of chunks.keys()) {
      if (chunks.size <= mostChunks) return;
      if (!wanted.includes(chunk)) chunks.delete(chunk);
    }
  };
  const leave = (chunk: number) => {
    loading.get(chunk)?.abort();
    loading.delete(chunk);
  };
  const fill = () => {
    for (const chunk of [...loading.keys()]) if (!wanted.includes(chunk)) leave(chunk);
    if (problem || isClosed) return;
    const missing = wanted.filter(
      (chunk) => chunks.get(chunk)?.generation !== generation && !loading.has(chunk),
    );
    for (const chunk of missing) void get(chunk);
    // Who draws shows that something is waited for.
    if (missing.length > 0) onChange();
  };
  return {
    get page() {
      return page;
    },
    get problem() {
      return problem;
    },
    get isLoading() {
      return loading.size > 0;
    },
    rowAt: (index) => chunks.get(Math.floor(index / chunkRows))?.rows[index % chunkRows],
    want(first, end) {
      const from = Math.floor(first / chunkRows);
      const last = Math.max(from, Math.floor((end - 1) / chunkRows));
      wanted = Array.from({ length: last - from + 1 }, (_, at) => from + at);
      fill();
    },
    refresh() {
      generation += 1;
      problem = undefined;
      fill();
    },
    close() {
      for (const chunk of [...loading.keys()]) leave(chunk);
      isClosed = true;
    },
  };
}
