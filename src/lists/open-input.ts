import { DossierError } from '../core/errors.ts';
import { type ListLocation, listAddress } from '../platform/files/local-path.ts';
import {
  type PeekedBytes,
  peekBytes,
  type RandomBytes,
  spoolBytes,
} from '../platform/files/read-bytes.ts';
import { chooseEncoding, decodeBytes } from './bytes.ts';
import { readCsv } from './csv/read-csv.ts';
import {
  createReadingNotes,
  type InputRow,
  type InputTable,
  type SheetChoice,
} from './input-row.ts';
import { readJsonl } from './jsonl.ts';
import { unreadable } from './list-errors.ts';
import { isParquet, isZip, refuseBinary, refuseOtherKind } from './refuse-binary.ts';
import { type OpenSource, openSource, type SourceOptions } from './remote/open-source.ts';

type InputFormat = 'csv' | 'jsonl' | 'xlsx' | 'parquet';

export interface InputOptions {
  readonly format?: InputFormat | undefined;
  readonly delimiter?: string | undefined;
  /** Any TextDecoder label. A byte order mark overrides it. */
  readonly encoding?: string | undefined;
  readonly header?: boolean | undefined;
  readonly headerRow?: number | undefined;
  readonly sheet?: string | undefined;
  /** Longer records are rejected, so one record cannot fill the memory. */
  readonly maxRecordLength?: number | undefined;
}

export interface OpenInput extends AsyncDisposable, Omit<InputTable, 'titleRows' | 'byteColumns'> {
  readonly name: string;
  readonly format: InputFormat;
  readonly sheet?: SheetChoice | undefined;
  readonly encoding?: string | undefined;
  notes(): readonly string[];
  /** Those of the notes that say which header or encoding was guessed. */
  readonly guesses: readonly string[];
  /** If set, identifiers with non-ASCII characters cannot be trusted. */
  guessedEncoding(): string | undefined;
  /** Can be read once; leaving the loop closes the file. */
  readonly rows: AsyncIterable<InputRow>;
  /** Compressed size. Undefined for a pipe or workbook. */
  readonly sizeBytes: number | undefined;
  bytesRead(): number;
}

const defaultMaxRecordLength = 1024 * 1024;
const headBytes = 4096;

/** Throws only if the whole file is unreadable; a bad row gets a `problem`. */
export async function openInput(
  place: ListLocation,
  options: InputOptions = {},
  sourceOptions: SourceOptions = {},
): Promise<OpenInput> {
  if (place === '-' && process.stdin.isTTY) {
    throw unreadable(
      'standard input is a terminal, so there is no list to read: name a file, or pipe one in (dossier … - < leads.csv)',
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
    const { onGuess, onTable, ...reading } = createReadingNotes(name);
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
      ...reading,
      batches,
      rows: eachRow(batches),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

type OpenTable = InputTable &
  Pick<OpenInput, 'format'> &
  Partial<OpenInput> & { readonly close?: () => Promise<void> };

async function openTable(
  list: OpenSource & { readonly path: string; readonly signal: AbortSignal | undefined },
  raw: PeekedBytes,
  options: InputOptions,
  onGuess: (line: number) => void,
): Promise<OpenTable> {
  const { name } = list;
  const { maxRecordLength = defaultMaxRecordLength } = options;
  const fileName = list.path.toLowerCase().replace(/\.(?:gz|zst)$/, '');
  const named = options.format ?? formatByName(fileName);
  const isWorkbook = isZip(raw.head) && (options.format ?? 'xlsx') === 'xlsx';
  if (isWorkbook) {
    const { readSheet } = await import('./workbook/read-sheet.ts');
    return await readRandom(list, raw, isZip, async ({ fd }) => ({
      ...(await readSheet(fd, name, options)),
      format: 'xlsx',
      sizeBytes: undefined,
    }));
  }
  const isColumnar = isParquet(raw.head) && (options.format ?? 'parquet') === 'parquet';
  if (!isColumnar && (named === 'xlsx' || named === 'parquet')) {
    refuseOtherKind(name, raw.head, named);
  }
  if (options.sheet !== undefined) {
    const remedy = 'Remove --sheet, and try again.';
    throw new DossierError('COLUMNS_UNCLEAR', `${name} is not a workbook`, { remedy });
  }
  if (isColumnar) {
    const { readParquet } = await import('./read-parquet.ts');
    return await readRandom(list, raw, isParquet, async (file) => ({
      ...(await readParquet({ name, file, signal: list.signal })),
      format: 'parquet',
      sizeBytes: file.size,
    }));
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

/** Compressed or piped files are copied to disk, where any byte can be read. */
async function readRandom(
  { name, openRandom }: OpenSource,
  raw: PeekedBytes,
  isPlain: (head: Buffer) => boolean,
  read: (file: RandomBytes) => Promise<OpenTable>,
): Promise<OpenTable> {
  let file = await openRandom?.();
  try {
    if (!file || !isPlain(await file.read(0, 4))) {
      await file?.close();
      file = await spoolBytes(name, raw.bytes);
    }
    const { bytesRead, close } = file;
    return { bytesRead, close, ...(await read(file)) };
  } catch (error) {
    await file?.close();
    throw error;
  }
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
