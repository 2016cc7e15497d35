import type { z } from 'zod';
import { kindMeantBy } from '../../core/contract/identifier-kinds.ts';
import { shorten } from '../../core/values/format.ts';
import { nearestWord } from '../../core/values/nearest-word.ts';
import { shownPath } from '../../platform/files/local-path.ts';
import type { FileKind, FileProblem, Path, YamlFile } from './read-yaml-file.ts';

type Issue = z.core.$ZodIssue;

type Kind = Pick<FileKind<z.ZodType>, 'keys' | 'isSecret'>;

export function describeIssue(issue: Issue, file: YamlFile, kind: Kind): FileProblem {
  const { path, message } = issue;
  const written = file.writtenAt(path);
  const ofKey = (text: string) => ({ offset: keyOffset(path, file), path, text });
  if (issue.code === 'unrecognized_keys') {
    // In `{company: 0,12}`, YAML takes the comma for the end of the number.
    const isCut = /^\d+$/.test(String(path.at(-1)));
    const hint = isCut ? 'write numbers with a point, such as 0.12' : keyHint(path, kind.keys());
    return ofKey(`unknown key; ${hint}`);
  }
  if (issue.code === 'invalid_key') return ofKey(`expected ${issue.issues[0]?.message}`);
  const found = valueAt(file.value, path);
  if (found === undefined) return ofKey(`missing; expected ${message}`);
  if (!written) return ofKey(`expected ${message}, but the YAML alias stands for something else`);
  const { source, isHidden, offset } = written;
  const isUnsaid =
    kind.isSecret(path) || (/^services?$/.test(String(path[0])) && source?.includes('@'));
  const value = isHidden ? `the value of ${source}` : describeValue(found, source);
  const meant = isHidden ? undefined : meantChoice(`${found}`, choicesOf(issue));
  const hint = meant === undefined ? pointHint(found) : `; did you mean ${JSON.stringify(meant)}?`;
  const text = `expected ${message}, found ${isUnsaid ? 'something else' : value}${hint}`;
  return { offset, path, text };
}

/** `0,12 → ; write 0.12` */
export function pointHint(given: unknown): string {
  // `1,234` could mean two amounts.
  const isMeant = /^\d+,(?:\d{1,2}|\d{4,})(?: [A-Z]{3})?$/.test(String(given));
  return isMeant ? `; write ${String(given).replace(',', '.')}` : '';
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
  return issue.errors.flat().flatMap(choicesOf);
}

const otherWords: Readonly<Record<string, string>> = { excel: 'xlsx', ndjson: 'jsonl' };

/** `domain → fqdn`, `excel → xlsx`, `parqet → parquet` */
export function meantChoice(word: string, choices: readonly string[]): string | undefined {
  const meant = otherWords[word.toLowerCase()] ?? kindMeantBy(word) ?? '';
  return choices.includes(meant) ? meant : nearestWord(word, choices);
}

function keyOffset(path: Path, file: YamlFile): number {
  const written = file.writtenAt(path);
  if (written) return written.keyOffset ?? written.offset;
  return path.length === 0 ? 0 : keyOffset(path.slice(0, -1), file);
}

function describeValue(found: unknown, source: string | undefined) {
  if (found == null) return 'nothing';
  if (Array.isArray(found)) return 'a list';
  if (typeof found === 'object') return 'keys with values';
  if (typeof found === 'string') return JSON.stringify(shorten(shownPath(found), 60));
  return `the ${typeof found} ${shorten(source ?? String(found), 60)}`;
}

/** For a union, reports only the alternative that the user probably meant. */
export function plainIssues(issue: Issue): Issue[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ ...issue, path: [...path, key] }));
  }
  const options = issue.code === 'invalid_union' ? issue.errors : [];
  const fitting = options.find((issues) =>
    issues.every((inside) => inside.path.length > 0 || inside.code === 'unrecognized_keys'),
  );
  if (!fitting || fitting.length === 0) return [issue];
  return fitting.flatMap((inside) => plainIssues({ ...inside, path: [...path, ...inside.path] }));
}

function keyHint(path: Path, known: readonly string[]) {
  const prefix = formatPath([...path.slice(0, -1), '']).replace(/\[\d+\]/g, '[]');
  const unknown = String(path.at(-1));
  const lastWord = (key: string) => key.slice(key.lastIndexOf('.') + 1);
  const here = known.filter((key) => isBelow(prefix, key.slice(0, key.lastIndexOf('.') + 1)));
  const keys = [...here, ...known];
  const word = nearestWord(unknown, here.map(lastWord)) ?? nearestWord(unknown, keys.map(lastWord));
  const meant = keys.find((key) => lastWord(key) === word);
  return meant ? `did you mean "${meant}"?` : `expected one of ${here.join(', ')}`;
}

/** `services.main.` is below `services.*.` */
function isBelow(prefix: string, holder: string) {
  const [parts, wanted] = [prefix.split('.'), holder.split('.')];
  return (
    parts.length === wanted.length &&
    wanted.every((part, index) => part === '*' || part === parts[index])
  );
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inside, part) => (inside as Record<PropertyKey, unknown> | null | undefined)?.[part],
    value,
  );
}
