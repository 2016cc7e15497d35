import { useEffect, useRef, useState } from 'preact/hooks';
import type { RowsPage, RowsQuery } from '../../../../workbench/api/rows.ts';
import { ask } from '../../shell/api.ts';
import { chunkRows, openRowStore, type RowStore } from './row-store.ts';

export interface ShownRows {
  /** The rows that are drawn: those of the last choice, until the first of the next have come. */
  readonly store: RowStore | undefined;
  /** Equal while the same rows are shown in the same order, whatever their columns. */
  readonly order: string;
  /** The part of `order` that the user has chosen: equal also for another run. */
  readonly narrowing: string;
  /** The order of the rows that are asked for, which may be on their way. */
  readonly wanted: string;
  readonly isLoading: boolean;
  refresh(): void;
  /** Where a row stands among the rows that are asked for, from 0; null where it is not among them. */
  locate(number: number): Promise<number | null>;
}

/** The rows that a choice asks for. */
export function useRows(job: string, run: string | undefined, asked: RowsQuery): ShownRows {
  const { columns, ...narrowed } = asked;
  const narrowing = JSON.stringify(narrowed);
  const order = JSON.stringify([job, run, narrowing]);
  const key = JSON.stringify([order, columns]);
  const newest = useRef<RowStore>(undefined);
  const [shown, setShown] = useState<Shown>();
  const [, setDrawing] = useState(0);
  const query = { job, run, ...addressOf(narrowed) };
  useEffect(() => {
    const load = (offset: number, signal: AbortSignal) =>
      ask<RowsPage>('rows', {
        method: 'POST',
        query: { ...query, limit: chunkRows, offset },
        body: { columns },
        signal,
      });
    const store = openRowStore(load, () => {
      const next = { store, key, order, narrowing };
      const isFilling = isIndexed(narrowed) && isPartlyIndexed(store);
      const waits = (before: Shown | undefined) =>
        isFilling && before?.narrowing === narrowing && before.order !== order;
      if (store.page || store.problem) {
        setShown((before) => {
          if (!waits(before)) return next;
          // Once for each answer.
          if (!store.isLoading) setTimeout(store.refresh, 300);
          return before;
        });
      }
      setDrawing((before) => before + 1);
    });
    newest.current = store;
    store.want(0, 1);
    return () => store.close();
  }, [key]);
  return {
    store: shown?.store,
    order: shown?.order ?? '',
    narrowing: shown?.narrowing ?? '',
    wanted: order,
    isLoading: shown?.key !== key || shown.store.isLoading,
    refresh: () => newest.current?.refresh(),
    async locate(number) {
      const body = { columns: [] };
      const found = { ...query, limit: 1, find: number };
      const page = ask<RowsPage>('rows', { method: 'POST', query: found, body });
      return await page.then(({ foundAt }) => foundAt).catch(() => null);
    },
  };
}

interface Shown {
  readonly store: RowStore;
  readonly key: string;
  readonly order: string;
  readonly narrowing: string;
}

/** Whether the index decides which rows come, and in which order. */
function isIndexed({ search = '', facets = {}, sort }: Omit<RowsQuery, 'columns'>): boolean {
  return search !== '' || Object.keys(facets).length > 0 || sort !== undefined;
}

/**
 * Whether rows of a newer run are still taken into its index. Until then those of the run before are drawn:
 * the row under the cursor would be among none, and a key would go on from the first.
 */
function isPartlyIndexed({ page, problem }: RowStore): boolean {
  return !problem && page !== undefined && page.index.trouble === null && page.index.share < 1;
}

/** A query as it stands in the address of a request. */
export function addressOf({ search, facets, sort, descending }: Omit<RowsQuery, 'columns'>) {
  return {
    search: search || undefined,
    facets: facets && Object.keys(facets).length > 0 ? JSON.stringify(facets) : undefined,
    sort,
    descending: descending ? 'true' : undefined,
  };
}
