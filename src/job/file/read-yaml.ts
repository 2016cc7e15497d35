import { createRequire } from 'node:module';
import type { Document, Node, Pair, YAMLMap } from 'yaml';
import type { Expansion } from './expand-variables.ts';
import { explainSyntax } from './explain-syntax.ts';

export type Path = readonly PropertyKey[];

export interface Problem {
  readonly offset: number;
  /** Path of the key in the file. */
  readonly path: Path;
  readonly text: string;
}

/** What the file has at one path. */
export interface Written {
  readonly keyOffset: number | undefined;
  readonly valueOffset: number;
  /** The text of a scalar before variables are filled in. */
  readonly source: string | undefined;
  /** The text has a variable in it. */
  readonly isExpanded: boolean;
  /** Reading the value has given a problem already, so the schema adds no second one. */
  readonly hasProblem: boolean;
}

export interface YamlFile {
  readonly value: unknown;
  readonly problems: readonly Problem[];
  readonly isMapping: boolean;
  /** The syntax is wrong, so `value` may not be what the user meant. */
  readonly isBroken: boolean;
  writtenAt(path: Path): Written | undefined;
  position(offset: number): { line: number; column: number };
}

/** Limits a small file whose nested aliases stand for millions of values. */
const maxValues = 2_000;

const require = createRequire(import.meta.url);

/** Reads YAML into plain values and keeps the position of each. */
export function readYaml(
  source: string,
  expand: (text: string, path: Path) => Expansion,
): YamlFile {
  // Loaded with the first job file, because a list without one needs no YAML.
  const yaml: typeof import('yaml') = require('yaml');
  const document = yaml.parseDocument(source, { prettyErrors: false });
  const errors = [...document.errors, ...document.warnings];
  const problems: Problem[] = explainSyntax(errors).map((error) => ({ ...error, path: [] }));
  const { value, written, isTooLarge } = readValues(yaml, document, problems, expand);
  return {
    value,
    problems,
    isMapping: yaml.isMap(document.contents),
    isBroken: isTooLarge || document.errors.some(({ code }) => code !== 'DUPLICATE_KEY'),
    writtenAt: (path) => written.get(pathKey(path)),
    position: (offset) => {
      // The LineCounter of the yaml package misses lines inside a quote that does not close.
      const before = source.slice(0, offset).split('\n');
      return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
    },
  };
}

function readValues(
  { isAlias, isMap, isScalar, isSeq }: typeof import('yaml'),
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
    const keep = (facts: { isExpanded: boolean; hasProblem: boolean }) =>
      written.set(pathKey(path), { keyOffset, valueOffset, source: scalar?.source, ...facts });
    const report = (text: string) => {
      problems.push({ offset: valueOffset, path, text });
      keep({ isExpanded: false, hasProblem: true });
    };
    keep({ isExpanded: false, hasProblem: false });

    valuesLeft -= 1;
    if (valuesLeft === 0) report(`this file holds more than ${maxValues} values`);
    if (valuesLeft <= 0) return undefined;
    if (isAlias(node) && !target) return report(`nothing above is called &${node.source}`);
    if (target && open.has(target)) return report('an alias may not stand inside its own anchor');

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
    if ('problem' in expansion) return report(expansion.problem);
    keep({ isExpanded: expansion.isExpanded, hasProblem: false });
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
