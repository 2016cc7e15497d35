import type { KeyOfLastRun, KeyPlan } from './plan-key.ts';
import type { Repeats } from './unique-keys.ts';

/** What was seen of the keys while the list was read. */
export interface SeenKeys {
  readonly repeatedCells: Repeats;
  readonly repeatedIdentities: Repeats;
  /** Rows whose key cells are blank. */
  readonly withoutKey: { readonly rows: number; readonly first: number };
}

/** Says what tells rows apart where that is a guess, has changed or does not tell all of them apart. */
export function keyNotes(plan: KeyPlan, last: KeyOfLastRun, seen: SeenKeys): string[] {
  return [
    ...sourceNotes(plan, last),
    ...blankNotes(plan, seen),
    ...repeatedCellNotes(plan, seen.repeatedCells),
    ...repeatedIdentityNotes(seen.repeatedIdentities),
  ];
}

const hash = 'a hash of their identifiers';

function sourceNotes({ columns, foundBy, vanished, unused }: KeyPlan, last: KeyOfLastRun) {
  const source = columns.length === 0 ? hash : named(columns);
  if (vanished) {
    return [
      `The list no longer has ${named(vanished)}, by which its rows were told apart; ${source} does it now, so that each row counts as new. input.key names other columns.`,
    ];
  }
  if (foundBy === 'job') {
    const before = last === null ? hash : named(last ?? []);
    if (before === '' || before === source) return [];
    return [
      `Rows are told apart by ${source} now, and no longer by ${before}: each counts as new.`,
    ];
  }
  if (unused !== undefined) {
    return [
      `Rows are told apart by ${hash}, as before; \`input.key: ${unused}\` would take the column ${named([unused])}.`,
    ];
  }
  if (foundBy === 'last run' || columns.length === 0) return [];
  return [
    `Rows are told apart by their ${source} (row_key in the results); input.key names other columns.`,
  ];
}

function blankNotes({ columns }: KeyPlan, { withoutKey: { rows, first } }: SeenKeys): string[] {
  if (columns.length === 0 || rows === 0) return [];
  const missing = columns.map((column) => JSON.stringify(column)).join(' or ');
  if (rows === 1)
    return [`Row ${first} has no ${missing}: its row_key is a hash of its identifiers.`];
  const which = `${rows.toLocaleString('en')} rows, the first of them row ${first}, have no ${missing}`;
  return [`${which}: their row_key is ${hash}.`];
}

function repeatedCellNotes({ columns }: KeyPlan, { rows, first }: Repeats): string[] {
  if (!first) return [];
  const which =
    columns.length === 1 ? `column ${named(columns)} is` : `columns ${named(columns)} are`;
  const [one, other] = first.numbers;
  return [
    `Key ${which} not unique: rows ${one} and ${other} both hold ${JSON.stringify(shortened(first.key))}; ${numbered(rows)}.`,
  ];
}

function repeatedIdentityNotes({ rows, first }: Repeats): string[] {
  if (!first) return [];
  const [one, other] = first.numbers;
  return [
    `Rows ${one} and ${other} have the same identifiers: ${numbered(rows)}. input.key names a column that tells rows apart.`,
  ];
}

function numbered(rows: number): string {
  if (rows === 1) return 'one row has #2 behind its row_key';
  return `${rows.toLocaleString('en')} rows have #2, #3 and so on behind their row_key`;
}

const longestKey = 60;

function shortened(key: string): string {
  return key.length <= longestKey ? key : `${key.slice(0, longestKey - 1)}…`;
}

function named(columns: readonly string[]): string {
  return columns.map((column) => JSON.stringify(column)).join(' and ');
}
