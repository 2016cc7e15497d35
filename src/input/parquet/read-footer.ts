import { type FileMetaData, parquetMetadata, type SchemaElement, type SchemaTree } from 'hyparquet';
import type { RandomBytes } from '../../runtime/files/random-bytes.ts';
import { checkThrift } from './check-thrift.ts';
import { Damage, unsupported } from './damage.ts';
import { encryptedMagic, magic } from './parquet-bytes.ts';

export interface ParquetFooter {
  readonly groups: FileMetaData['row_groups'];
  readonly schema: SchemaTree;
}

const mebibyte = 1024 * 1024;
/** Takes about twenty times as much memory once it is read. */
const mostFooterBytes = 16 * mebibyte;
const deepestColumn = 32;
/** Lists are never so empty: a file of one kilobyte can declare a billion rows. */
const rowsForEachByte = 1_000;
const harmlessRows = 1_000_000;

/** Reads what a file says of itself, at its end, and refuses what cannot be true. */
export async function readFooter(name: string, file: RandomBytes): Promise<ParquetFooter> {
  if (file.size < 12) throw new Damage('it is cut short');
  const tail = await file.read(file.size - 8, 8);
  const end = tail.toString('latin1', 4);
  if (end === encryptedMagic) throw unsupported(name, 'is encrypted: write it without encryption');
  if (end !== magic) throw new Damage('it is cut short');
  const length = tail.readUInt32LE(0);
  if (length > file.size - 12) throw new Damage('its description is longer than the file');
  if (length > mostFooterBytes) {
    throw unsupported(
      name,
      `describes its columns and row groups in ${Math.round(length / mebibyte)} MB, more than the ${mostFooterBytes / mebibyte} MB that are read: write it with fewer columns or larger row groups, or as CSV`,
    );
  }
  const bytes = await file.read(file.size - 8 - length, length + 8);
  checkThrift(bytes.subarray(0, length));
  const footer = new ArrayBuffer(bytes.length);
  new Uint8Array(footer).set(bytes);
  const { schema, row_groups: groups } = parquetMetadata(footer, { geoparquet: false });
  const rows = groups.reduce((sum, { num_rows }) => sum + Number(num_rows), 0);
  if (groups.some(({ num_rows }) => num_rows < 0n)) throw new Damage('it has fewer rows than none');
  if (rows > harmlessRows && rows > file.size * rowsForEachByte) {
    throw new Damage(`it says that it has ${rows} rows, in ${file.size} bytes`);
  }
  return { groups, schema: treeOf(schema) };
}

/** The elements stand in a row, each before its children. Made by hand: a wrong count must not recurse. */
function treeOf(elements: readonly SchemaElement[]): SchemaTree {
  let at = 0;
  const take = (path: string[], depth: number): SchemaTree => {
    const element = elements[at];
    if (!element) throw new Damage('its schema is cut short');
    if (depth > deepestColumn) throw new Damage('its columns are nested too deeply');
    at += 1;
    const own = depth === 0 ? path : [...path, element.name ?? ''];
    const children: SchemaTree[] = [];
    while (children.length < (element.num_children ?? 0)) children.push(take(own, depth + 1));
    return { element: plainElement(element, depth), children, path: own, count: 1 };
  };
  const tree = take([], 0);
  if (at < elements.length) throw new Damage('its schema holds more than its columns');
  return tree;
}

/** Lists and maps are told by the older mark alone in what assembles them. */
function plainElement(element: SchemaElement, depth: number): SchemaElement {
  const { type: logical } = element.logical_type ?? {};
  if (depth === 0) return { ...element, repetition_type: 'REQUIRED' };
  if (logical === 'LIST' || logical === 'MAP') return { ...element, converted_type: logical };
  if (element.converted_type === 'MAP_KEY_VALUE' && (element.num_children ?? 0) === 1) {
    return { ...element, converted_type: 'MAP' };
  }
  return element;
}
