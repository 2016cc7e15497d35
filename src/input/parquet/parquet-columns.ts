import type { SchemaElement, SchemaTree } from 'hyparquet';
import { jsonCell } from '../jsonl.ts';
import { isText, leafReader } from './leaf-value.ts';

type Read = (value: unknown) => unknown;

/** A column of the list: a value, or a list, a map or a table within the row, which is a cell of JSON. */
export interface ListColumn {
  readonly name: string;
  /** What hyparquet decodes: the top column, without what belongs to other columns of the list. */
  readonly schema: SchemaElement[];
  /** Paths of the values in the file. */
  readonly leaves: readonly (readonly string[])[];
  /** Is decoded for a whole row group: hyparquet skips pages of plain columns only. */
  readonly isNested: boolean;
  /** The cell of a decoded value of the top column. */
  cell(value: unknown): string | undefined;
}

/** The columns of a list. A value within a struct is named by its path: `properties.domain`. */
export function listColumns(schema: SchemaTree) {
  const columns: ListColumn[] = [];
  /** Columns of bytes that are no text. */
  const leftOut: string[] = [];

  function visit(node: SchemaTree, above: readonly SchemaTree[]): void {
    const mark = markOf(node);
    const isOwn = mark === 'LIST' || mark === 'MAP' || mark === 'VARIANT';
    if (node.children.length > 0 && !isRepeated(node) && !isOwn) {
      for (const child of node.children) visit(child, [...above, node]);
      return;
    }
    const name = node.path.join('.');
    const read = fieldReader(node);
    if (!read) {
      leftOut.push(name);
      return;
    }
    const path = node.path.slice(1);
    const chain = [{ name: 'root' }, ...above.map(decodedAs)];
    columns.push({
      name,
      schema: [...chain.map((one) => ({ ...one, num_children: 1 })), ...elementsOf(node)],
      leaves: leavesOf(node),
      isNested: path.length > 0 || node.children.length > 0 || isRepeated(node),
      cell: (value) => jsonCell(read(path.reduce(valueAt, value))),
    });
  }
  for (const child of schema.children) visit(child, []);
  return { columns, leftOut };
}

function valueAt(value: unknown, key: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[key];
}

function isRepeated({ element }: SchemaTree): boolean {
  return element.repetition_type === 'REPEATED';
}

function markOf({ element, children }: SchemaTree) {
  const mark = element.logical_type?.type ?? element.converted_type;
  return mark === 'MAP_KEY_VALUE' && children.length === 1 ? 'MAP' : mark;
}

/** Whether hyparquet makes a list or a map of a node; it takes anything else for a struct. */
function shapeOf(node: SchemaTree): 'LIST' | 'MAP' | undefined {
  const mark = markOf(node);
  const [first] = node.children;
  if (!first || node.children.length > 1 || !isRepeated(first)) return undefined;
  if (mark === 'LIST' && first.children.length <= 1) return mark;
  return mark === 'MAP' && first.children.length === 2 ? mark : undefined;
}

/** Undefined where a part of the value cannot be read. */
function fieldReader(node: SchemaTree): Read | undefined {
  const read = valueReader(node);
  return read && isRepeated(node) ? ofPresent(eachOf(read)) : read;
}

function valueReader(node: SchemaTree): Read | undefined {
  const [first] = node.children;
  if (!first) return ofPresent(leafReader(node.element) as Read | undefined);
  if (markOf(node) === 'VARIANT') return undefined;
  switch (shapeOf(node)) {
    case 'LIST': {
      const [element] = first.children;
      const read = element ? fieldReader(element) : valueReader(first);
      return read && ofPresent(eachOf(read));
    }
    case 'MAP': {
      const [key, value] = first.children.map(fieldReader);
      if (!key || !value) return undefined;
      // The keys of JSON are texts.
      const entry = ([name, one]: [string, unknown]) => [jsonCell(key(name)) ?? '', value(one)];
      return ofPresent((map) => Object.fromEntries(Object.entries(map as object).map(entry)));
    }
    default: {
      const fields = node.children.map(
        (child) => [child.element.name, fieldReader(child)] as const,
      );
      if (fields.some(([, read]) => !read)) return undefined;
      return ofPresent((struct) =>
        Object.fromEntries(fields.map(([name, read]) => [name, read?.(valueAt(struct, name))])),
      );
    }
  }
}

function ofPresent(read: Read | undefined): Read | undefined {
  return read && ((value) => (value === null || value === undefined ? value : read(value)));
}

function eachOf(read: Read): Read {
  return (values) => (values as unknown[]).map(read);
}

function leavesOf({ path, children }: SchemaTree): (readonly string[])[] {
  return children.length === 0 ? [path] : children.flatMap(leavesOf);
}

function elementsOf(node: SchemaTree): SchemaElement[] {
  return [decodedAs(node), ...node.children.flatMap(elementsOf)];
}

/** Without most marks, so that hyparquet gives numbers and times as they are stored: its own lose digits. */
function decodedAs(node: SchemaTree): SchemaElement {
  const { converted_type: _, logical_type: logical, ...plain } = node.element;
  const mark = isText(node.element) ? 'UTF8' : shapeOf(node);
  if (mark) return { ...plain, converted_type: mark };
  const isDecoded = logical?.type === 'UUID' || logical?.type === 'FLOAT16';
  return isDecoded ? { ...plain, logical_type: logical } : plain;
}
