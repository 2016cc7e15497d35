import { DossierError } from '../errors.ts';
import { openBytes } from '../runtime/open-bytes.ts';
import { chooseEncoding, decodeBytes } from './decode-bytes.ts';
import type { InputRow, InputTable } from './input-row.ts';
import { peekBytes } from './peek-bytes.ts';
import { readCsv } from './read-csv.ts';
import { readJsonl } from './read-jsonl.ts';
import { refuseBinary } from './refuse-binary.ts';

export interface InputOptions {
  /** Told by the extension, or else by the first character, when absent. */
  readonly format?: 'csv' | 'jsonl' | undefined;
  /** One character; sniffed when absent. */
  readonly delimiter?: string | undefined;
  /** Any label of the web platform; a byte order mark overrules it. */
  readonly encoding?: string | undefined;
  /** Whether the first record of a CSV names the columns; told by its cells when absent. */
  readonly header?: boolean | undefined;
  /** A longer record is a row with a problem, so that no file can fill the memory. */
  readonly maxRecordLength?: number | undefined;
}

export interface OpenInput extends AsyncDisposable {
  /** What messages call it: the path, or "standard input". */
  readonly name: string;
  readonly format: 'csv' | 'jsonl';
  /** For JSON lines it grows as new keys appear. */
  readonly columns: readonly string[];
  /** False when the first record was data and the columns are called column_1, column_2 … */
  readonly hasHeader: boolean;
  /** Can be read once. Reading to the end or leaving the loop closes the file. */
  readonly rows: AsyncIterable<InputRow>;
  /** Size on disk before decompression; unknown for pipes. */
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
    const { name, sizeBytes, bytesRead } = opened;
    const { format, table } = await readTable(path, name, source, options, close);
    return { name, format, ...table, sizeBytes, bytesRead, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function readTable(
  path: string,
  name: string,
  source: AsyncIterator<Buffer>,
  options: InputOptions,
  close: () => Promise<void>,
): Promise<{ format: 'csv' | 'jsonl'; table: InputTable }> {
  const raw = await peekBytes({ [Symbol.asyncIterator]: () => source }, headBytes);
  const encoding = chooseEncoding(raw.head, options.encoding);
  refuseBinary(name, raw.head, encoding.encoding.startsWith('utf-16'));
  const text = await peekBytes(decodeBytes(raw.bytes, encoding, name), headBytes);

  const { maxRecordLength = defaultMaxRecordLength, header } = options;
  const format = options.format ?? formatByName(path) ?? formatByContent(text.head);
  if (format === 'jsonl') {
    return { format, table: await readJsonl(text.bytes, { name, maxRecordLength, close }) };
  }
  const delimiter =
    options.delimiter ?? (nameWithoutCompression(path).endsWith('.tsv') ? '\t' : undefined);
  const csv = { name, delimiter, header, maxRecordLength, close };
  return { format, table: await readCsv(text.bytes, csv) };
}

function formatByName(path: string): 'csv' | 'jsonl' | undefined {
  const name = nameWithoutCompression(path);
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
