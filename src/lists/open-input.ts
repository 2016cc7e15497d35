import { DossierError } from '../core/errors.ts';
import { type ListPlace, listAddress } from '../core/runtime/files/local-path.ts';
import { spoolBytes } from '../core/runtime/files/open-bytes.ts';
import { chooseEncoding, decodeBytes, type PeekedBytes, peekBytes } from './bytes.ts';
import { readCsv } from './csv/read-csv.ts';
import { type InputRow, type InputTable, openReadingNotes, type SheetChoice } from './input-row.ts';
import { readJsonl } from './jsonl.ts';
import { unreadable } from './list-errors.ts';
import {
  collectWorkbook,
  isParquet,
  isZip,
  refuseBinary,
  refuseOtherKind,
} from './refuse-binary.ts';
import { type OpenSource, openSource, type SourceOptions } from './remote/open-source.ts';

export type InputFormat = 'csv' | 'jsonl' | 'xlsx' | 'parquet';

export interface InputOptions {
  /** When absent, detected from the first bytes and the extension of the file. */
  readonly format?: InputFormat | undefined;
  /** One character; detected when absent. */
  readonly delimiter?: string | undefined;
  /** Any label that TextDecoder knows; a byte order mark overrules it. */
  readonly encoding?: string | undefined;
  /** Whether the first row names the columns; detected from its cells when absent. */
  readonly header?: boolean | undefined;
  /** Line of a CSV file, or row of a sheet, that names the columns; found when absent. */
  readonly headerRow?: number | undefined;
  /** Name of the sheet of a workbook; when absent, the first sheet that is not hidden. */
  readonly sheet?: string | undefined;
  /** A longer row becomes a row with a problem, so that no file can fill the memory. */
  readonly maxRecordLength?: number | undefined;
}

export interface OpenInput extends AsyncDisposable, Omit<InputTable, 'titleRows' | 'leftOut'> {
  /** For messages: the path, the address as it may be shown, or "standard input". */
  readonly name: string;
  readonly format: InputFormat;
  /** Only for a workbook. */
  readonly sheet?: SheetChoice | undefined;
  /** How the text is encoded, as named or by a byte order mark; undefined for a workbook or Parquet. */
  readonly encoding?: string | undefined;
  /** What was guessed so far to read the list, in sentences for people. */
  notes(): readonly string[];
  /** The encoding that was guessed: identifiers beyond ASCII cannot be trusted then. */
  guessedEncoding(): string | undefined;
  /** Can be read once. Reading to the end or leaving the loop closes the file. */
  readonly rows: AsyncIterable<InputRow>;
  /** Compressed size on disk; undefined for a pipe and for a workbook, which is read at once. */
  readonly sizeBytes: number | undefined;
  /** Bytes read from the disk so far, to be compared with `sizeBytes`. */
  bytesRead(): number;
}

const defaultMaxRecordLength = 1024 * 1024;
const headBytes = 4096;

/**
 * Opens a list of companies. A row that cannot be read is a row with a problem. It throws only when
 * the whole file cannot be read.
 */
