import { useEffect, useState } from 'preact/hooks';
import type { Facets } from '../../../workbench/api/rows.ts';
import { type Choice, isNarrowed } from './choice.ts';
import type { ShownRows } from './table/use-rows.ts';
import { useTurns } from './use-turns.ts';

interface Refreshed {
  readonly rows: ShownRows;
  readonly facets: { readonly value: Facets | undefined; reload(): void };
  readonly turn: number;
  readonly choice: Choice;
  readonly isRunning: boolean;
  readonly grid: { readonly current: HTMLElement | null };
}

/**
 * Loads what has changed again. A table that is narrowed or sorted gets rows in between, so it waits for
 * the user, who would lose the place, unless it stands at its top. Gives whether it waits.
 */
export function useRefresh({ rows, facets, turn, choice, isRunning, grid }: Refreshed): boolean {
  const [isBehind, setBehind] = useState(false);
  const isOrdered = isNarrowed(choice) || choice.sort !== null;
  useEffect(() => {
    if (turn === 0) return;
    const waits = isRunning && isOrdered && (grid.current?.scrollTop ?? 0) > 0;
    setBehind(waits);
    if (!waits) rows.refresh();
  }, [turn]);
  useEffect(() => setBehind(false), [rows.order]);
  // Counting facets reads the whole index, so it is done less often.
  const slowTurn = useTurns(String(turn), 3_000);
  useEffect(() => {
    if (slowTurn > 0) facets.reload();
  }, [slowTurn]);

  const indexes = [rows.store?.page?.index, facets.value?.index];
  const isFilling = indexes.some((index) => index && !index.isWhole && index.trouble === null);
  useEffect(() => {
    if (!isFilling || isRunning) return undefined;
    const timer = setInterval(() => {
      rows.refresh();
      facets.reload();
    }, 1_000);
    return () => clearInterval(timer);
  }, [isFilling, isRunning]);
  return isBehind;
}
