import { Job } from '../job-schema.ts';
import { deepIssues } from './deep-issues.ts';
import type { Path } from './read-yaml.ts';

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
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === part ? replaceAt(item, rest, replacement) : item));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === part ? replaceAt(item, rest, replacement) : item,
    ]),
  );
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
