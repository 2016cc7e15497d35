import type { PeoplePage } from '../provider.ts';

const wrappers = ['records', 'results', 'people', 'data', 'items'] as const;

export function readPeoplePage(json: unknown): PeoplePage | null {
  if (Array.isArray(json)) return { people: json };
  if (typeof json !== 'object' || json === null) return null;
  const fields = json as Record<string, unknown>;
  for (const wrapper of wrappers) {
    const people = fields[wrapper];
    if (!Array.isArray(people)) continue;
    const total = readTotal(fields.total);
    return total === undefined ? { people } : { people, total };
  }
  return null;
}

function readTotal(value: unknown) {
  const total = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(total) && Number(total) >= 0 ? Number(total) : undefined;
}
