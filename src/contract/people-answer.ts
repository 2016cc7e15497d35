/** Where an answer that is not a bare array is known to keep its people. */
const wrappers = ['records', 'results', 'people', 'data', 'items'] as const;

export interface PeoplePage {
  readonly people: unknown[];
  /** How many people the whole search has, where the service says so. */
  readonly total?: number;
}

/** Reads a page of people: an array, or an object that holds one; null when it is neither. */
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
