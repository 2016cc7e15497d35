import type { Column } from '../../../records/columns/columns.ts';
import type { EncodedLines } from '../../lines/encode-lines.ts';
import type { CopyStream, Warehouse } from '../connection/open-warehouse.ts';
import { columnLine } from '../create-table.ts';
import { quoteIdentifier } from '../quote-identifier.ts';

/** Temporary tables that records are copied to, to be merged from there. They end with the transaction. */
export interface Staging {
  /** The key is what records are joined by when they are merged. */
  create(table: string, columns: readonly Column[], key: readonly string[]): Promise<void>;
  /** Adds lines to a table that was created. Resolves when the next may come. */
  copy(table: string, lines: EncodedLines): Promise<void>;
  /** Ends the COPY, and lets PostgreSQL see how many records there are, by which it plans the merge. */
  finish(): Promise<void>;
}

export function stagedName(table: string): string {
  return `pg_temp.dossier_staged_${table}`;
}

/** A connection takes one COPY at a time; records come table after table, so that each has one or few. */
export function openStaging(warehouse: Warehouse): Staging {
  const columnsOf = new Map<string, readonly Column[]>();
  const keys = new Map<string, readonly string[]>();
  let current: { readonly table: string; readonly stream: CopyStream } | undefined;

  async function endCopy(): Promise<void> {
    await current?.stream.end();
    current = undefined;
  }
  async function startCopy(table: string): Promise<CopyStream> {
    await endCopy();
    const names = (columnsOf.get(table) ?? []).map(({ name }) => quoteIdentifier(name));
    const text = `copy ${stagedName(table)} (${names.join(', ')}) from stdin`;
    current = { table, stream: warehouse.copyInto('stage', text) };
    return current.stream;
  }
  return {
    async create(table, columns, key) {
      await endCopy();
      columnsOf.set(table, columns);
      keys.set(table, key);
      // Records are read once or twice here, so that compressing the large ones does not pay.
      const text = `create temporary table dossier_staged_${table} (${columns.map(columnLine).join(', ')})
        with (toast_tuple_target = 8160) on commit drop`;
      await warehouse.query('stage', text);
    },
    async copy(table, { rows, bytes }) {
      if (rows === 0) return;
      const stream = current?.table === table ? current.stream : await startCopy(table);
      await stream.write(bytes);
    },
    async finish() {
      await endCopy();
      for (const [table, key] of keys) {
        const columns = key.map(quoteIdentifier).join(', ');
        await warehouse.query('stage', `analyze ${stagedName(table)} (${columns})`);
      }
    },
  };
}
