import type { SchemaTree } from 'hyparquet';
import { jsonCell } from '../json-cell.ts';
import { type LeafValue, leafReader } from './leaf-value.ts';
import type { RawValue } from './page-values.ts';

/** A column of the file that holds values. */
export interface Leaf {
  readonly path: readonly string[];
  /** From the root down to the column itself. */
  readonly schemaPath: SchemaTree[];
  readonly maxDefinition: number;
  readonly maxRepetition: number;
  read(value: RawValue): LeafValue | undefined;
}

/** A column of the list: one leaf, or a list, a map or a table within the row, which is a cell of JSON. */
export interface ListColumn {
  readonly name: string;
  readonly leaves: readonly [Leaf, ...Leaf[]];
  /** The top column without what belongs to other columns; undefined for a column that is one leaf. */
  readonly tree: SchemaTree | undefined;
  readonly path: readonly string[];
}

export interface ListColumns {
  readonly columns: readonly ListColumn[];
  /** Columns of bytes that are no text. */
  readonly leftOut: readonly string[];
}

/** The columns of a list. A value within a struct is named by its path: `properties.domain`. */
export function listColumns(schema: SchemaTree): ListColumns {
  const columns: ListColumn[] = [];
  const leftOut: string[] = [];

  function visit(node: SchemaTree, above: readonly SchemaTree[]): void {
    const here = [...above, node];
    if (isStruct(node)) {
      for (const child of node.children) visit(child, here);
      return;
    }
    const name = node.path.join('.');
    const leaves = leavesOf(node, above);
    const [first] = leaves;
    if (!first || leaves.some((leaf) => leaf === undefined)) {
      leftOut.push(name);
      return;
    }
    const isLeaf = node.children.length === 0 && first.maxRepetition === 0;
    columns.push({
      name,
      leaves: [first, ...(leaves.slice(1) as Leaf[])],
      tree: isLeaf ? undefined : pruned(here.slice(1)),
      path: node.path.slice(1),
    });
  }
  for (const child of schema.children) visit(child, [schema]);
  return { columns, leftOut };
}

/** A struct has its values in columns of their own; what is repeated has not. */
function isStruct({ element, children }: SchemaTree): boolean {
  const { repetition_type: repetition, converted_type: converted, logical_type: logical } = element;
  const isOwn = converted === 'LIST' || converted === 'MAP' || logical?.type === 'VARIANT';
  return children.length > 0 && repetition !== 'REPEATED' && !isOwn;
}

function leavesOf(node: SchemaTree, above: readonly SchemaTree[]): (Leaf | undefined)[] {
  const schemaPath = [...above, node];
  if (node.element.logical_type?.type === 'VARIANT') return [undefined];
  if (node.children.length > 0)
    return node.children.flatMap((child) => leavesOf(child, schemaPath));
  const read = leafReader(node.element);
  if (!read) return [undefined];
  const repetitions = schemaPath.slice(1).map(({ element }) => element.repetition_type);
  const isMapKey = above.at(-2)?.element.converted_type === 'MAP' && node.element.name === 'key';
  return [
    {
      path: node.path,
      schemaPath,
      maxDefinition: repetitions.filter((one) => one !== 'REQUIRED').length,
      maxRepetition: repetitions.filter((one) => one === 'REPEATED').length,
      // The keys of JSON are texts.
      read: isMapKey ? (value) => jsonCell(read(value)) ?? '' : read,
    },
  ];
}

/** The chain from a top column to a node within it, without other children on the way. */
function pruned(chain: readonly SchemaTree[]): SchemaTree | undefined {
  return chain.reduceRight<SchemaTree | undefined>(
    (below, node) => (below ? { ...node, children: [below] } : node),
    undefined,
  );
}
