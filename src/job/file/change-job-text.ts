import { isDeepStrictEqual } from 'node:util';
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parse,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import { DossierError } from '../../errors.ts';
import type { Reading } from '../../identify/identifier.ts';
import { isObjectPath } from '../schema/fields.ts';

/** A value of a job file, by its path. Undefined takes it out. */
export interface JobChange {
  readonly path: readonly string[];
  readonly value: JobValue | undefined;
}

type JobValue = string | number | readonly JobValue[] | { readonly [key: string]: JobValue };

/** Changes values in the text of a job file. Comments, order and everything else stay as they are. */
export function changeJobText(text: string, changes: readonly JobChange[]): string {
  const document = parseDocument(text);
  for (const { path: given, value } of changes) {
    const path = pathInDocument(document, given);
    if (value === undefined) remove(document, path);
    else set(document, path, escaped(value));
  }
  return written(document, text);
}

/** Changes the columns to identify by. A column that stays keeps its comments. */
export function changeIdentify(
  text: string,
  wanted: readonly { readonly column: string; readonly as: Reading }[],
): string {
  const document = parseDocument(text);
  const before = document.getIn(['identify']);
  const known = isSeq(before) ? before.items.filter((item) => isMap(item)) : [];
  const items = wanted.map(({ column, as }) => {
    const name = escaped(column);
    const item = known.find((entry) => entry.get('column') === name);
    if (item && item.get('as') !== as) item.set('as', as);
    return item ?? (document.createNode({ column: name, as }) as YAMLMap);
  });
  if (isSeq(before)) before.items = items;
  else setNode(document, ['identify'], document.createNode(items));
  return written(document, text);
}

function set(document: Document, path: readonly (string | number)[], value: JobValue): void {
  for (let depth = 1; depth < path.length; depth += 1) openGroup(document, path.slice(0, depth));
  const isPlain = typeof value !== 'object';
  const before = document.getIn(path, true);
  // A value that is only replaced keeps its place and its comment.
  if (isPlain && isScalar(before)) before.value = value;
  else setNode(document, path, nodeOf(document, value));
}

/** A key with nothing behind it is no group that a value could be put into; its comments stay. */
function openGroup(document: Document, path: readonly (string | number)[]): void {
  const before = document.getIn(path, true);
  if (!isScalar(before)) return;
  const group = document.createNode({}) as YAMLMap;
  group.flow = false;
  const { commentBefore, comment } = before;
  group.commentBefore = [commentBefore, comment].filter(Boolean).join('\n') || null;
  document.setIn(path, group);
}

/** Names stand in one line: `seniority: [C-Suite, Manager]`. */
function nodeOf(document: Document, value: JobValue): Node {
  const node = document.createNode(value) as Node;
  if (isSeq(node)) node.flow = true;
  return node;
}

/** A new group stands apart from the one above it. */
function setNode(document: Document, path: readonly (string | number)[], node: Node): void {
  const first = String(path[0] ?? '');
  const isNew = !document.has(first);
  document.setIn(path, node);
  if (!isNew || !isMap(document.contents)) return;
  const pair = document.contents.items.at(-1);
  if (!pair) return;
  const key = document.createNode(first) as Node;
  key.spaceBefore = true;
  pair.key = key;
}

/** A group that is left empty goes, too. */
function remove(document: Document, path: readonly (string | number)[]): void {
  if (!document.hasIn(path)) return;
  document.deleteIn(path);
  const parent = path.slice(0, -1);
  const group = parent.length > 0 ? document.getIn(parent) : undefined;
  // An empty place is still one: the usual folder.
  const isPlace = typeof parent.at(-1) === 'number';
  if (isMap(group) && group.items.length === 0 && !isPlace) document.deleteIn(parent);
}

/** The text of a document, in the style of the text that it was read from. */
function written(document: Document, before: string): string {
  const flowCollectionPadding = /[{[] \S/.test(before);
  const text = document.toString({ lineWidth: 0, flowCollectionPadding });
  // The yaml package takes a comment behind the last key of a group into the group, and indents it.
  const comments = new Set(before.split('\n').filter((line) => line.startsWith('#')));
  const lines = text.split('\n').map((line) => (comments.has(line.trim()) ? line.trim() : line));
  const aligned = lines.join('\n');
  return isDeepStrictEqual(parse(aligned), parse(text)) ? aligned : text;
}

/** A single dollar sign would begin a variable. */
function escaped(value: JobValue): JobValue {
  if (typeof value === 'string') return value.replaceAll('$', '$$$$');
  if (typeof value === 'number') return value;
  if (Array.isArray(value)) return value.map(escaped);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, escaped(inner)]));
}

/**
 * Where a value of a job is in its file. `output` may be a list of places: what is changed of it is changed of the
 * first folder, which is the one that people look into.
 */
function pathInDocument(document: Document, path: readonly string[]): readonly (string | number)[] {
  const [first, ...rest] = path;
  const output = document.get('output');
  if (first !== 'output' || rest.length === 0 || !isSeq(output)) return path;
  const index = output.items.findIndex(
    (item) => isMap(item) && !item.has('postgres') && !isObjectPath(String(item.get('path') ?? '')),
  );
  if (index !== -1) return ['output', index, ...rest];
  throw new DossierError(
    'JOB_INVALID',
    `output lists no folder whose ${rest.join('.')} could be changed: add one, such as {path: output}`,
  );
}
