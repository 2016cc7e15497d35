import { laterCandidates } from '../../core/rules/next-candidate.ts';
import {
  leastPages,
  mostFullPages,
  type PeopleTerms,
  type SearchesAhead,
  searchIndex,
} from '../../core/rules/people-search.ts';
import { IdSet } from '../../core/values/id-set.ts';
import type { Ledger } from '../ledger/open-ledger.ts';
import type { JobHistory, OpenSearches } from '../ledger/runs/planning.ts';
import {
  type AskedCall,
  type AskedServices,
  createAskedServices,
} from '../queue/asked-services.ts';
import type { QueueTerms } from '../queue/queue-terms.ts';

/** Calls that a run still needs. */
export interface CallsAhead {
  /** Lookups of the next candidates. The run makes fewer only if two of them are one company. */
  readonly companies: number;
  /** Lookups of later candidates, if every lookup misses. */
  readonly fallbacks: number;
  /** Pages of people, if every company is found and the service fills its pages. */
  readonly pages: number;
  /** Pages, if none has people: at least, and for each company found. */
  readonly leastPages: number;
  readonly leastPagesPerFound: number;
  /** From an earlier run of the job; undefined if that is unknown. */
  readonly expected: {
    readonly companies?: number | undefined;
    readonly pages?: number | undefined;
  };
  readonly hitRate: number | undefined;
  readonly filledPages?: number | undefined;
  /** At each service, in the order of the job. */
  readonly lookups: readonly Lookups[];
}

interface Lookups extends Pick<CallsAhead, 'companies' | 'fallbacks'> {
  /** Like `hitRate`, from an earlier run. */
  readonly expected?: number | undefined;
  readonly hitRate?: number | undefined;
}

/** Cached answers must be completed first. `past` may be another ledger than that of the run. */
export function callsAhead(
  ledger: Ledger,
  runId: number,
  { job, services, people }: QueueTerms,
  past: Pick<Ledger, 'planning' | 'services'>,
  cached: (call: AskedCall) => object | undefined,
): CallsAhead {
  const { planning } = ledger;
  const asked = createAskedServices(ledger, services);
  const open = planning.countOpenRows(runId);
  const fallbacks = countFallbacks(ledger, runId, asked, cached);
  const searches = people ? planning.listOpenSearches(runId) : [];
  // A row and a call each find at most one company.
  const lookups = open.calls + fallbacks.uncached + fallbacks.cached;
  const companiesToFind = Math.min(open.distinct, lookups);
  const ahead = {
    companies: open.calls,
    fallbacks: fallbacks.uncached,
    ...(people ? countPages(people, searches, companiesToFind) : noPages),
  };
  const begun = people ? searchesBegun(people, searches) : { companies: 0, share: 0 };
  const history = past.planning.history(job, people);
  // An earlier run of the only service may be of another address, or from before services had ids.
  const hitRates =
    services.length === 1
      ? [history.hitRate]
      : services.map((one) => history.hitRates.get(past.services.find(one) ?? null));
  const ofServices = expectLookups(fallbacks.lookups, hitRates);
  return {
    ...ahead,
    lookups: ofServices,
    ...expectCalls(ahead, begun, companiesToFind, history, sumOf(ofServices)),
  };
}

/** Undefined if one of them is. */
function sumOf(lookups: readonly Lookups[]) {
  return lookups.reduce<number | undefined>(
    (sum, { expected }) =>
      sum === undefined || expected === undefined ? undefined : sum + expected,
    0,
  );
}

/** What one service misses is looked up at the next. */
function expectLookups(
  lookups: readonly Pick<CallsAhead, 'companies' | 'fallbacks'>[],
  hitRates: readonly (number | undefined)[],
): Lookups[] {
  let missed: number | undefined = 1;
  return lookups.map(({ companies, fallbacks }, index) => {
    const hitRate = hitRates[index];
    const ownMissed = hitRate === undefined ? undefined : 1 - hitRate;
    const share: number | undefined = index === 0 ? ownMissed : missed;
    missed = missed === undefined || ownMissed === undefined ? undefined : missed * ownMissed;
    const further = fallbacks === 0 ? 0 : share && fallbacks * share;
    const expected = further === undefined ? undefined : Math.round(companies + further);
    return { companies, fallbacks, expected, hitRate };
  });
}

