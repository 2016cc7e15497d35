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
 * The most calls for a service that fills every page while it has more people, and tells no total: an
 * empty page ends each search. The dearest case is one person in each search, and in the last one all
 * others but one, so that it is not ended by their number.
 */
export function mostFullPages({ searches, pageSize, people }: SearchesAhead): number {
  if (searches >= people) return mostPages({ searches, pageSize, people });
  return 2 * searches - 1 + Math.ceil((people - searches) / pageSize);
}
