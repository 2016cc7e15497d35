import type { SchemaTree } from 'hyparquet';
import { assembleLists, assembleNested } from 'hyparquet/src/assemble.js';
import { DEFAULT_PARSERS } from 'hyparquet/src/convert.js';
import { jsonCell } from '../json-cell.ts';
import { countOf, type LeafPage } from './leaf-pages.ts';
import type { Leaf, ListColumn } from './parquet-columns.ts';

type NextPage = () => Promise<LeafPage | undefined>;

/** The cells of one column of a row group, in order. */
export interface ColumnCells {
  /** How many can be taken before more must be loaded. */
  ready(): number;
  /** Loads a page; nothing is ready then only if the column has ended. */
  load(): Promise<void>;
  take(): string | undefined;
}

export function openColumnCells(column: ListColumn, pages: readonly NextPage[]): ColumnCells {
  const [leaf] = column.leaves;
  const [nextPage] = pages;
  if (column.tree || !nextPage) return jsonCells(column, column.tree, pages);
  return plainCells(leaf, nextPage);
}

function plainCells({ maxDefinition }: Leaf, nextPage: NextPage): ColumnCells {
  let page: LeafPage | undefined;
  let taken = 0;
  return {
    ready: () => (page ? page.count - taken : 0),
    async load() {
      page = await nextPage();
      taken = 0;
    },
    take() {
      const isThere = !page?.definition || page.definition[taken] === maxDefinition;
      taken += 1;
      return isThere ? jsonCell(page?.next()) : undefined;
    },
  };
}

/** What is repeated within a row is put together page by page, from all leaves of the column. */
function jsonCells(
  { leaves, path }: ListColumn,
  tree: SchemaTree | undefined,
  pages: readonly NextPage[],
): ColumnCells {
  const sources = leaves.map((leaf, index) => openLeafRows(leaf, pages[index]));
  let cells: (string | undefined)[] = [];
  let taken = 0;
  return {
    ready: () => cells.length - taken,
    async load() {
      cells = [];
      taken = 0;
      for (const source of sources) while (source.ready() === 0 && (await source.load()));
      const count = Math.min(...sources.map((source) => source.ready()));
      if (count === 0 || !tree) return;
      const rows = sources.map((source) => source.take(count));
      const [first = []] = rows;
      // A column that is repeated itself and has no children is put together already.
      const data = new Map(
        leaves.map((leaf, index) => [leaf.path.join('.'), rows[index] ?? first]),
      );
      if (tree.children.length > 0) assembleNested(data, tree, DEFAULT_PARSERS);
      const whole = data.get(tree.path.join('.')) as unknown[];
      cells = whole.map((value) => jsonCell(valueAt(value, path)));
    },
    take() {
      taken += 1;
      return cells[taken - 1];
    },
  };
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const key of path) found = (found as Record<string, unknown> | null | undefined)?.[key];
  return found;
}

/** Values that are put together at once: a page may hold a hundred thousand rows. */
const portion = 4_096;

/** The rows of one leaf. The last one of a page is not known to be whole before the next page begins. */
function openLeafRows({ schemaPath, maxDefinition }: Leaf, nextPage: NextPage | undefined) {
  let rows: unknown[] = [];
  let page: LeafPage | undefined;
  let start = 0;
  let hasEnded = false;
  return {
    ready: () => (hasEnded || page ? rows.length : Math.max(0, rows.length - 1)),
    /** False when there is nothing more to load. */
    async load(): Promise<boolean> {
      if (hasEnded) return false;
      if (!page) {
        page = await nextPage?.();
        start = 0;
        hasEnded = !page;
        if (!page) return true;
      }
      const { count, definition, repetition, next } = page;
      let end = Math.min(start + portion, count);
      while (end < count && repetition?.[end] !== 0) end += 1;
      const levels = definition?.subarray(start, end);
      const present = levels ? countOf(levels, maxDefinition) : end - start;
      const values = Array.from({ length: present }, next);
      const repeated = Array.from(repetition?.subarray(start, end) ?? []);
      assembleLists(rows, levels && Array.from(levels), repeated, values, schemaPath);
      start = end;
      if (end === count) page = undefined;
      return true;
    },
    take(count: number): unknown[] {
      const taken = rows.slice(0, count);
      rows = rows.slice(count);
      return taken;
    },
  };
}
