import type { z } from 'zod';
import { countryNames } from '../../contract/countries.ts';
import { shownPath } from '../../runtime/files/local-path.ts';
import { nearestWord } from '../../runtime/nearest-word.ts';
import { jobKeys } from '../job-json-schema.ts';
import { Job } from '../job-schema.ts';
import type { Path, Problem, Written, YamlFile } from './read-yaml.ts';

/**
 * Describes an issue of zod for the user, with its offset in the file. It is a generator, because
 * trying out suggestions takes time and the caller stops after enough problems.
 */
export function* describeIssue(issue: Issue, file: YamlFile): Generator<Problem> {
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) yield unknownKey(issue.path, key, file);
    return;
  }
  const { path } = issue;
  if (issue.code === 'invalid_key') {
    yield { offset: offsetOf(path, file), path, text: `expected ${issue.issues[0]?.message}` };
    return;
  }
  const inside = deepIssues(issue).filter((deeper) => deeper !== issue);
  for (const deeper of inside) yield* describeIssue(deeper, file);
  if (inside.length > 0 || file.writtenAt(path)?.hasProblem) return;
  yield wrongValue(issue, file);
}

/** `['people', 'seniority', 0] → people.seniority[0]` */
export function formatPath(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

export function choicesOf(issue: Issue): string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  if (issue.code === 'custom') return (issue.params?.choices as string[] | undefined) ?? [];
  if (issue.code !== 'invalid_union') return [];
  return issue.errors.flat().flatMap((inside) => choicesOf(inside));
}

/** Where the file has secrets, which are neither filled in nor repeated: messages end up in logs. */
const secrets =
  /^(?:service\.(?:key|share(?:\.url)?)|notify(?:\.url)?|heartbeat|output(?:\[\d+\])?\.postgres)$/;

export function isSecret(path: Path): boolean {
  return secrets.test(formatPath(path));
}

function unknownKey(parent: Path, key: string, file: YamlFile): Problem {
  const path = [...parent, key];
  const suggestion = suggestKey(parent, key);
  const hint = suggestion
    ? `did you mean "${suggestion}"?`
    : `expected one of ${keysBelow(parent).join(', ')}`;
  return { offset: offsetOf(path, file), path, text: `unknown key; ${hint}` };
}

function wrongValue(issue: Issue, file: YamlFile): Problem {
  const { path, message } = issue;
  const written = file.writtenAt(path);
  if (!written) return { offset: offsetOf(path, file), path, text: `missing; expected ${message}` };
  const found = valueAt(file.value, path);
  const hint = hintFor(found, path, written, choicesOf(issue), file);
  const text = `expected ${message}, found ${describeFound(found, path, written)}${hint}`;
  return { offset: written.valueOffset, path, text };
}

/** The offset of a key; when it is missing, the offset of its parent. */
function offsetOf(path: Path, file: YamlFile): number {
  const written = file.writtenAt(path);
  if (written) return written.keyOffset ?? written.valueOffset;
  return path.length === 0 ? 0 : offsetOf(path.slice(0, -1), file);
}

function describeFound(found: unknown, path: Path, { source, isExpanded }: Written): string {
  if (isSecret(path) || (path[0] === 'service' && source?.includes('@'))) return 'something else';
  if (isExpanded) return `what ${source} holds`;
  if (found === null || found === undefined) return 'nothing';
  if (Array.isArray(found)) return 'a list';
  if (typeof found === 'object') return 'keys with values';
  if (typeof found === 'string') return JSON.stringify(shorten(shownPath(found)));
  return `the ${typeof found} ${shorten(source ?? String(found))}`;
}

