import type { NameTable } from '../../contract/reference.ts';
import { DossierError } from '../../errors.ts';
import { isReject } from '../../identify/identifier.ts';
import { identifyCell } from '../../identify/identify-cell.ts';
import { parseCountry } from '../../identify/parse-country.ts';
import { rejectCatalog } from '../../identify/rejects.ts';
import { listSearches } from '../../job/list-searches.ts';
import { listNames, referenceId } from '../../job/reference-names.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { refuseOtherLedger } from '../../overview/jobs/kept-ledger.ts';
import { openJob } from '../../overview/jobs/open-job.ts';
import type { LookUpQuestion } from '../../run/run-job.ts';
import type { LookupArguments } from '../lookup.ts';

/** One page of people, so that by default each search of a lookup costs at most one call. */
const defaultMaxPeople = 50;
const defaultPageSize = 50;

type Given = Pick<
  LookupArguments,
  'identifier' | 'as' | 'country' | 'people' | 'seniority' | 'department' | 'position' | 'job'
> & { maxPeople?: number | undefined };

/** Resolves a lookup into a job and a question. Any mistake throws here, before the first call. */
export function planLookup(args: Given & Omit<Parameters<typeof openJob>[1], 'as'>): {
  job: ResolvedJob;
  question: LookUpQuestion;
} {
  refuseUnusedFilters(args);
  const { ledger, url, keyFile, share, rate, maxCalls } = args;
  const found = identifyCell(args.identifier, args.as);
  if (isReject(found)) {
    const { fix } = rejectCatalog[found.reject];
    throw new DossierError(
      'IDENTIFIER_REJECTED',
      `${JSON.stringify(args.identifier)} is no identifier (${found.reject}): ${found.message} ${fix}`,
    );
  }
  const country = readCountry(args.country);
  // Without a job file, a job named `lookup` has all the defaults.
  const job = openJob(args.job ?? 'lookup', { ledger, url, keyFile, share, rate, maxCalls });
  refuseOtherLedger(job);
  return {
    job: {
      ...job,
      input: { path: '-', options: {}, maxRows: undefined },
      list: '-',
      people: args.people ? peopleOf(args, job) : undefined,
    },
    question: {
      text: args.identifier,
      candidates: [found, ...(found.alternates ?? [])].map(({ kind, value }) => [kind, value]),
      country: country ?? job.country.default,
    },
  };
}

/** Filters without --people are an error: searching anyway would make calls that were not asked for. */
function refuseUnusedFilters({ people, seniority, department, position, maxPeople }: Given): void {
  const isFiltered = [seniority, department, position, maxPeople].some(
    (given) => given !== undefined,
  );
  if (people || !isFiltered) return;
  throw new DossierError(
    'USAGE',
    '--seniority, --department, --position and --max-people say which people; add --people to search them',
  );
}

function readCountry(given: string | undefined) {
  const country = given === undefined ? undefined : parseCountry(given);
  if (typeof country !== 'object') return country;
  throw new DossierError('USAGE', `--country ${given}: ${country.message}`);
}

/** The searches of the job, unless the command line names its own. */
function peopleOf(args: Given, job: ResolvedJob): NonNullable<ResolvedJob['people']> {
  const { seniority, department, position } = args;
  checkNames('seniority', seniority, job.reference.seniority);
  checkNames('department', department, job.reference.department);
  const hasOwn = [seniority, department, position].some((filter) => filter !== undefined);
  const pageSize = job.people?.pageSize ?? defaultPageSize;
  const maxPerCompany = args.maxPeople ?? job.people?.maxPerCompany ?? defaultMaxPeople;
  const own = { seniority, department, position, pageSize, maxPerCompany };
  return {
    searches: job.people && !hasOwn ? job.people.searches : listSearches(own, job.reference),
    pageSize,
    maxPerCompany,
  };
}

function checkNames(option: string, given: readonly string[] = [], known: NameTable): void {
  const unknown = given.find((name) => referenceId(name, known) === undefined);
  if (unknown === undefined) return;
  throw new DossierError(
    'USAGE',
    `--${option} ${JSON.stringify(unknown)}: expected a name or id out of ${listNames(known)}`,
  );
}
