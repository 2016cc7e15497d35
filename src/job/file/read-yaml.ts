import { createRequire } from 'node:module';
import type { Document, Node, Pair, YAMLError, YAMLMap } from 'yaml';
import type { Expansion } from './expand-variables.ts';

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

export type YamlFile = ReturnType<typeof readYaml>;

/** Limits a small file whose nested aliases stand for millions of values. */
const maxValues = 2_000;

const require = createRequire(import.meta.url);

/** Reads YAML into plain values and keeps the position of each. */
export function readYaml(source: string, expand: (text: string, path: Path) => Expansion) {
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
    /** The syntax is wrong, so `value` may not be what the user meant. */
    isBroken: isTooLarge || document.errors.some(({ code }) => code !== 'DUPLICATE_KEY'),
    writtenAt: (path: Path) => written.get(pathKey(path)),
    position: (offset: number) => {
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
) {
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

const unexpected = `this does not belong here; is a quote or bracket missing before it? Quotes belong around a value that begins with >, and inside { } around \${…}`;

/** Messages for common mistakes in YAML. The parser's own messages speak of tokens. */
const explanations: Partial<Record<YAMLError['code'], string>> = {
  BAD_ALIAS: 'a name after * or & is missing or malformed; quote a value that begins with them',
  BAD_DQ_ESCAPE: 'in double quotes \\ begins an escape; write \\\\ or use single quotes',
  BAD_INDENT: 'this line is not indented like the lines it belongs to',
  BAD_SCALAR_START: 'a value may not begin with this character; put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'two values stand on one line, or a colon needs quotes around its value',
  DUPLICATE_KEY: 'this key was given before; only one can count',
  MISSING_CHAR: 'a closing quote or bracket, a comma, or the space after a colon is missing',
  MULTILINE_IMPLICIT_KEY: 'a key must be followed by a colon on its own line',
  MULTIPLE_DOCS: 'a file holds one job; this --- begins another',
  TAB_AS_INDENT: 'a tab stands where YAML wants spaces',
  TAG_RESOLVE_FAILED: 'tags that begin with ! are not read here; put the value in quotes',
  UNEXPECTED_TOKEN: unexpected,
};

/**
 * Explains the errors of the parser. Unexpected tokens after the first error are left out, because
 * one mistake gives many of them.
 */
function explainSyntax(errors: readonly YAMLError[]): { offset: number; text: string }[] {
  return errors
    .filter(({ code }, index) => index === 0 || code !== 'UNEXPECTED_TOKEN')
    .map(({ code, pos }) => ({
      offset: pos[0],
      text: explanations[code] ?? `this is not YAML (${code})`,
    }));
}