export async function openInput(
  place: ListPlace,
  options: InputOptions = {},
  sourceOptions: SourceOptions = {},
): Promise<OpenInput> {
  if (place === '-' && process.stdin.isTTY) {
    throw unreadable(
      'standard input is a terminal and nothing is piped into it: name a file, or pipe one (dossier … - < leads.csv)',
    );
  }
  const opened = await openSource(place, sourceOptions);
  const source = opened.bytes[Symbol.asyncIterator]();
  let close = async () => {
    await source.return?.();
    await opened.close();
  };
  try {
    const { name, sizeBytes, bytesRead } = opened;
    const raw = await peekBytes({ [Symbol.asyncIterator]: () => source }, headBytes);
    const { onGuess, onTable, notes, guessedEncoding } = openReadingNotes(name);
    const list = { ...opened, path: place === '-' ? place : name, signal: sourceOptions.signal };
    const { close: closeTable, ...table } = await openTable(list, raw, options, onGuess);
    const closeSource = close;
    close = async () => {
      await closeTable?.();
      await closeSource();
    };
    onTable(table, options.header);
    const batches = closedAfter(table.batches, close);
    return {
      sizeBytes,
      bytesRead,
      ...table,
      name,
      notes,
      guessedEncoding,
      batches,
      rows: eachRow(batches),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

type Table = InputTable & Pick<OpenInput, 'format'> & Partial<OpenInput>;

async function openTable(
  list: OpenSource & { readonly path: string; readonly signal: AbortSignal | undefined },
  raw: PeekedBytes,
  options: InputOptions,
  onGuess: (line: number) => void,
): Promise<Table & { readonly close?: () => Promise<void> }> {
  const { name } = list;
  const { maxRecordLength = defaultMaxRecordLength } = options;
  const fileName = list.path.toLowerCase().replace(/\.(?:gz|zst)$/, '');
  const named = options.format ?? formatByName(fileName);
  if (isZip(raw.head) && (options.format ?? 'xlsx') === 'xlsx') {
    // The directory of a zip stands at its end, so it is held in memory, still compressed.
    const zip = await collectWorkbook(name, raw.bytes);
    // Only a workbook needs the xlsx package, so other runs start without loading it.
    const { readSheet } = await import('./workbook/read-sheet.ts');
    const table = await readSheet(zip, name, options);
    return { ...table, format: 'xlsx', sizeBytes: undefined, bytesRead: () => zip.length };
  }
  const isColumnar = isParquet(raw.head) && (options.format ?? 'parquet') === 'parquet';
  if (!isColumnar && (named === 'xlsx' || named === 'parquet')) {
    refuseOtherKind(name, raw.head, named);
  }
  if (options.sheet !== undefined) {
    throw new DossierError('COLUMNS_UNCLEAR', `${name} is not a workbook; remove --sheet`);
  }
  if (isColumnar) {
    const stored = await list.openRandom?.();
    // It is read in any order. What was read of a file that is compressed as a whole does not stand in it.
    const isPlain = stored && isParquet(await stored.read(0, 4));
    if (!isPlain) await stored?.close();
    const file = isPlain ? stored : await spoolBytes(name, raw.bytes);
    const { size: sizeBytes, bytesRead, close } = file;
    try {
      // Only a Parquet list needs the package that decodes it, so other runs start without loading it.
      const { readParquet } = await import('./parquet/read-parquet.ts');
      const table = await readParquet({ name, file, maxRecordLength, signal: list.signal });
      return { ...table, format: 'parquet', sizeBytes, bytesRead, close };
    } catch (error) {
      await close();
      throw error;
    }
  }
  const chosen = chooseEncoding(raw.head, options.encoding);
  const { encoding } = chosen;
  refuseBinary(name, raw.head, encoding.startsWith('utf-16'));
  const text = await peekBytes(decodeBytes(raw.bytes, chosen, name, onGuess), headBytes);
  const format = named === 'csv' || named === 'jsonl' ? named : formatByContent(text.head);
  if (format === 'jsonl') {
    return { format, encoding, ...(await readJsonl(text.bytes, name, maxRecordLength)) };
  }
  const delimiter = options.delimiter ?? (fileName.endsWith('.tsv') ? '\t' : undefined);
  const csv = { ...options, delimiter, maxRecordLength };
  return { format, encoding, ...(await readCsv(text.bytes, name, csv)) };
}

async function* closedAfter(batches: InputTable['batches'], close: () => Promise<void>) {
  try {
    yield* batches;
  } finally {
    await close();
  }
}

async function* eachRow(batches: InputTable['batches']) {
  for await (const batch of batches) yield* batch;
}

function formatByName(name: string): InputFormat | undefined {
  if (/\.xls[xmb]?$/.test(name)) return 'xlsx';
  if (/\.(?:parquet|parq|pq)$/.test(name)) return 'parquet';
  if (/\.(?:jsonl|ndjson|json)$/.test(name)) return 'jsonl';
  return /\.(?:csv|tsv|txt)$/.test(name) ? 'csv' : undefined;
}

function formatByContent(head: Buffer): 'csv' | 'jsonl' {
  return /^\s*(?:\{|\[\s*\{)/.test(head.toString('utf8')) ? 'jsonl' : 'csv';
}

/** Opens every sheet of a workbook in turn; other lists are one sheet. */
export async function* openSheets(path: string, signal?: AbortSignal): AsyncGenerator<OpenInput> {
  const open = (sheet?: string) =>
    openInput(listAddress(path) ?? path, { sheet }, signal && { signal });
  await using first = await open();
  yield first;
  for (const name of first.sheet?.others ?? []) {
    await using other = await open(name);
    yield other;
  }
}
