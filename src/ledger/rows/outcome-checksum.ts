import { crc32 } from 'node:zlib';
import type { Database } from 'better-sqlite3';

/** All columns of an outcome but the checksum, in the order of the table. */
const columns = [
  ...['row_id', 'run_id', 'status', 'reason', 'message', 'answer_id', 'match', 'call_id', 'place'],
  ...['is_stale', 'changed_run'],
];

/** The checksum of an outcome with these values, in the order of the columns. */
export function outcomeChecksum(values: readonly unknown[]): number {
  let text = '';
  // Null is not the empty text here, as it would be with `join`.
  for (const value of values) text += `${value}\n`;
  return crc32(text);
}

/**
 * Makes it a function of SQL, for the statements of a connection that are made by the functions below:
 * outcomes are stored by statements that end many rows at once.
 */
export function defineOutcomeChecksum(db: Database): void {
  const options = { deterministic: true, varargs: true };
  db.function('outcome_checksum', options, (...values: readonly unknown[]) =>
    outcomeChecksum(values),
  );
}

/** Stores outcomes with these values, in the order of the columns, from the tables that are named. */
export function putOutcomes(values: string, from = ''): string {
  return `
    insert or replace into outcome (${columns.join(', ')}, checksum)
    select ${values}, outcome_checksum(${values}) ${from}`;
}

/** The checksum of an outcome that a statement calls by a name, as its columns are now. */
export function checksumOf(outcome: string, changedRun = `${outcome}.changed_run`): string {
  const values = columns.map((column) => `${outcome}.${column}`).with(-1, changedRun);
  return `outcome_checksum(${values.join(', ')})`;
}

/** Whether an outcome is as it was stored. */
export function isWhole(outcome: string): string {
  return `${outcome}.checksum = ${checksumOf(outcome)}`;
}
