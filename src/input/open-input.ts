import { DossierError } from '../errors.ts';
import type { ListPlace } from '../runtime/files/local-path.ts';
import { type RandomBytes, spoolBytes } from '../runtime/files/open-bytes.ts';
import { chooseEncoding, decodeBytes, type PeekedBytes, peekBytes } from './bytes.ts';
import { readCsv } from './csv/read-csv.ts';
import type { InputRow, InputTable, SheetChoice } from './input-row.ts';
import { readJsonl } from './jsonl.ts';
import { invalid, unreadable } from './list-errors.ts';
import { openReadingNotes } from './reading-notes.ts';
import { collectWorkbook, isZip, refuseBinary, refuseNonWorkbook } from './refuse-binary.ts';
import { type OpenSource, openSource } from './remote/open-source.ts';
import type { SourceOptions } from './remote/spool-list.ts';

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

export interface OpenInput extends AsyncDisposable, Omit<InputTable, 'titleRows'> {
  /** For messages: the path, the address as it may be shown, or "standard input". */
  readonly name: string;
  /** Tells which version of a list at an address was read; undefined where nothing but its content does. */
  readonly stamp?: string | undefined;
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
  checkDelimiter(options.delimiter);
  if (place === '-' && process.stdin.isTTY) {
    throw unreadable(
      'standard input is a terminal and nothing is piped into it: name a file, or pipe one (dossier … - < leads.csv)',
    );
  }
  const opened = await openSource(place, sourceOptions);
  const source = opened.bytes[Symbol.asyncIterator]();
  const close = async () => {
    await source.return?.();
    await opened.close();
  };
  try {
    const { name, stamp } = opened;
    const path = place === '-' ? place : name;
    const raw = await peekBytes({ [Symbol.asyncIterator]: () => source }, headBytes);
    const format = options.format ?? formatByName(path);
    if (isZip(raw.head) && (options.format ?? 'xlsx') === 'xlsx') {
      return { ...(await openSheet(name, raw.bytes, options, close)), stamp };
    }
    if (isParquet(raw.head) && (options.format ?? 'parquet') === 'parquet') {
      return { ...(await openParquet(opened, raw, options, close, sourceOptions.signal)), stamp };
    }
    if (format === 'xlsx') return await refuseNonWorkbook(name, raw);
    if (format === 'parquet') return refuseNonParquet(name, raw.head);
    if (options.sheet !== undefined) refuseSheet(name);
    const { sizeBytes, bytesRead } = opened;
    const reading = openReadingNotes(name);
    const table = await readTable(path, name, format, raw, options, close, reading.onGuess);
    reading.onTable(table, options.header);
    const { notes, guessedEncoding } = reading;
    return {
      ...table,
      name,
      stamp,
      notes,
      guessedEncoding,
      rows: eachRow(table.batches),
      sizeBytes,
      bytesRead,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A workbook is held in memory, still compressed: the directory of a zip stands at its end. */
async function openSheet(
  name: string,
  bytes: AsyncIterable<Buffer>,
  options: InputOptions,
  closeSource: () => Promise<void>,
): Promise<OpenInput> {
  const zip = await collectWorkbook(name, bytes);
  await closeSource();
  // Only a workbook needs the xlsx package, so other runs start without loading it.
  const { readSheet } = await import('./workbook/read-sheet.ts');
  const { close, ...table } = await readSheet(zip, name, options);
  const { onTable, notes, guessedEncoding } = openReadingNotes(name);
  onTable(table, options.header);
  return {
    ...table,
    name,
    format: 'xlsx',
    notes,
    guessedEncoding,
    rows: eachRow(table.batches),
    sizeBytes: undefined,
    bytesRead: () => zip.length,
    [Symbol.asyncDispose]: close,
  };
}

/** A Parquet file is read in any order, so that one from a pipe, or compressed as a whole, is copied first. */
async function openParquet(
  { name, openRandom }: OpenSource,
  { head, bytes }: PeekedBytes,
  { sheet, maxRecordLength = defaultMaxRecordLength }: InputOptions,
  close: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<OpenInput> {
  if (sheet !== undefined) refuseSheet(name);
  const file = (await openPlain(openRandom, head)) ?? (await spoolBytes(name, bytes));
  await close();
  try {
    // Only a Parquet list needs the package that decodes it, so other runs start without loading it.
    const { readParquet } = await import('./parquet/read-parquet.ts');
    const { leftOut, ...table } = await readParquet({ name, file, maxRecordLength, signal });
    const { onLeftOut, notes, guessedEncoding } = openReadingNotes(name);
    onLeftOut(leftOut);
    return {
      ...table,
      name,
      format: 'parquet',
      notes,
      guessedEncoding,
      rows: eachRow(table.batches),
      sizeBytes: file.size,
      bytesRead: file.bytesRead,
      [Symbol.asyncDispose]: file.close,
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** A file whose description is encrypted begins with the second mark. */
function isParquet(head: Buffer) {
  return ['PAR1', 'PARE'].includes(head.toString('latin1', 0, 4));
}

/** Throws for a file that is named like Parquet and begins like something else. */
function refuseNonParquet(name: string, head: Buffer): never {
  throw unreadable(
    head.length === 0
      ? `${name} is empty: it holds no bytes at all`
      : `${name} is no Parquet file, though it is called one: if it holds text, name it .csv`,
  );
}

/** Undefined for a pipe, and for a file that is compressed as a whole: what was read of it does not stand in it. */
async function openPlain(
  openRandom: OpenSource['openRandom'],
  head: Buffer,
): Promise<RandomBytes | undefined> {
  const file = await openRandom?.();
  if (!file) return undefined;
  try {
    if (isParquet(await file.read(0, Math.min(head.length, file.size)))) return file;
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  return undefined;
}

function refuseSheet(name: string): never {
  throw new DossierError('SHEET_UNKNOWN', `${name} is no workbook, so that it has no sheets`);
}

async function* eachRow(batches: InputTable['batches']) {
  for await (const batch of batches) yield* batch;
}

async function readTable(
  path: string,
  name: string,
  knownFormat: 'csv' | 'jsonl' | undefined,
  raw: PeekedBytes,
  options: InputOptions,
  close: () => Promise<void>,
  onGuess: (line: number) => void,
): Promise<InputTable & Pick<OpenInput, 'format' | 'encoding'>> {
  const chosen = chooseEncoding(raw.head, options.encoding);
  const { encoding } = chosen;
  refuseBinary(name, raw.head, encoding.startsWith('utf-16'));
  const decoded = decodeBytes(raw.bytes, chosen, name, onGuess);
  const text = await peekBytes(decoded, headBytes);

  const { maxRecordLength = defaultMaxRecordLength } = options;
  const format = knownFormat ?? formatByContent(text.head);
  if (format === 'jsonl') {
    return { format, encoding, ...(await readJsonl(text.bytes, name, maxRecordLength, close)) };
  }
  const delimiter =
    options.delimiter ?? (nameWithoutCompression(path).endsWith('.tsv') ? '\t' : undefined);
  const csv = { ...options, delimiter, maxRecordLength };
  return { format, encoding, ...(await readCsv(text.bytes, name, csv, close)) };
}

function formatByName(path: string): InputFormat | undefined {
  const name = nameWithoutCompression(path);
  if (/\.xls[xmb]?$/.test(name)) return 'xlsx';
  if (/\.(?:parquet|parq|pq)$/.test(name)) return 'parquet';
  if (/\.(?:jsonl|ndjson|json)$/.test(name)) return 'jsonl';
  return /\.(?:csv|tsv|txt)$/.test(name) ? 'csv' : undefined;
}

function formatByContent(head: Buffer): 'csv' | 'jsonl' {
  return /^\s*(?:\{|\[\s*\{)/.test(head.toString('utf8')) ? 'jsonl' : 'csv';
}

function nameWithoutCompression(path: string) {
  return path.toLowerCase().replace(/\.(?:gz|zst)$/, '');
}

function checkDelimiter(delimiter: string | undefined) {
  if (delimiter === undefined || /^[^"\r\n]$/u.test(delimiter)) return;
  throw invalid(
    `${JSON.stringify(delimiter)} cannot be a delimiter: it takes one character, such as , ; | or a tab`,
  );
}