/** Counts the lookups of later candidates, assuming that every lookup misses. */
function countFallbacks(
  { outcomes, calls }: Pick<Ledger, 'outcomes' | 'calls'>,
  runId: number,
  services: AskedServices,
  cached: (call: AskedCall) => object | undefined,
) {
  const lookups = services.list.map(() => ({ companies: 0, fallbacks: 0 }));
  const fallbacks = { uncached: 0, cached: 0, lookups };
  const waiting = new IdSet();
  const seen = new Set<number>();
  for (const rows of outcomes.allWaiting(runId)) {
    for (const row of rows) {
      const ofService = lookups[services.ofCall(row).index];
      const isOpen = row.hasMissed === 0 && waiting.add(row.callId);
      if (isOpen && ofService) ofService.companies += 1;
    }
    const later = rows.flatMap((row) =>
      laterCandidates({ ...row, serviceIndex: services.ofCall(row).index }, services.takes),
    );
    for (const { call, serviceIndex } of later) {
      const asked = services.keyed(call, serviceIndex);
      const { key } = asked;
      const digest = key.readUIntBE(0, 6);
      if (seen.has(digest)) continue;
      seen.add(digest);
      const callId = calls.find(key);
      if (callId !== undefined && calls.countNew(runId, [callId]) === 0) continue;
      const isFree = cached(asked) !== undefined;
      fallbacks[isFree ? 'cached' : 'uncached'] += 1;
      const ofService = lookups[serviceIndex];
      if (ofService && !isFree) ofService.fallbacks += 1;
    }
  }
  return fallbacks;
}

const noPages = { pages: 0, leastPages: 0, leastPagesPerFound: 0 };

function countPages(
  people: PeopleTerms,
  open: readonly OpenSearches[],
  companiesToFind: number,
): typeof noPages {
  const { pageSize, maxPerCompany } = people;
  const searches = people.searches.length;
  const begun = open.map(({ companies, received, ...filters }) => ({
    companies,
    searches: searches - searchIndex(people, filters),
    pageSize,
    people: Math.max(1, maxPerCompany - received),
  }));
  const toFind = { companies: companiesToFind, searches, pageSize, people: maxPerCompany };
  const sum = (all: readonly (typeof toFind)[], pagesOf: (ahead: SearchesAhead) => number) =>
    all.reduce((pages, ahead) => pages + ahead.companies * pagesOf(ahead), 0);
  return {
    pages: sum([...begun, toFind], mostFullPages),
    leastPages: sum(begun, leastPages),
    leastPagesPerFound: companiesToFind > 0 ? leastPages(toFind) : 0,
  };
}

/** Companies whose people are not all searched. */
interface Begun {
  readonly companies: number;
  /** The sum of what is left of each, 0 to 1. */
  readonly share: number;
}

function searchesBegun(people: PeopleTerms, open: readonly OpenSearches[]): Begun {
  const { length } = people.searches;
  return {
    companies: open.reduce((sum, one) => sum + one.companies, 0),
    share: open.reduce(
      (sum, { companies, ...search }) =>
        sum + (companies * (length - searchIndex(people, search))) / length,
      0,
    ),
  };
}

function expectCalls(
  { pages }: Pick<CallsAhead, 'pages'>,
  begun: Begun,
  companiesToFind: number,
  { hitRate, pagesPerCompany, filledPages }: Omit<JobHistory, 'hitRates'>,
  lookups: number | undefined,
): Pick<CallsAhead, 'expected' | 'hitRate' | 'filledPages'> {
  const found = lookups && hitRate ? Math.min(companiesToFind, lookups * hitRate) : 0;
  const seen =
    pagesPerCompany === undefined || (hitRate === undefined && companiesToFind > 0)
      ? undefined
      : Math.max(begun.companies, Math.round((begun.share + found) * pagesPerCompany));
  const expected = {
    companies: lookups,
    pages: pages === 0 ? 0 : seen && Math.min(pages, seen),
  };
  return { expected, hitRate, filledPages };
}
