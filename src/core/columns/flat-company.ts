import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type CompanyIdentifiers, identifierFields } from '../contract/company-identifiers.ts';
import type { Cell } from './columns.ts';
import { fillCompany } from './company-cells.ts';
import { csvCells, readCsvCells } from './csv-cells.ts';
import { countMisfits } from './flatten-answer.ts';
import { companyColumns, companyFields } from './table-columns.ts';

/** Raise it if `writeFlatCompany`, or what it calls, makes anything else of the same answer. */
const flattening = 1;

const made = JSON.stringify([flattening, companyColumns.map(({ name, type }) => [name, type])]);

/** Flat companies of another version are made again from their answers. */
export function flatVersion(provider: string): number {
  return Number.parseInt(hash('sha256', `${provider} ${made}`, 'hex').slice(0, 12), 16);
}

const width = companyColumns.length;
const bitBytes = Math.ceil(width / 8);

/** checksum, whether values fit no cell, filled columns, empty columns, identifiers and cells */
const misfitsAt = 4;
const filledAt = misfitsAt + 1;
const emptyAt = filledAt + bitBytes;
const cellsOffsetAt = emptyAt + bitBytes;
const identifiersAt = cellsOffsetAt + 2;

const toCsv = csvCells(',');

/** More would not pay: such companies are rare. */
const mostBytes = 32 * 1_024;
const slabBytes = 32 * 1_024;
/** Many small buffers of their own would cost more than what they hold. */
let slab = Buffer.alloc(0);
let slabEnd = 0;

/**
 * The company columns of an answer, as CSV, so that results copy them. Undefined for the few
 * answers that are too large, or would be read back differently.
 */
export function writeFlatCompany(
  company: unknown,
  identifiers: CompanyIdentifiers,
): Buffer | undefined {
  const cells = new Array<Cell>(width).fill(null);
  const extra = fillCompany(company, cells, 0);
  const names = toCsv(identifierFields.map((field) => identifiers[field]));
  const text = `${names},${toCsv(cells)}`;
  const most = identifiersAt + text.length * 3;
  if (most > mostBytes || !cells.every(isReadBack) || !text.isWellFormed()) return undefined;
  if (slab.length - slabEnd < most) {
    slab = Buffer.allocUnsafeSlow(slabBytes);
    slabEnd = 0;
  }
  const bytes = slab.subarray(slabEnd);
  const end = identifiersAt + bytes.write(text, identifiersAt);
  bytes.fill(0, 0, identifiersAt);
  bytes[misfitsAt] = Number(hasMisfits(extra));
  bytes.writeUInt16LE(identifiersAt + Buffer.byteLength(names) + 1, cellsOffsetAt);
  for (let at = 0; at < width; at += 1) {
    const cell = cells[at];
    if (cell == null) continue;
    const isText = typeof cell === 'string' || typeof cell === 'object';
    const byte = (isText && cell.length === 0 ? emptyAt : filledAt) + (at >> 3);
    bytes[byte] = (bytes[byte] ?? 0) | (1 << (at & 7));
  }
  const flat = bytes.subarray(0, end);
  flat.writeUInt32LE(crc32(flat.subarray(misfitsAt)));
  slabEnd += end;
  return flat;
}

/** In CSV, a list is one text. */
function isReadBack(cell: Cell) {
  if (typeof cell !== 'object' || cell === null) return true;
  return (cell.length !== 1 || cell[0] !== '') && !cell.some((item) => String(item).includes(';'));
}

function hasMisfits(extra: unknown) {
  if (extra === undefined) return false;
  const misfits: Parameters<typeof countMisfits>[2] = new Map();
  countMisfits(companyFields, extra, misfits);
  return misfits.size > 0;
}

export class FlatCompany {
  private readonly bytes: Buffer;

  /** Undefined if the bytes are damaged. */
  static read(bytes: Buffer): FlatCompany | undefined {
    const isWhole =
      bytes.length > identifiersAt && crc32(bytes.subarray(misfitsAt)) === bytes.readUInt32LE(0);
    return isWhole ? new FlatCompany(bytes) : undefined;
  }

  private constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** As the service wrote them. */
  get identifiers(): CompanyIdentifiers {
    const texts = readCsvCells(this.bytes.toString('utf8', identifiersAt, this.cellsAt - 1));
    const pairs = identifierFields.map((field, index) => [field, texts[index] ?? '']);
    return Object.fromEntries(pairs) as CompanyIdentifiers;
  }

  /** The cells as CSV with commas. */
  get csv(): Buffer {
    return this.bytes.subarray(this.cellsAt);
  }

  /** Values of known fields fit no cell. */
  get hasMisfits(): boolean {
    return this.bytes[misfitsAt] === 1;
  }

  countFilled(filled: number[], step = 1): void {
    const { bytes } = this;
    for (let at = 0; at < filled.length; at += 1) {
      const bits = bytes[filledAt + (at >> 3)] ?? 0;
      if ((bits >> (at & 7)) & 1) filled[at] = (filled[at] ?? 0) + step;
    }
  }

  fill(cells: Cell[], offset: number): void {
    const { bytes } = this;
    const texts = readCsvCells(bytes.toString('utf8', this.cellsAt));
    for (let at = 0; at < width; at += 1) {
      const bit = 1 << (at & 7);
      const type = companyColumns[at]?.type;
      if ((bytes[filledAt + (at >> 3)] ?? 0) & bit) {
        cells[offset + at] = cellOf(type, texts[at] ?? '');
      } else if ((bytes[emptyAt + (at >> 3)] ?? 0) & bit) {
        cells[offset + at] = type === 'list' ? [] : '';
      }
    }
  }

  private get cellsAt() {
    return this.bytes.readUInt16LE(cellsOffsetAt);
  }
}

function cellOf(type: (typeof companyColumns)[number]['type'] | undefined, text: string): Cell {
  switch (type) {
    case 'integer':
    case 'decimal':
      return Number(text);
    case 'boolean':
      return text === 'true';
    case 'list':
      return text.split('; ');
    default:
      return text;
  }
}
