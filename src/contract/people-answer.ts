/** Fields that hold the people when the answer is an object instead of an array. */
const wrappers = ['records', 'results', 'people', 'data', 'items'] as const;

export interface PeoplePage {
  readonly people: unknown[];
  /** Number of people in the whole search, when the service gives it. */
  readonly total?: number;
}

/** Reads a page of people from an array or an object that holds one; null for anything else. */
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

function readTotal(given: unknown): number | undefined {
  const total = typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given;
  return Number.isSafeInteger(total) && Number(total) >= 0 ? Number(total) : undefined;
}
