import { basename } from 'node:path';
import { type Identified, isReject, type Reading } from '../core/identify/identifier.ts';
import { identifyCell } from '../core/identify/identify-cell.ts';
import { findColumn, indexOfColumn, listedColumns } from '../lists/input-row.ts';
import { invalid } from '../lists/list-errors.ts';
import type { OpenInput } from '../lists/open-input.ts';
import type { SourceEntity, SourceKind, SourcePart } from './sources.ts';

/** Which columns of an own list hold names and identifiers. */
export interface OwnColumns {
  readonly name: string;
  readonly column: string;
  readonly as: Reading;
}

type CellOf = (column: string) => string;

interface TableFormat {
  readonly kind: SourceKind;
  /** A table with these columns is of this kind. */
  readonly columns: readonly string[];
  readonly read: (cell: CellOf) => Omit<SourceEntity, 'kind' | 'value'> & { readonly abn: string };
}

const formats: readonly TableFormat[] = [
  {
    kind: 'companies',
    columns: ['Company Name', 'ACN', 'Type', 'Status', 'ABN', 'Current Name Indicator'],
    read: (cell) => ({
      abn: cell('ABN'),
      names:
        cell('Current Name Indicator') === 'Y'
          ? [['main', cell('Company Name')]]
          : [
              ['main', cell('Current Name')],
              ['former', cell('Company Name')],
            ],
      // A company under administration (EXAD) or about to be struck off (SOFF) still exists.
      isActive: !['DRGD', 'NOAC', 'NRGD'].includes(cell('Status')),
      acn: cell('ACN'),
    }),
  },
  {
    kind: 'business',
    columns: ['BN_NAME', 'BN_STATUS', 'BN_ABN'],
    read: (cell) => ({
      abn: cell('BN_ABN'),
      names: [[cell('BN_STATUS') === 'Registered' ? 'business' : 'former', cell('BN_NAME')]],
    }),
  },
];

/** ASIC's tables are known by their columns. Any other list needs to know its columns. */
export function readTable(input: OpenInput, own: OwnColumns | undefined): SourcePart {
  const { name, columns } = input;
  const format = own
    ? undefined
    : formats.find((one) => one.columns.every((column) => columns.includes(column)));
  if (!own && !format) {
    throw invalid(
      `${name} is not a register file: expected the ABN Bulk Extract (.zip or .xml), or a table of ASIC's companies or business names. To load your own list, name its columns with --name, --column and --as; it has ${listedColumns(columns)}`,
    );
  }
  const toEntity = own ? ownEntity(input, own) : format && publishedEntity(columns, format);
  const facts = { part: own ? basename(name) : '', extractedAt: null };
  async function* batches() {
    for await (const rows of input.batches) {
      const read = rows.filter(({ problem }) => problem === undefined);
      yield read.flatMap(({ cells }) => toEntity?.(cells) ?? []);
    }
  }
  const share = () => input.bytesRead() / (input.sizeBytes ?? Number.POSITIVE_INFINITY);
  return { kind: format?.kind ?? 'own', file: name, facts, batches: batches(), share };
}

type Cells = readonly (string | undefined)[];

function publishedEntity(columns: readonly string[], { read }: TableFormat) {
  const places = new Map(columns.map((column, at) => [column, at]));
  return (cells: Cells): SourceEntity | undefined => {
    const { abn, ...entity } = read((column) => (cells[places.get(column) ?? -1] ?? '').trim());
    return /^\d{11}$/.test(abn) ? { kind: 'abn', value: abn, ...entity } : undefined;
  };
}

function ownEntity(input: OpenInput, own: OwnColumns) {
  const name = findColumn(input, own.name).index;
  const value = findColumn(input, own.column).index;
  const [state, postcode] = ['state', 'postcode'].map((one) => indexOfColumn(input.columns, one));
  return (cells: Cells): SourceEntity | undefined => {
    const text = (cells[name] ?? '').trim();
    const found = identifyCell(cells[value] ?? '', own.as);
    if (text === '' || isReject(found)) return undefined;
    const { kind, value: identifier } = found satisfies Identified;
    const place = (at = -1) => cells[at]?.trim() || undefined;
    const where = { state: place(state), postcode: place(postcode) };
    return { kind, value: identifier, names: [['main', text]], ...where };
  };
}
