import type { z } from 'zod';
import { shownPath } from '../../core/runtime/files/local-path.ts';
import { shorten } from '../../core/runtime/format.ts';
import { nearestWord } from '../../core/runtime/nearest-word.ts';
import { jobKeys } from '../job-schema.ts';
import type { JobProblem, Path, YamlFile } from '../load-job.ts';

type Issue = z.core.$ZodIssue;

export function describeIssue(issue: Issue, file: YamlFile): JobProblem {
  const { path, message } = issue;
  const written = file.writtenAt(path);
  const ofKey = (text: string) => ({ offset: keyOffset(path, file), path, text });
  if (issue.code === 'unrecognized_keys') return ofKey(`unknown key; ${keyHint(path)}`);
  if (issue.code === 'invalid_key') return ofKey(`expected ${issue.issues[0]?.message}`);
  const found = valueAt(file.value, path);
  if (found === undefined) return ofKey(`missing; expected ${message}`);
  if (!written) return ofKey(`expected ${message}, but the YAML alias stands for something else`);
  const { source, isHidden, offset } = written;
  const isUnsaid = isSecret(path) || (path[0] === 'service' && source?.includes('@'));
  const value = isHidden ? `the value of ${source}` : describeValue(found, source);
  const meant = isHidden ? undefined : nearestWord(`${found}`, choicesOf(issue));
  const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
  const text = `expected ${message}, found ${isUnsaid ? 'something else' : value}${hint}`;
  return { offset, path, text };
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

/** Messages end up in logs, so they do not repeat these values. */
const secrets =
  /^(?:service\.(?:key|share)|notify(?:\.url)?|heartbeat|output(?:\[\d+\])?\.postgres)$/;

export function isSecret(path: Path): boolean {
  return secrets.test(formatPath(path));
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

function keyHint(path: Path) {
  const prefix = formatPath([...path.slice(0, -1), '']).replace(/\[\d+\]/g, '[]');
  const unknown = String(path.at(-1));
  const lastWord = (key: string) => key.slice(key.lastIndexOf('.') + 1);
  const here = jobKeys().filter((key) => key === prefix + lastWord(key));
  const keys = [...here, ...jobKeys()];
  const word = nearestWord(unknown, here.map(lastWord)) ?? nearestWord(unknown, keys.map(lastWord));
  const meant = keys.find((key) => lastWord(key) === word);
  return meant ? `did you mean "${meant}"?` : `expected one of ${here.join(', ')}`;
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inside, part) => (inside as Record<PropertyKey, unknown> | null | undefined)?.[part],
    value,
  );
}
