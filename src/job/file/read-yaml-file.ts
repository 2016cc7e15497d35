import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Node, YAMLError } from 'yaml';
import type { z } from 'zod';
import { DossierError } from '../../core/errors.ts';
import { missingFile } from '../../platform/files/missing-file.ts';
import type { Expansion } from '../read-address.ts';
import { describeIssue, formatPath, plainIssues } from './describe-issue.ts';

export type Path = readonly PropertyKey[];

export interface FileProblem {
  readonly offset: number;
  readonly path: Path;
  readonly text: string;
}

/** A kind of file that users write in YAML. */
export interface FileKind<Schema extends z.ZodType> {
  readonly schema: Schema;
  /** All keys that it may have, `*` for any name: `services.*.url`. */
  keys(): readonly string[];
  /** Messages end up in logs, so they do not repeat these values. */
  isSecret(path: Path): boolean;
  /** Replaces the remedy for a broken job file. */
  readonly remedy?: string;
}

/** Written by hand, so a larger file is none. */
const maxFileBytes = 256 * 1024;

const maxProblems = 50;

export function parseYamlFile<Schema extends z.ZodType>(
  kind: FileKind<Schema>,
  path: string,
  text: string,
  expand: (text: string, path: Path) => Expansion = (written) => ({
    text: written,
    isExpanded: false,
  }),
) {
  const file = readYaml(text, expand);
  if (text.replace(/^\s*#.*$/gm, '').trim() === '') {
    throw new DossierError('JOB_INVALID', `${path}:1:1: this file is empty`);
  }
  const result = kind.schema.safeParse(file.value);
  const issues = file.isBroken ? [] : (result.error?.issues ?? []).flatMap(plainIssues);
  const described = issues
    .filter((issue) => !file.writtenAt(issue.path)?.hasProblem)
    .slice(0, maxProblems)
    .map((issue) => describeIssue(issue, file, kind));
  const problems = [...file.problems, ...described];
  if (!result.success || problems.length > 0) throw invalid(path, text, problems, kind.remedy);
  return {
    value: result.data,
    /** `jobs/leads.yaml:12:13` */
    positionOf: (part: Path) => {
      const written = file.writtenAt(part);
      return written && placeText(path, text, written.offset);
    },
  };
}

export function readText(path: string, what: 'job file' | 'settings file' = 'job file'): string {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > maxFileBytes || bytes.includes(0)) {
      throw new DossierError('JOB_INVALID', `${path}:1:1: this looks like data, not a ${what}`);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw missingFile(what, path, error);
  }
}

function invalid(
  path: string,
  source: string,
  problems: readonly FileProblem[],
  remedy: string | undefined,
) {
  const inOrder = problems
    .toSorted((one, other) => one.offset - other.offset)
    .slice(0, maxProblems);
  const lines = new Set(
    inOrder.map(({ offset, path: part, text }) =>
      [placeText(path, source, offset), formatPath(part), text].filter(Boolean).join(': '),
    ),
  );
  const least = lines.size < maxProblems ? '' : 'at least ';
  const count = lines.size === 1 ? 'one problem' : `${least}${lines.size} problems`;
  return new DossierError('JOB_INVALID', [`${path} has ${count}`, ...lines].join('\n'), { remedy });
}

