import type { z } from 'zod';

export type Issue = z.core.$ZodIssue;

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
