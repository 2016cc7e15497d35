import type { z } from 'zod';
import { countryNames } from '../../contract/countries.ts';
import { shownPath } from '../../runtime/files/local-path.ts';
import { nearestWord } from '../../runtime/nearest-word.ts';
import { deepIssues, type Issue } from './deep-issues.ts';
import type { Path, Problem, Written, YamlFile } from './read-yaml.ts';
import { keysBelow, suggestKey } from './suggest-key.ts';
import { isAcceptedAt, unquoted, valueAt } from './value-at-path.ts';

/**
 * Describes an issue of zod for the user, with its offset in the file. It is a generator, because
 * trying out suggestions takes time and the caller stops after enough problems.
 */
export function* describeIssue(issue: Issue, file: YamlFile): Generator<Problem> {
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) yield unknownKey(issue.path, key, file);
    return;
  }
  if (issue.code === 'invalid_key') {
    yield unknownEntry(issue, file);
    return;
  }
  const inside = deepIssues(issue).filter((deeper) => deeper !== issue);
  for (const deeper of inside) yield* describeIssue(deeper, file);
  if (inside.length > 0 || file.writtenAt(issue.path)?.hasProblem) return;
  yield wrongValue(issue, choicesOf(issue), file);
}

/** `['people', 'seniority', 0] → people.seniority[0]` */
export function formatPath(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

function choicesOf(issue: Issue): string[] {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  if (issue.code === 'custom') return (issue.params?.choices as string[] | undefined) ?? [];
  if (issue.code !== 'invalid_union') return [];
  return issue.errors.flat().flatMap((inside) => choicesOf(inside));
}

function unknownKey(parent: Path, key: string, file: YamlFile): Problem {
  const path = [...parent, key];
  const suggestion = suggestKey(parent, key);
  const hint = suggestion
    ? `; did you mean "${suggestion}"?`
    : `; expected one of ${keysBelow(parent).join(', ')}`;
  return { offset: offsetOf(path, file, 'key'), path, text: `unknown key${hint}` };
}

function unknownEntry(issue: z.core.$ZodIssueInvalidKey, file: YamlFile): Problem {
  const { path } = issue;
  const text = `expected ${issue.issues[0]?.message ?? 'another key'}`;
  return { offset: offsetOf(path, file, 'key'), path, text };
}

function wrongValue(issue: Issue, choices: readonly string[], file: YamlFile): Problem {
  const { path, message } = issue;
  const written = file.writtenAt(path);
  const offset = offsetOf(path, file, 'value');
  if (!written) return { offset, path, text: `missing; expected ${message}` };
  const found = valueAt(file.value, path);
  const text = `expected ${message}, found ${describeFound(found, path, written)}`;
  return { offset, path, text: `${text}${hintFor(found, path, written, choices, file)}` };
}

/** The offset of a key or value; when it is missing, the offset of its parent. */
function offsetOf(path: Path, file: YamlFile, part: 'key' | 'value'): number {
  const written = file.writtenAt(path);
  if (written)
    return part === 'key' ? (written.keyOffset ?? written.valueOffset) : written.valueOffset;
  return path.length === 0 ? 0 : offsetOf(path.slice(0, -1), file, 'key');
}

/** A value that may be a secret is not repeated, because messages end up in logs. */
function describeFound(found: unknown, path: Path, written: Written): string {
  if (path[0] === 'service' && (path[1] === 'key' || written.source?.includes('@'))) {
    return 'something else';
  }
  if (path[0] === 'service' && path[1] === 'share' && (path[2] ?? 'url') === 'url') {
    return 'something else';
  }
  if (path[0] === 'output' && path.at(-1) === 'postgres') return 'something else';
  if (path[0] === 'heartbeat' || (path[0] === 'notify' && path[1] !== 'on')) {
    return 'something else';
  }
  if (written.isExpanded) return `what ${written.source} holds`;
  if (found === null || found === undefined) return 'nothing';
  if (Array.isArray(found)) return 'a list';
  if (typeof found === 'object') return 'keys with values';
  if (typeof found === 'string') return JSON.stringify(shorten(shownPath(found)));
  return `the ${typeof found} ${shorten(written.source ?? String(found))}`;
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