function hintFor(
  found: unknown,
  path: Path,
  { source, isExpanded }: Written,
  choices: readonly string[],
  file: YamlFile,
): string {
  const isAccepted = (replacement: unknown) => isAcceptedAt(file.value, path, replacement);
  if (found === null) return '; give it a value or remove the key';
  if (typeof found === 'number' || typeof found === 'boolean') {
    if (source && isAccepted(source)) return `; quote it: "${source}"`;
    const withUnit = `${found}${path[0] === 'reuse' ? 'd' : 's'}`;
    if (isAccepted(withUnit)) return `; did you mean "${withUnit}"?`;
  }
  if (typeof found !== 'string' || isExpanded) return isAccepted([found]) ? '; make it a list' : '';
  if (isAccepted(unquoted(found))) return '; write it without quotes';
  if (/^(yes|on|no|off)$/i.test(found) && isAccepted(true)) {
    return `; did you mean ${/^(yes|on)$/i.test(found)}?`;
  }
  const code = Object.entries(countryNames).find(([, name]) => nearestWord(found, [name]))?.[0];
  const meant = nearestWord(found, choices) ?? (code && choices.includes(code) ? code : undefined);
  return meant ? `; did you mean "${meant}"?` : '';
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

type Issue = z.core.$ZodIssue;

/**
 * The issues inside the alternative that was meant: the one that only fails further inside. Where none was, the issue
 * itself.
 */
export function deepIssues(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const fitting = issue.errors.find((issues) =>
    issues.every(({ path, code }) => path.length > 0 || code === 'unrecognized_keys'),
  );
  if (!fitting || fitting.length === 0) return [issue];
  const inside = fitting.map((deeper) => ({ ...deeper, path: [...issue.path, ...deeper.path] }));
  return inside.flatMap(deepIssues);
}

/** Keys of other tools, and the key of a job that does the same. */
export const otherWords: Readonly<Record<string, string>> = {
  apikey: 'service.key',
  backoff: 'limits.maxWait',
  baseurl: 'service.url',
  cache: 'reuse',
  credits: 'budget.perStart',
  database: 'ledger',
  db: 'ledger',
  departments: 'people.department',
  endpoint: 'service.url',
  file: 'input.path',
  formats: 'output.format',
  identifiers: 'identify',
  maxcalls: 'budget.perStart',
  maxrequests: 'budget.perStart',
  parallel: 'limits.concurrency',
  quota: 'budget.perStart',
  requestspersecond: 'limits.rate',
  retries: 'limits.attempts',
  separator: 'input.delimiter',
  size: 'people.pageSize',
  source: 'input',
  titles: 'people.position',
  token: 'service.key',
  ttl: 'reuse',
  type: 'identify[].as',
  workers: 'limits.concurrency',
};

/** The key that the user probably meant by an unknown one, in full: `rate → limits.rate`. */
export function suggestKey(parent: Path, unknown: string): string | undefined {
  const here = keysBelow(parent);
  const keys = [...here, ...jobKeys()];
  const bare = unknown.toLowerCase().replace(/[^a-z]/g, '');
  const named = (word: string | undefined) =>
    keys.find((key) => lastWord(key).toLowerCase() === word?.toLowerCase());
  return (
    named(bare) ??
    otherWords[bare] ??
    named(nearestWord(unknown, here.map(lastWord)) ?? nearestWord(unknown, keys.map(lastWord)))
  );
}

/** The keys of a group, in full: `['limits'] → limits.rate, limits.concurrency, …` */
export function keysBelow(parent: Path): string[] {
  const prefix = formatPath(parent).replace(/\[\d+\]/g, '[]');
  return jobKeys().filter((key) => key === (prefix ? `${prefix}.${lastWord(key)}` : lastWord(key)));
}

function lastWord(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1);
}

/**
 * Whether the job would accept another value at this path. Suggestions in messages are tried with
 * it first, so that none of them fails as well.
 */
export function isAcceptedAt(value: unknown, path: Path, replacement: unknown): boolean {
  if (replacement === undefined) return false;
  const result = Job.safeParse(replaceAt(value, path, replacement));
  if (result.success) return true;
  return !result.error.issues.flatMap(deepIssues).some((issue) => {
    if (issue.code === 'unrecognized_keys') return false;
    const shared = Math.min(path.length, issue.path.length);
    return String(path.slice(0, shared)) === String(issue.path.slice(0, shared));
  });
}

/** A copy of the job with one value replaced. */
export function replaceAt(value: unknown, path: Path, replacement: unknown): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return replacement;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return value;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  return Object.assign(copy, { [part]: replaceAt(valueAt(value, [part]), rest, replacement) });
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inside, part) =>
      typeof inside === 'object' && inside !== null && Object.hasOwn(inside, part)
        ? (inside as Record<PropertyKey, unknown>)[part]
        : undefined,
    value,
  );
}

/** The value of a text when it is written in YAML without quotes: `"10" → 10`, `"true" → true`. */
export function unquoted(text: string): number | boolean | undefined {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}