/** The yaml package's LineCounter misses lines inside an unclosed quote. */
function placeText(path: string, text: string, offset: number) {
  const before = text.slice(0, offset).split('\n');
  return `${path}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

const require = createRequire(import.meta.url);

export type YamlFile = ReturnType<typeof readYaml>;

function readYaml(source: string, expand: (text: string, path: Path) => Expansion) {
  // Loaded on demand: a list without a job file needs no YAML.
  const { isAlias, isMap, isPair, isScalar, isSeq, parseDocument, visit }: typeof import('yaml') =
    require('yaml');
  const document = parseDocument(source, { prettyErrors: false, logLevel: 'error' });
  const problems = explainSyntax([...document.errors, ...document.warnings]);
  let isBroken = document.errors.some(({ code }) => code !== 'DUPLICATE_KEY');
  const written = new Map<string, Written>();
  visit(document, {
    Node(key, node, parents) {
      if (key === 'key') return;
      const path = parents.flatMap((parent, depth): PropertyKey[] => {
        if (isPair(parent)) return [String(parent.key)];
        return isSeq(parent) ? [parent.items.indexOf(parents[depth + 1] ?? node)] : [];
      });
      const isText = isScalar(node) && typeof node.value === 'string';
      const expansion = isText ? expand(String(node.value), path) : undefined;
      if (expansion) Object.assign(node, { value: expansion.text });
      const target = isAlias(node) ? node.resolve(document) : node;
      const isLost = !target || parents.includes(target);
      if (isLost) isBroken = true;
      const problem = isLost
        ? 'this alias has no matching anchor (&) above it'
        : expansion?.problem;
      const offset = node.range?.[0] ?? 0;
      if (problem) problems.push({ offset, path, text: problem });
      const holder = parents.at(-1);
      written.set(formatPath(path), {
        offset,
        keyOffset: isPair(holder) ? (holder.key as Node | null)?.range?.[0] : undefined,
        source: isMap(node) || isSeq(node) ? undefined : node.source,
        isHidden: isAlias(node) || expansion?.isExpanded === true,
        hasProblem: problem !== undefined,
      });
    },
  });
  let value: unknown;
  try {
    value = isBroken ? undefined : document.toJS();
  } catch {
    // `toJS` throws if nested aliases expand to millions of values.
    problems.push({
      offset: 0,
      path: [],
      text: 'the aliases in this file expand to too much data',
    });
    isBroken = true;
  }
  return {
    value,
    problems,
    isBroken,
    writtenAt: (path: Path) => written.get(formatPath(path)),
  };
}

interface Written {
  readonly offset: number;
  readonly keyOffset: number | undefined;
  readonly source: string | undefined;
  /** The value comes from a variable or alias, so messages do not repeat it. */
  readonly isHidden: boolean;
  readonly hasProblem: boolean;
}

const unexpected = `this is unexpected here; is a quote or bracket missing before it? Quote values that begin with >, and quote \${…} inside { }`;

/** The parser's own messages mention tokens, which do not help users. */
const explanations: Partial<Record<YAMLError['code'], string>> = {
  BAD_ALIAS: 'a name after * or & is missing or malformed; quote values that begin with * or &',
  BAD_DQ_ESCAPE: 'in double quotes \\ begins an escape; write \\\\ or use single quotes',
  BAD_INDENT: 'this line is not indented like the lines it belongs to',
  BAD_SCALAR_START: 'a value cannot begin with this character; put the value in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'two values are on one line, or a value with a colon needs quotes',
  DUPLICATE_KEY: 'this key appears twice; remove one of them',
  MISSING_CHAR: 'a closing quote or bracket, a comma, or the space after a colon is missing',
  MULTILINE_IMPLICIT_KEY: 'a key and its colon must be on one line; is a colon missing?',
  MULTIPLE_DOCS: 'a file holds one job; this --- begins another',
  TAB_AS_INDENT: 'indented with a tab; YAML requires spaces',
  TAG_RESOLVE_FAILED: 'YAML tags, which begin with !, are not supported; put the value in quotes',
  UNEXPECTED_TOKEN: unexpected,
};

/** One mistake causes many UNEXPECTED_TOKEN errors, so they are left out after the first error. */
function explainSyntax(errors: readonly YAMLError[]): FileProblem[] {
  return errors
    .filter(({ code }, index) => index === 0 || code !== 'UNEXPECTED_TOKEN')
    .map(({ code, pos }) => ({
      offset: pos[0],
      path: [],
      text: explanations[code] ?? `this is not YAML (${code})`,
    }));
}
