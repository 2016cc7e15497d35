import { DossierError } from '../errors.ts';
import { openBytes } from '../runtime/open-bytes.ts';
import { chooseEncoding, decodeBytes } from './decode-bytes.ts';
import type { InputRow, InputTable } from './input-row.ts';
import type { SheetChoice } from './open-workbook.ts';
import { type PeekedBytes, peekBytes } from './peek-bytes.ts';
import { readCsv } from './read-csv.ts';
import { readJsonl } from './read-jsonl.ts';
import { refuseBinary } from './refuse-binary.ts';
import { collectWorkbook, isZip, refuseNoWorkbook } from './workbook-bytes.ts';

export type InputFormat = 'csv' | 'jsonl' | 'xlsx';

export interface InputOptions {
  /** Told by the first bytes of a workbook, by the extension or by the first character. */
  readonly format?: InputFormat | undefined;
  /** One character; sniffed when absent. */
  readonly delimiter?: string | undefined;
  /** Any label of the web platform; a byte order mark overrules it. */
  readonly encoding?: string | undefined;
  /** Whether the first record of a CSV names the columns; told by its cells when absent. */
  readonly header?: boolean | undefined;
  /** Which sheet of a workbook; the first that is not hidden when absent. */
  readonly sheet?: string | undefined;
  /** A longer record is a row with a problem, so that no file can fill the memory. */
  readonly maxRecordLength?: number | undefined;
}

export interface OpenInput extends AsyncDisposable {
  /** What messages call it: the path, or "standard input". */
  readonly name: string;
  readonly format: InputFormat;
  /** For JSON lines it grows as new keys appear, for a sheet as rows get wider. */
  readonly columns: readonly string[];
  /** Which sheet of a workbook it is, and what other sheets there are. */
  readonly sheet?: SheetChoice | undefined;
  /** False when the first record was data and the columns are called column_1, column_2 … */
  readonly hasHeader: boolean;
  /** One by one. Can be read once; reading to the end or leaving the loop closes the file. */
  readonly rows: AsyncIterable<InputRow>;
  /** The same rows, as many at a time as are at hand: for a long list a promise a row adds up. */
  readonly batches: AsyncIterable<readonly InputRow[]>;
  /** Size on disk before decompression; unknown for pipes, and for workbooks, read at once. */
  readonly sizeBytes: number | undefined;
  /** Bytes taken from the disk so far, so that progress fits `sizeBytes`. */
  bytesRead(): number;
}

const defaultMaxRecordLength = 1024 * 1024;
const headBytes = 4096;

/**
 * Opens a list of companies. A bad row is a row with a problem; only what makes the whole file
 * unreadable throws.
 */
export async function openInput(
  path: string,
  options: InputOptions = {},
  signal?: AbortSignal,
): Promise<OpenInput> {
  checkDelimiter(options.delimiter);
  if (path === '-' && process.stdin.isTTY) {
    throw new DossierError(
      'INPUT_UNREADABLE',
      'standard input is a terminal and nothing is piped into it: name a file, or pipe one (dossier … - < leads.csv)',
    );
  }
  const opened = await openBytes(path, signal);
  const source = opened.bytes[Symbol.asyncIterator]();
  const close = async () => void (await source.return?.());
  try {
    const { name } = opened;
    const raw = await peekBytes({ [Symbol.asyncIterator]: () => source }, headBytes);
    const format = options.format ?? formatByName(path);
    if (isZip(raw.head) && (options.format ?? 'xlsx') === 'xlsx') {
      return await openSheet(name, raw.bytes, options, close);
    }
    if (format === 'xlsx') return await refuseNoWorkbook(name, raw);
    if (options.sheet !== undefined) {
      throw new DossierError('SHEET_UNKNOWN', `${name} is no workbook, so that it has no sheets`);
    }
    const { sizeBytes, bytesRead } = opened;
    const table = await readTable({ path, name, format }, raw, options, close);
    const rows = eachRow(table.batches);
    return { name, ...table, rows, sizeBytes, bytesRead, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A workbook keeps its directory at its end, so that it is read at once, packed as it is. */
async function openSheet(
  name: string,
  bytes: AsyncIterable<Buffer>,
  { sheet, header }: InputOptions,
  closeSource: () => Promise<void>,
): Promise<OpenInput> {
  const zip = await collectWorkbook(name, bytes);
  await closeSource();
  // Loaded only here: the package is needed for nothing else.
  const { readSheet } = await import('./read-sheet.ts');
  const { close, ...table } = await readSheet(zip, { name, sheet, header });
  const rows = eachRow(table.batches);
  const size = { sizeBytes: undefined, bytesRead: () => zip.length };
  return { name, format: 'xlsx', ...table, rows, ...size, [Symbol.asyncDispose]: close };
}

async function* eachRow(batches: InputTable['batches']): AsyncGenerator<InputRow> {
  for await (const batch of batches) yield* batch;
}

async function readTable(
  file: { path: string; name: string; format: 'csv' | 'jsonl' | undefined },
  raw: PeekedBytes,
  options: InputOptions,
  close: () => Promise<void>,
): Promise<InputTable & { format: 'csv' | 'jsonl' }> {
  const { path, name } = file;
  const encoding = chooseEncoding(raw.head, options.encoding);
  refuseBinary(name, raw.head, encoding.encoding.startsWith('utf-16'));
  const text = await peekBytes(decodeBytes(raw.bytes, encoding, name), headBytes);

  const { maxRecordLength = defaultMaxRecordLength, header } = options;
  const format = file.format ?? formatByContent(text.head);
  if (format === 'jsonl') {
    return { format, ...(await readJsonl(text.bytes, { name, maxRecordLength, close })) };
  }
  const delimiter =
    options.delimiter ?? (nameWithoutCompression(path).endsWith('.tsv') ? '\t' : undefined);
  const csv = { name, delimiter, header, maxRecordLength, close };
  return { format, ...(await readCsv(text.bytes, csv)) };
}

function formatByName(path: string): InputFormat | undefined {
  const name = nameWithoutCompression(path);
  if (/\.xls[xmb]?$/.test(name)) return 'xlsx';
  if (/\.(?:jsonl|ndjson|json)$/.test(name)) return 'jsonl';
  return /\.(?:csv|tsv|txt)$/.test(name) ? 'csv' : undefined;
}

function formatByContent(head: Buffer): 'csv' | 'jsonl' {
  return /^\s*(?:\{|\[\s*\{)/.test(head.toString('utf8')) ? 'jsonl' : 'csv';
}

function nameWithoutCompression(path: string): string {
  return path.toLowerCase().replace(/\.(?:gz|zst)$/, '');
}

function checkDelimiter(delimiter: string | undefined): void {
  if (delimiter === undefined || /^[^"\r\n]$/u.test(delimiter)) return;
  throw new DossierError(
    'INPUT_INVALID',
    `${JSON.stringify(delimiter)} cannot be a delimiter: it takes one character, such as , ; | or a tab`,
  );
}
