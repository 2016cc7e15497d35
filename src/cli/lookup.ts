import { z } from 'zod';
import { identifierKinds } from '../contract/identifier-kinds.ts';
import { nameNetwork } from '../contract/network-name.ts';
import type { NameTable, ReferenceNames } from '../contract/reference.ts';
import { DossierError } from '../errors.ts';
import { isReject, readings } from '../identify/identifier.ts';
import { identifyCell } from '../identify/identify-cell.ts';
import { parseCountry } from '../identify/parse-country.ts';
import { rejectCatalog } from '../identify/rejects.ts';
import { listNames, listSearches, referenceId } from '../job/reference-names.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import type { PeopleRecord } from '../ledger/run-records.ts';
import { refuseOtherLedger } from '../overview/jobs/kept-ledger.ts';
import { openJob } from '../overview/jobs/open-job.ts';
import { mergePeople } from '../records/merge-people.ts';
import { peopleColumns } from '../records/table-columns.ts';
import { type LookUpQuestion, lookUp } from '../run/run-job.ts';
import { systemClock } from '../runtime/clock.ts';
import { openLog } from '../runtime/log/log.ts';
import { command } from './command.ts';
import { accountFor, prepareConnection } from './connect.ts';
import { guardCalls, withKeptLedger } from './kept-ledger.ts';
import {
  argument,
  choice,
  flag,
  jobFlags,
  text,
  texts,
  usage,
  type Values,
  wholeNumber,
} from './options.ts';
import { cutOffText } from './run/cut-off.ts';
import { listenForSignals } from './run/interruption.ts';
import { joinObservers } from './run/join-observers.ts';
import { showRun } from './run/run-progress.ts';
import type { Page } from './terminal/page.ts';
import {
  counted,
  formatNumber,
  minuteOf,
  sampleDataText,
  shortened,
  unsharedText,
} from './terminal/text.ts';

const options = {
  identifier: argument('Domain, website, e-mail address, ABN, ACN or network URL'),
  as: choice('What to read it as', readings, 'auto'),
  country: text('Country to ask about (default: AU, or as the job says)'),
  people: flag('Search its people, too'),
  seniority: texts('Id or name, such as C-Suite; may be repeated'),
  department: texts('Id or name, such as Sales; may be repeated'),
  position: texts('Words of the position; may be repeated'),
  maxPeople: wholeNumber('People to fetch at most (default: 50, or as the job says)', [1, 100_000]),
  job: text('Take service, ledger, limits and reuse from this job file'),
  ...jobFlags('ledger', 'url', 'keyFile', 'share', 'rate', 'maxCalls'),
};

export const lookup = command({
  options,
  examples: {
    '$0 lookup larchhaven-apps-sample.com --url embedded': 'one of the sample data',
    '$0 lookup 57961803396 --people --seniority C-Suite --url embedded': 'by its ABN',
    '$0 lookup larchhaven-apps-sample.com --job jobs/demo.yaml --json': 'as the job does',
  },
  epilogue:
    'Exit code 0: found. 3: asked, but there is no such company, or a people search failed.\n65: not an identifier; nothing was asked.',
  async facts(args, terminal) {
    const { note, progress } = terminal;
    const { job, question } = planLookup(args);
    for (const line of [...sampleDataText(job.service.url), ...unsharedText(job.service)]) {
      note(line);
    }
    const log = openLog({ format: 'text', level: 'warn' });
    const { signal, onStop } = listenForSignals((calls) =>
      note(cutOffText(calls, process.stderr).trimEnd()),
    );
    const observer = joinObservers(showRun(progress, log, { say: note }), { onStop });
    const answer = await withKeptLedger(
      job,
      'lookup',
      terminal,
      (kept) =>
        lookUp(job, question, {
          // The key is read with the first call, because a lookup that is a cache hit needs none.
          account: accountFor(job),
          openClient: async (facts) => {
            const connect = prepareConnection(job, { log, onEvent: observer.onEvent });
            return guardCalls(kept, await connect(facts));
          },
          clock: systemClock,
          signal: kept?.signal ?? signal,
          observer,
        }),
      signal,
    );
    return lookupJson(answer, job.reference);
  },
  /** The company as a card and its people as a table, both fitted to the terminal. */
  text(found, page) {
    const origin = page.wrap(originOf(found), '  ', 'dim');
    if (found.status !== 'matched') {
      const { kind, value } = found.identifier;
      const title = `no company for ${kind} ${value} in ${found.country}`;
      return [
        page.bold(shortened(title, page.width)),
        ...page.wrap(textOf(found.message), '  '),
        '',
        ...origin,
      ];
    }
    const company = found.company as Record<string, unknown>;
    const description = shortened(textOf(company.description), 4 * page.width);
    return [
      page.bold(shortened(textOf(company.name) || textOf(company.id), page.width)),
      ...(company.tagline ? [`  ${shortened(textOf(company.tagline), page.width - 2)}`] : []),
      '',
      ...page.table(companyFacts(company), { indent: '  ' }),
      ...(description ? ['', ...page.wrap(description, '  ')] : []),
      '',
      ...origin,
      ...peopleTable(found, page),
    ];
  },
  /** The command worked, but the company was not found or a people search failed. */
  exitCode: ({ status, failedSearches }) => (status === 'matched' && failedSearches === 0 ? 0 : 3),
});

