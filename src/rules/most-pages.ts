export interface SearchesAhead {
  /** Searches that one company has before it, the one under way included. */
  readonly searches: number;
  readonly pageSize: number;
  /** People that may still be received before `maxPerCompany` is reached; at least one. */
  readonly people: number;
}

/**
 * The most calls that the searches of one company can take, however small the pages are that the
 * service gives: every page but the last of a search brings a person.
 */
export function mostPages({ searches, people }: SearchesAhead): number {
  return searches + people - 1;
}

/**
 * The most calls for a service that fills every page while it has more people. The dearest case is one
 * person in each search, which takes a page and an empty one, and all other people in the last.
 */
export function mostFullPages({ searches, pageSize, people }: SearchesAhead): number {
  if (searches >= people) return mostPages({ searches, pageSize, people });
  const inLast = Math.floor((people - searches) / pageSize) + 1;
  return 2 * (searches - 1) + Math.max(2, inLast);
}
