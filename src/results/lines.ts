import { stringify } from 'csv-stringify/sync';
import type { Cell, Column, FlatRecord } from '../core/columns/columns.ts';
import { csvCells } from '../core/columns/csv-cells.ts';

/** None of them occurs in numbers, which are not quoted, or is special in `[]` of a regex. */
export const csvDelimiters = [',', ';', '\t', '|'] as const;

export interface CsvOptions {
  readonly excelSafe: boolean;
  /** Excel recognizes UTF-8 only by a byte order mark. */
  readonly bom: boolean;
  readonly delimiter: (typeof csvDelimiters)[number];
}

type ToLine = (record: FlatRecord) => string;

export function csvLine({ excelSafe, delimiter }: Omit<CsvOptions, 'bom'>): ToLine {
  const toCells = csvCells(delimiter, excelSafe ? protectFromExcel : undefined);
  return (cells) => `${toCells(cells)}\n`;
}

export function csvHead(
  columns: readonly Pick<Column, 'name'>[],
  { excelSafe, bom, delimiter }: CsvOptions,
): string {
  const names = columns.map(({ name }) => (excelSafe ? protectFromExcel(name) : name));
  const head = stringify([names], { delimiter });
  return bom ? `\ufeff${head}` : head;
}

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

/** Replaces lone surrogates, because JSON readers reject their escapes. */
function jsonCell(cell: Cell): string {
  if (typeof cell === 'string') return JSON.stringify(cell.toWellFormed());
  if (typeof cell === 'object' && cell !== null) return `[${cell.map(jsonCell).join(',')}]`;
  return String(cell);
}

/** Excel would run formulas, show an ABN as 5.1824E+10 and read the size band 11-50 as a date. */
export function protectFromExcel(text: string): string {
  if (isChangedByExcel.test(text) && text.length <= longestFormulaText) return `="${text}"`;
  return startsLikeFormula.test(text) && !isPlainNumber.test(text) ? `'${text}` : text;
}

/** The text before `protectFromExcel`. */
export function withoutProtection(cell: string): string {
  const [, text = cell.replace(/^'/, '')] = /^="(.*)"$/.exec(cell) ?? [];
  return protectFromExcel(text) === cell ? text : cell;
}

/** Excel's limit for text inside a formula. */
const longestFormulaText = 255;

/** Japanese Excel and Numbers also accept the full-width signs. */
const startsLikeFormula = /^[=+\-@\t\r\n＝＋－＠]/;
const isPlainNumber = /^-?\d+(?:\.\d+)?$/;

/** None of these texts contains a quote, so `="…"` needs no escaping. */
const isChangedByExcel = new RegExp(
  [
    /** ABNs and ids. If a number has more than 15 digits, Excel replaces the rest with zeros. */
    String.raw`[+-]?\d{11,}`,
    String.raw`0\d+`,
    /** Phone numbers: +1-555-0100 is arithmetic to Excel. */
    String.raw`\+\d[\d ().-]*(?:; \+?\d[\d ().-]*)*`,
    String.raw`\d{1,4}[-/]\d{1,4}(?:[-/]\d{1,4})?`,
    String.raw`\d{1,2}\.\d{1,2}\.\d{1,4}`,
    String.raw`\d{1,3}:\d{2}(?::\d{2})?`,
    String.raw`\d+(?:\.\d+)?[eE][+-]?\d+`,
  ]
    .map((pattern) => `^${pattern}$`)
    .join('|'),
);

const bufferBytes = 512 * 1_024;

/** A thread that hashes them reads the bytes where they are. */
function sharedBuffer() {
  return Buffer.from(new SharedArrayBuffer(bufferBytes));
}

/** Encodes every line by itself: in a text of many lines, one wide character doubles the memory. */
export function createLineBuffer(target: {
  /** `bytes` is overwritten once this resolves. */
  write(bytes: Uint8Array): Promise<void>;
}) {
  let bytes = sharedBuffer();
  let spare: typeof bytes | undefined;
  let end = 0;
  let flushed = 0;
  let writing: Promise<void> = Promise.resolve();

  const flush = async () => {
    await writing;
    if (end === 0) return;
    const full = bytes;
    writing = target.write(full.subarray(0, end));
    // The next flush throws the error.
    writing.catch(() => {});
    bytes = spare ?? sharedBuffer();
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
    add(line: string): Promise<void> | undefined {
      // A UTF-16 unit needs at most three bytes in UTF-8.
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
    copy(before: string, middle: Uint8Array, after: string): Promise<void> | undefined {
      const put = () => {
        end += bytes.write(before, end);
        bytes.set(middle, end);
        end += middle.length;
        end += bytes.write(after, end);
      };
      const most = (before.length + after.length) * 3 + middle.length;
      if (most > bufferBytes) return addLong(before + Buffer.from(middle) + after);
      if (end + most > bufferBytes) return flush().then(put);
      put();
      return undefined;
    },
    async addBytes(from: Uint8Array) {
      for (let at = 0; at < from.length; ) {
        if (end === bufferBytes) await flush();
        const some = from.subarray(at, at + bufferBytes - end);
        bytes.set(some, end);
        end += some.length;
        at += some.length;
      }
    },
    async flush() {
      await flush();
      await writing;
    },
    bytes: () => flushed + end,
  };
}
