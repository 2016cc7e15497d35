import { useEffect, useRef, useState } from 'preact/hooks';
import type { RowsPage, RowsQuery } from '../../../../workbench/api/rows.ts';
import { ask } from '../../shell/api.ts';
import { chunkRows, openRowStore, type RowStore } from './row-store.ts';

export interface ShownRows {
  /** The rows that are drawn: those of the last choice, until the first of the next have come. */
  readonly store: RowStore | undefined;
  /** Equal while the same rows are shown in the same order, whatever their columns. */
  readonly order: string;
  readonly isLoading: boolean;
  refresh(): void;
}

/** The rows that a choice asks for. */
export function useRows(job: string, run: string | undefined, query: RowsQuery): ShownRows {
  const { columns, ...narrowed } = query;
  const order = JSON.stringify([job, run, narrowed]);
  const key = JSON.stringify([order, columns]);
  const newest = useRef<RowStore>(undefined);
  const [shown, setShown] = useState<{ store: RowStore; order: string; key: string }>();
  const [, setDrawing] = useState(0);
  useEffect(() => {
    const load = (offset: number, signal: AbortSignal) =>
      ask<RowsPage>('rows', {
        method: 'POST',
        query: { job, run, ...addressOf(narrowed), limit: chunkRows, offset },
        body: { columns },
        signal,
      });
    const store = openRowStore(load, () => {
      if (store.page || store.problem) setShown({ store, order, key });
      setDrawing((before) => before + 1);
    });
    newest.current = store;
    store.want(0, 1);
    return () => store.close();
  }, [key]);
  return {
    store: shown?.store,
    order: shown?.order ?? '',
    isLoading: shown?.key !== key || shown.store.isLoading,
    refresh: () => newest.current?.refresh(),
  };
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
