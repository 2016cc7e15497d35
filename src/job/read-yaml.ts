import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import type { Expansion } from './expand-variables.ts';
import { explainSyntax } from './explain-syntax.ts';

export type Path = readonly PropertyKey[];

/** Something wrong at one place of the file; `path` is what the person wrote there. */
export interface Problem {
  readonly offset: number;
  readonly path: Path;
  readonly text: string;
}

/** What stands in the file at one path. */
export interface Written {
  readonly keyOffset: number | undefined;
  readonly valueOffset: number;
  /** A single value as it was typed, before variables were filled in. */
  readonly source: string | undefined;
  readonly isExpanded: boolean;
  /** A problem was found while reading it, so that what it lacks needs no second one. */
  readonly isTold: boolean;
}

export interface YamlFile {
  readonly value: unknown;
  readonly problems: readonly Problem[];
  readonly isMapping: boolean;
  /** The syntax is wrong, so what was read is not what was meant. */
  readonly isBroken: boolean;
  writtenAt(path: Path): Written | undefined;
  position(offset: number): { line: number; column: number };
}

/** Aliases may multiply what a few lines say; a job of this many values is no job. */
const maxValues = 2_000;

/** Reads YAML into plain values and remembers where each of them stands. */
export function readYaml(
  source: string,
  expand: (text: string, path: Path) => Expansion,
): YamlFile {
  const document = parseDocument(source, { prettyErrors: false });
  const complaints = [...document.errors, ...document.warnings];
  const problems: Problem[] = explainSyntax(complaints).map((slip) => ({ ...slip, path: [] }));
  const { value, written, isTooLarge } = readValues(document, problems, expand);
  return {
    value,
    problems,
    isMapping: isMap(document.contents),
    isBroken: isTooLarge || document.errors.some(({ code }) => code !== 'DUPLICATE_KEY'),
    writtenAt: (path) => written.get(pathKey(path)),
    position: (offset) => {
      // The parser's own LineCounter misses lines inside a quote that is never closed.
      const before = source.slice(0, offset).split('\n');
      return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
    },
  };
}

function readValues(
  document: Document.Parsed,
  problems: Problem[],
  expand: (text: string, path: Path) => Expansion,
): { value: unknown; written: Map<string, Written>; isTooLarge: boolean } {
  const written = new Map<string, Written>();
  const open = new Set<Node>();
  let valuesLeft = maxValues;

  function read(node: Node | null | undefined, path: Path, keyOffset?: number): unknown {
    const valueOffset = node?.range?.[0] ?? keyOffset ?? 0;
    const target = isAlias(node) ? node.resolve(document) : node;
    const scalar = isScalar(target) ? target : undefined;
    const note = (known: { isExpanded: boolean; isTold: boolean }) =>
      written.set(pathKey(path), { keyOffset, valueOffset, source: scalar?.source, ...known });
    const complain = (text: string) => {
      problems.push({ offset: valueOffset, path, text });
      note({ isExpanded: false, isTold: true });
    };
    note({ isExpanded: false, isTold: false });

    valuesLeft -= 1;
    if (valuesLeft === 0) complain(`this file holds more than ${maxValues} values`);
    if (valuesLeft <= 0) return undefined;
    if (isAlias(node) && !target) return complain(`nothing above is called &${node.source}`);
    if (target && open.has(target)) return complain('an alias may not stand inside its own anchor');

    if (isMap(target) || isSeq(target)) {
      open.add(target);
      const value = isMap(target)
        ? readMapping(target, path)
        : target.items.map((item, index) => read(item as Node, [...path, index]));
      open.delete(target);
      return value;
    }
    if (typeof scalar?.value !== 'string') return scalar?.value ?? null;
    const expansion = expand(scalar.value, path);
    if ('problem' in expansion) return complain(expansion.problem);
    note({ isExpanded: expansion.isExpanded, isTold: false });
    return expansion.text;
  }

  function readMapping(mapping: YAMLMap, path: Path): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    for (const { key, value } of mapping.items as Pair<Node | null, Node | null>[]) {
      const offset = key?.range?.[0] ?? mapping.range?.[0] ?? 0;
      if (!isScalar(key) || key.value === null) {
        problems.push({ offset, path, text: 'a key is one word followed by a colon' });
        continue;
      }
      const name = String(key.value);
      entries.push([name, read(value, [...path, name], offset)]);
    }
    return Object.fromEntries(entries);
  }

  const value = read(document.contents, []);
  return { value, written, isTooLarge: valuesLeft <= 0 };
}

function pathKey(path: Path): string {
  return JSON.stringify(path.map(String));
}
