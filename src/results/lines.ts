import type { Transform } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { Cell, Column, FlatRecord } from '../core/columns/columns.ts';

/** Characters that stand in no number, and mean nothing within the brackets of a regular expression. */
export const csvDelimiters = [',', ';', '\t', '|'] as const;

export interface CsvOptions {
  /** Write cells so that a spreadsheet neither runs nor changes them. */
  readonly excelSafe: boolean;
  /** Begin with a byte order mark, by which Excel knows UTF-8. */
  readonly bom: boolean;
  readonly delimiter: (typeof csvDelimiters)[number];
}

type ToLine = (record: FlatRecord) => string;

/**
 * RFC 4180 with LF. csv-stringify writes the header only: it takes 71 µs for a row of 121 columns, this 15. A
 * property test holds the two equal, byte for byte.
 */
export function csvLine({ excelSafe, delimiter }: Omit<CsvOptions, 'bom'>): ToLine {
  const isQuoted = new RegExp(`["\\n\\r${delimiter}]`);
  const toText = (text: string) => {
    const shown = excelSafe ? protectFromExcel(text) : text;
    return isQuoted.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
  };
  return (cells) => {
    let line = '';
    for (let index = 0; index < cells.length; index += 1) {
      if (index > 0) line += delimiter;
      const cell = cells[index];
      if (cell === null || cell === undefined) continue;
      if (typeof cell === 'string') line += toText(cell);
      else line += typeof cell === 'object' ? toText(cell.join('; ')) : String(cell);
    }
    return `${line}\n`;
  };
}

/** The line of the names, which comes before the records. */
export function csvHead(
  columns: readonly Pick<Column, 'name'>[],
  { excelSafe, bom, delimiter }: CsvOptions,
): string {
  const names = columns.map(({ name }) => (excelSafe ? protectFromExcel(name) : name));
  const head = stringify([names], { delimiter });
  return bom ? `\ufeff${head}` : head;
}

/** One object a line, every column in its order, types and lists kept. */
export function jsonLine(columns: readonly Pick<Column, 'name'>[]): ToLine {
  const keys = columns.map(
    ({ name }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name.toWellFormed())}:`,
  );
  return (cells) => {
    let line = '';
    for (let index = 0; index < keys.length; index += 1) {
      line += keys[index] + jsonCell(cells[index] ?? null);
    }
    return `${line}}\n`;
  };
}

/** Half a surrogate pair becomes U+FFFD, as in CSV and Parquet: readers refuse its escape. */
function jsonCell(cell: Cell): string {
  if (typeof cell === 'string') return JSON.stringify(cell.toWellFormed());
  if (typeof cell === 'object' && cell !== null) return `[${cell.map(jsonCell).join(',')}]`;
  return String(cell);
}

/**
 * Text that a spreadsheet shows as it is. It would run a cell that begins like a formula, which a
 * company may have put into its own name, and it would read an ABN as 5.1824E+10, a code without
 * its leading zeros, and the size band 11-50 as a day in November.
 */
export function protectFromExcel(text: string): string {
  if (isChangedByExcel.test(text) && text.length <= longestFormulaText) return `="${text}"`;
  return startsLikeFormula.test(text) && !isPlainNumber.test(text) ? `'${text}` : text;
}

/** Excel takes no longer text inside a formula. */
const longestFormulaText = 255;

/** Full-width signs count too: Numbers and Excel in Japanese read them like the plain ones. */
const startsLikeFormula = /^[=+\-@\t\r\n＝＋－＠]/;
const isPlainNumber = /^-?\d+(?:\.\d+)?$/;

/** Only digits and a few signs match any of these, so the result holds no quote to escape. */
const isChangedByExcel = new RegExp(
  [
    /** Eleven digits and more: ABNs, GTINs, ids; from sixteen on digits would be lost. */
    String.raw`[+-]?\d{11,}`,
    String.raw`0\d+`,
    /** Phone numbers with their plus, one or several: +1-555-0100 is arithmetic to Excel. */
    String.raw`\+\d[\d ().-]*(?:; \+?\d[\d ().-]*)*`,
    /** 11-50, 2/2010, 2020-01-31, 31.1.2020: dates; 00:02:11: a time. */
    String.raw`\d{1,4}[-/]\d{1,4}(?:[-/]\d{1,4})?`,
    String.raw`\d{1,2}\.\d{1,2}\.\d{1,4}`,
    String.raw`\d{1,3}:\d{2}(?::\d{2})?`,
    /** 12E5 and 1.2e3: floating point. */
    String.raw`\d+(?:\.\d+)?[eE][+-]?\d+`,
  ]
    .map((pattern) => `^${pattern}$`)
    .join('|'),
);

const bufferBytes = 512 * 1_024;

/**
 * Gathers lines as bytes. Each line is encoded at once: a text of many lines would have wide characters as soon as
 * one line has. While one buffer is written, the next is filled.
 */
export function openLineBuffer(target: {
  /** When this resolves, the memory of the bytes may be used for others. */
  write(bytes: Uint8Array): Promise<void>;
}) {
  let bytes = Buffer.allocUnsafeSlow(bufferBytes);
  let spare: typeof bytes | undefined;
  let end = 0;
  let flushed = 0;
  let writing: Promise<void> = Promise.resolve();

  const flush = async () => {
    await writing;
    if (end === 0) return;
    const full = bytes;
    writing = target.write(full.subarray(0, end));
    // A failure is thrown by the next flush.
    writing.catch(() => {});
    bytes = spare ?? Buffer.allocUnsafeSlow(bufferBytes);
    spare = full;
    flushed += end;
    end = 0;
  };
  const addLong = async (line: string) => {
    await flush();
    await writing;
    const whole = Buffer.from(line);
    flushed += whole.length;
    await target.write(whole);
  };
  return {
    /** A promise is to be awaited before the next line. */
    add(line: string): Promise<void> | undefined {
      // A UTF-16 unit takes three bytes at most.
      const most = line.length * 3;
      if (most > bufferBytes) return addLong(line);
      if (end + most > bufferBytes) {
        return flush().then(() => {
          end = bytes.write(line);
        });
      }
      end += bytes.write(line, end);
      return undefined;
    },
    async flush() {
      await flush();
      await writing;
    },
    /** Bytes of all lines so far. */
    bytes: () => flushed + end,
  };
}

/** Passes on what a stream of zlib makes of the bytes that it is given. */
export function compressStream(stream: Transform, passOn: (packed: Uint8Array) => Promise<void>) {
  const pump = async () => {
    for await (const chunk of stream as AsyncIterable<Buffer>) await passOn(chunk);
  };
  const pumped = pump();
  // The next `write` or `end` throws the error. Until then it must not count as unhandled.
  pumped.catch(() => {});
  return {
    async write(bytes: Uint8Array) {
      const { promise: taken, resolve } = Promise.withResolvers<void>();
      stream.write(bytes, () => resolve());
      // When what follows fails the stream is destroyed and takes no more, hence the race.
      await Promise.race([taken, pumped]);
    },
    async end() {
      stream.end();
      await pumped;
    },
  };
}