/** One page of people, so that by default each search of a lookup costs at most one call. */
const defaultMaxPeople = 50;
const defaultPageSize = 50;

type Given = Values<typeof options>;

/** Resolves a lookup into a job and a question. Any mistake throws here, before the first call. */
export function planLookup(args: Given): { job: ResolvedJob; question: LookUpQuestion } {
  refuseUnusedFilters(args);
  const { ledger, url, keyFile, share, rate, maxCalls } = args;
  const found = identifyCell(args.identifier, args.as);
  if (isReject(found)) {
    const { fix } = rejectCatalog[found.reject];
    throw new DossierError(
      'INPUT_INVALID',
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
  throw usage(
    '--seniority, --department, --position and --max-people say which people; add --people to search them',
  );
}

function readCountry(given: string | undefined) {
  const country = given === undefined ? undefined : parseCountry(given);
  if (typeof country !== 'object') return country;
  throw usage(`--country ${given}: ${country.message}`);
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
  throw usage(
    `--${option} ${JSON.stringify(unknown)}: expected a name or id out of ${listNames(known)}`,
  );
}

/** What `lookup --json` prints. */
export const LookupJson = z
  .strictObject({
    status: z
      .enum(['matched', 'not_found', 'invalid', 'failed'])
      .describe('How it ended; `invalid` is an identifier that the service refused.'),
    reason: z.string().nullable().describe('Code of the reason where there is no company.'),
    message: z.string().nullable().describe('The reason in a sentence.'),
    identifier: z
      .strictObject({
        kind: z.enum(identifierKinds).describe('What it was read as.'),
        value: z.string().describe('The value that was asked for, cleaned.'),
      })
      .describe('What was asked for last: a second guess follows when the first finds nothing.'),
    country: z.string().describe('Country that was asked about.'),
    match: z
      .enum(['exact', 'alias', 'joined', 'mismatch', 'unverified'])
      .nullable()
      .describe('Whether the answer carries the identifier that was asked for.'),
    source: z
      .enum(['called', 'reused', 'joined'])
      .describe(
        'How the answer came: by a call now, from the ledger, or from the ledger where it was stored under another identifier.',
      ),
    fetchedAt: z.iso.datetime().describe('When the service gave the answer.'),
    company: z
      .unknown()
      .describe('The company as the service answered it, `linkedin` named `network`; or null.'),
    people: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .describe(
        'With --people: the records of people.jsonl, without `row_numbers` and `row_keys`.',
      ),
    peopleComplete: z
      .boolean()
      .optional()
      .describe('With --people: whether all of them were received; false where there may be more.'),
    failedSearches: z.int().nonnegative().describe('People searches that got no answer.'),
  })
  .meta({ id: 'LookupJson' });

type LookupJson = z.output<typeof LookupJson>;

function lookupJson(
  { row, people, counts, startedAt, endedAt }: Awaited<ReturnType<typeof lookUp>>,
  names: ReferenceNames,
): LookupJson {
  const { status, askedBy, match } = row;
  // A call that failed has fetched nothing.
  const fetchedAt = row.fetchedAt ?? new Date(endedAt).toISOString();
  if (status === 'open' || !askedBy) throw new Error('the lookup has no answer');
  const isCalled = counts.calls.called > 0 && Date.parse(fetchedAt) >= startedAt;
  const source = isCalled ? 'called' : 'reused';
  return {
    status,
    reason: row.reason,
    message: row.message,
    identifier: { kind: askedBy, value: row.identifier ?? '' },
    country: row.country ?? '',
    match,
    source: match === 'joined' ? match : source,
    fetchedAt,
    company: row.company === undefined ? null : nameNetwork(row.company),
    ...(people && {
      people: recordsOf(people, names),
      peopleComplete: row.peopleComplete === true,
    }),
    failedSearches: counts.failedSearches,
  };
}

/** A lookup has no list. */
const ofRows = new Set(['row_numbers', 'row_keys']);

function recordsOf(company: PeopleRecord, names: ReferenceNames): Record<string, unknown>[] {
  return mergePeople(company, names).map((cells) =>
    Object.fromEntries(
      peopleColumns.flatMap(({ name }, index) => (ofRows.has(name) ? [] : [[name, cells[index]]])),
    ),
  );
}

type Json = Record<string, unknown>;

/** The fields that the card shows, in order. An answer may hold any JSON, so no type is assumed. */
const facts: readonly (readonly [label: string, read: (company: Json) => string])[] = [
  ['website', ({ website, fqdn }) => textOf(website) || textOf(fqdn)],
  ['network', ({ network }) => textOf(network)],
  ['ABN', ({ industry_codes }) => textOf(asObject(industry_codes).abn)],
  ['ACN', ({ industry_codes }) => textOf(asObject(industry_codes).acn)],
  ['register', ({ abn_operation_status }) => textOf(abn_operation_status)],
  ['type', ({ company_type }) => textOf(company_type)],
  ['industries', ({ industries }) => textOf(industries)],
  ['employees', ({ employee_count, company_size }) => sizeOf(employee_count, company_size)],
  ['revenue', ({ revenue }) => textOf(revenue)],
  ['founded', ({ year_founded }) => textOf(year_founded)],
  ['headquarters', ({ hq_location, hq_country }) => textOf([hq_location, hq_country], ', ')],
  ['phones', ({ phones }) => textOf(phones)],
  ['e-mails', ({ emails }) => textOf(emails)],
  ['id', ({ id }) => textOf(id)],
];

/** The main fields of a company for people, without those that are empty. */
function companyFacts(company: Json): [label: string, value: string][] {
  return facts.flatMap(([label, read]): [string, string][] => {
    const value = read(company);
    return value === '' ? [] : [[label, shortened(value, 400)]];
  });
}

/** Any JSON value as text; the parts of a list are joined. */
function textOf(value: unknown, separator = '; '): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) {
    return value
      .map((part) => textOf(part))
      .filter(Boolean)
      .join(separator);
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function sizeOf(employees: unknown, band: unknown): string {
  const exact = typeof employees === 'number' ? formatNumber(employees) : textOf(employees);
  const size = textOf(band);
  if (exact === '') return size;
  return size === '' ? exact : `${exact} (${size})`;
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

const sources = {
  called: 'asked the service just now',
  reused: 'from the ledger, no call was made',
  joined: 'from the ledger, where it was stored under another identifier; no call was made',
} as const;

const matches = {
  exact: 'exact match',
  alias: 'known under this identifier, too',
  joined: 'carries this identifier',
  mismatch: 'MISMATCH: the company does not carry this identifier',
  unverified: 'unverified: the answer does not tell its identifier',
} as const;

function originOf({ match, identifier, country, source, fetchedAt }: LookupJson): string {
  const asked = `${identifier.kind} ${identifier.value} in ${country}`;
  const verdict = match === null ? '' : `: ${matches[match]}`;
  return `${asked}${verdict}. Answer of ${minuteOf(Date.parse(fetchedAt))}, ${sources[source]}.`;
}

const channels = {
  has_email: 'e-mail',
  has_personal_email: 'private',
  has_phone: 'phone',
  has_dnd_phone: 'dnd phone',
  has_mobile: 'mobile',
};

function peopleTable({ people, peopleComplete, failedSearches }: LookupJson, page: Page): string[] {
  if (!people) return [];
  const rows = people.map((person) => [
    shortened(textOf(person.position), page.width),
    shortened(textOf(person.network), page.width),
    Object.entries(channels)
      .flatMap(([key, name]) => (person[key] === true ? [name] : []))
      .join(', '),
  ]);
  const failed = counted(failedSearches, 'people search', 'people searches');
  return [
    '',
    page.bold(counted(people.length, 'person', 'people')),
    ...(rows.length === 0
      ? []
      : page.table([['position', 'network', 'reached by'], ...rows], {
          indent: '  ',
          hasTitle: true,
        })),
    ...(failedSearches > 0 ? [`  ${failed} got no answer; look again to retry`] : []),
    ...(failedSearches === 0 && peopleComplete === false
      ? ['  There may be more than these.']
      : []),
  ];
}
