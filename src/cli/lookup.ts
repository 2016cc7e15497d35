import { z } from 'zod';
import type { PeopleRecord } from '../core/columns/run-records.ts';
import { peopleColumns } from '../core/columns/table-columns.ts';
import { mergePeople } from '../core/columns/tables.ts';
import {
  identifierKinds,
  kindName,
  kindWords,
  listKinds,
  registerKinds,
} from '../core/contract/identifier-kinds.ts';
import type { ReferenceNames } from '../core/contract/reference.ts';
import { DossierError } from '../core/errors.ts';
import { isReject, readings, rejectCatalog } from '../core/identify/identifier.ts';
import { identifyCell } from '../core/identify/identify-cell.ts';
import { parseCountry } from '../core/identify/parse-country.ts';
import { suggestValue } from '../core/identify/suggest-value.ts';
import { count, string, stringOrNull, timeOrNull } from '../core/values/fields.ts';
import { capitalised, formatMinute } from '../core/values/format.ts';
import { formatSpent, totalSpend } from '../core/values/money.ts';
import { providerOf } from '../engine/providers/providers.ts';
import { listSearches } from '../job/job-schema.ts';
import type { ResolvedJob } from '../job/resolved-job.ts';
import { systemClock } from '../platform/clock.ts';
import { createStartBudget } from '../run/calls/start-budget.ts';
import { readJob, refuseOtherLedger } from '../run/jobs/read-job.ts';
import { type LookUpQuestion, lookUp } from '../run/look-up.ts';
import { command } from './parts/command.ts';
import { accountsFor, prepareConnection } from './parts/connect.ts';
import { guardCalls, withLeasedLedger } from './parts/lease-ledger.ts';
import {
  argument,
  choice,
  flag,
  jobFlags,
  or,
  text,
  usage,
  type Values,
  yes,
} from './parts/options.ts';
import { listenForSignals } from './run/interruption.ts';
import { joinObservers, openRunMessages } from './run/run-messages.ts';
import { confirmPrice, estimateLines } from './run/show-price.ts';
import { sampleDataText, shortened } from './terminal/text.ts';

const options = {
  identifier: argument(
    `${capitalised(listKinds('or', '', 'company id'))}; also a website, e-mail address or ACN`,
  ),
  as: or('auto', choice('Kind of identifier', readings)),
  country: text('Country of the company (default: from the job, or AU)'),
  people: flag('Also search for its people, as the job does; without a job, the first 50'),
  job: text('Take the service, ledger, limits and reuse settings from this job file'),
  ...jobFlags('suppress', 'ledger', 'url', 'keyFile', 'share', 'rate', 'maxCalls', 'maxSpend'),
  yes,
};

export const lookup = command({
  options,
  examples: {
    '$0 lookup larchhaven-apps-sample.com --url embedded': 'look up a sample company',
    '$0 lookup 57961803396 --people --url embedded': 'look up by ABN, with people',
    '$0 lookup larchhaven-apps-sample.com --job jobs/demo.yaml --json': "use a job's settings",
  },
  epilogue:
    'Exit code 0: found. 3: not found, suppressed, or a people search failed.\n65: not an identifier; nothing was looked up.',
  async facts(args, terminal) {
    const { job, question } = planLookup(args);
    terminal.note(...sampleDataText(job.services[0]));
    const given = { job: job.name, logFormat: 'text', logLevel: 'warn' } as const;
    const { log, show, sayCutOff } = openRunMessages(given, terminal);
    const { signal, onStop } = listenForSignals(sayCutOff);
    const budget = createStartBudget(job);
    const observer = joinObservers(show(), { onStop });
    const answer = await withLeasedLedger(
      job,
      'lookup',
      terminal,
      (leased) =>
        lookUp(job, question, {
          accounts: accountsFor(job),
          // The key is read at the first call, because a cache hit needs none.
          openClient: async (facts, service) => {
            const connect = prepareConnection(job, log, observer.onEvent);
            return guardCalls(leased, await connect(facts, service));
          },
          clock: systemClock,
          signal: leased?.signal ?? signal,
          observer,
          budget,
          async onPriced(estimate) {
            if (job.services.every(({ isSample }) => isSample) || estimate.calls.most === 0) return;
            const isTerminal = process.stderr.isTTY === true;
            terminal.note(...estimateLines(estimate, job, isTerminal));
            if (isTerminal)
              await confirmPrice(estimate, job, budget, signal, args.yes, 'Look it up?');
          },
        }),
      { signal },
    );
    return lookupJson(answer, question.candidates, job);
  },
  text(found, page) {
    const { kind, value } = found.identifier;
    const company = found.company as Json | null;
    const missing = found.status === 'suppressed' ? 'suppressed' : 'no company';
    const title = company
      ? textOf(company.name) || textOf(company.id)
      : `${missing}: ${kindName(kind)} ${value} in ${found.country}`;
    const card = Object.entries(cardFields).map(([label, path]) => [
      label,
      shortened(textOf(path.split('.').reduce(memberOf, company)), 400),
    ]);
    const failed = found.failedSearches > 0 && 'a search failed; run the lookup again';
    return [
      page.bold(shortened(title, page.width)),
      ...page.facts({
        ...Object.fromEntries(card),
        reason: found.message,
        source: originOf(found),
        spent: found.spent,
        people: found.people?.map(personLine),
        morePeople: failed || (found.peopleComplete === false && 'possibly') || null,
      }),
    ];
  },
  exitCode: ({ status, failedSearches }) => (status === 'matched' && failedSearches === 0 ? 0 : 3),
});

/** One page, so each people search of a lookup costs at most one call. */
const onePage = 50;

export function planLookup(args: Values<typeof options>) {
  const { identifier, as, people, yes: _, ...flags } = args;
  const found = identifyCell(identifier, as);
  if (isReject(found)) {
    const meant = suggestValue(identifier, as);
    const fix = meant === undefined ? rejectCatalog[found.reject].fix : `Did you mean ${meant}?`;
    throw new DossierError(
      'INPUT_INVALID',
      `${JSON.stringify(identifier)}: ${found.message} ${fix}`,
    );
  }
  const country = args.country === undefined ? undefined : parseCountry(args.country);
  if (typeof country === 'object') throw usage(`--country ${args.country}: ${country.message}`);
  const job = readJob(args.job ?? 'lookup', flags);
  refuseOtherLedger(job);
  if (people && !job.services.some((service) => providerOf(service).people)) {
    throw usage('--people: this service has no people');
  }
  const everybody = { pageSize: onePage, maxPerCompany: onePage };
  const searches = listSearches(everybody, job.reference);
  return {
    job: {
      ...job,
      input: { ...job.input, path: '-', options: {} },
      list: '-',
      people: people ? (job.people ?? { searches, ...everybody }) : undefined,
    },
    question: {
      text: identifier,
      candidates: [found, ...(found.alternates ?? [])].map(
        ({ kind, value }) => [kind, value] as const,
      ),
      country: country ?? job.country.default,
    },
  };
}

export const LookupJson = z.strictObject({
  status: z
    .enum(['matched', 'not_found', 'invalid', 'failed', 'suppressed'])
    .describe(
      '`matched`: the company was found. `not_found`: the service does not have it. `invalid`: the service refused the identifier. `failed`: the lookup failed. `suppressed`: a `suppress` list has it, so it is left out.',
    ),
  reason: stringOrNull('Reason code if there is no company; otherwise null.'),
  message: stringOrNull('The reason in a sentence.'),
  identifier: z
    .strictObject({
      kind: z.enum(identifierKinds).describe('Kind of identifier.'),
      value: string('Cleaned value of the identifier.'),
    })
    .describe(
      'Last identifier that was looked up. For shop.acme.com this is acme.com, or shop.acme.com if acme.com was not found.',
    ),
  country: string('Country of the lookup.'),
  match: z
    .enum(['exact', 'alias', 'joined', 'mismatch', 'unverified'])
    .nullable()
    .describe(
      'Whether the company has the identifier. `exact`: yes. `alias`: yes, as one of its other identifiers. `joined`: another lookup found the company, and it has the identifier. `mismatch`: no. `unverified`: the answer does not say.',
    ),
  source: z
    .enum(['called', 'reused', 'joined'])
    .nullable()
    .describe(
      '`called`: a new call. `reused`: the answer in the ledger. `joined`: an answer in the ledger that was fetched with another identifier of the company. Null if the company is suppressed.',
    ),
  service: stringOrNull('Which of several services of the job found the company; else null.'),
  spent: stringOrNull(
    'What the calls cost, such as `AUD 0.12`; null without a call, and for sample data.',
  ),
  fetchedAt: timeOrNull('When the service gave the answer; null if the company is suppressed.'),
  company: z
    .unknown()
    .describe(
      'The company as the service returned it, with `linkedin` renamed to `network`; or null.',
    ),
  people: z
    .array(z.record(z.string(), z.unknown()))
    .optional()
    .describe(
      'With --people: records of the people table, without the columns about rows of a list.',
    ),
  peopleComplete: z
    .boolean()
    .optional()
    .describe('With --people: false if there may be more people.'),
  failedSearches: count('People searches that got no answer.'),
});

type LookupJson = z.output<typeof LookupJson>;

function lookupJson(
  { row, people, counts, spend, startedAt, endedAt }: Awaited<ReturnType<typeof lookUp>>,
  [candidate]: LookUpQuestion['candidates'],
  { services, reference }: Pick<ResolvedJob, 'services' | 'reference'>,
): LookupJson {
  const { status, match } = row;
  const isSuppressed = status === 'suppressed';
  const identifierKind = row.identifierKind ?? candidate?.[0];
  // A failed call has no fetch time, so the end of the lookup stands for it.
  const fetchedAt = row.fetchedAt ?? new Date(endedAt).toISOString();
  if (status === 'open' || !identifierKind) throw new Error('the lookup has no answer');
  const isCalled =
    counts.calls.made + counts.calls.failed > 0 && Date.parse(fetchedAt) >= startedAt;
  const source = isCalled ? 'called' : 'reused';
  const charged = spend.filter(({ requests }) => requests > 0);
  return {
    status,
    reason: row.reason,
    message: row.message,
    identifier: { kind: identifierKind, value: row.identifier ?? candidate?.[1] ?? '' },
    country: row.country ?? '',
    match,
    source: isSuppressed ? null : match === 'joined' ? match : source,
    service: (services.length > 1 && row.service) || null,
    spent: services[0].isSample ? null : formatSpent(totalSpend(charged)) || null,
    fetchedAt: isSuppressed ? null : fetchedAt,
    company: row.company ?? null,
    ...(people && {
      people: recordsOf(people, reference),
      peopleComplete: row.peopleComplete === true,
    }),
    failedSearches: counts.failedSearches,
  };
}

function recordsOf(company: PeopleRecord, reference: ReferenceNames) {
  return mergePeople(company, reference).map((cells) =>
    Object.fromEntries(
      peopleColumns
        .map(({ name }, index) => [name, cells[index]])
        .filter(([name]) => !/^(?:row|list)_/.test(String(name))),
    ),
  );
}

type Json = Record<string, unknown>;

const cardFields = {
  tagline: 'tagline',
  website: 'website',
  domain: 'fqdn',
  network: 'network',
  ...Object.fromEntries(
    registerKinds.map((kind) => [kindWords[kind].label, `industry_codes.${kind}`]),
  ),
  ACN: 'industry_codes.acn',
  register: 'abn_operation_status',
  type: 'company_type',
  industries: 'industries',
  employees: 'employee_count',
  size: 'company_size',
  revenue: 'revenue',
  founded: 'year_founded',
  headquarters: 'hq_location',
  country: 'hq_country',
  phones: 'phones',
  'e-mails': 'emails',
  id: 'id',
  about: 'description',
};

function memberOf(value: unknown, key: string): unknown {
  return (value as Json | null)?.[key];
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join('; ');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
}

const sources = {
  called: 'the service',
  reused: 'the ledger',
  joined: 'the ledger, from a lookup of another identifier',
} as const;

const matches = {
  exact: 'exact match',
  alias: 'belongs to the company, but is not its main one',
  joined: 'is an identifier of the company',
  mismatch: 'MISMATCH: the company does not have this identifier',
  unverified: 'unverified: the answer does not say whether the company has this identifier',
} as const;

function originOf({ match, identifier, source, service, fetchedAt, spent }: LookupJson) {
  if (source === null) return null;
  const isFree = source !== 'called' && spent === null;
  const from =
    service === null || source !== 'called'
      ? sources[source] + (isFree ? ' (no call was made)' : '')
      : service;
  const first = service === null || source === 'called' ? '' : `, an answer of ${service}`;
  const when = `${from}${first}, ${formatMinute(fetchedAt ?? '')}`;
  return match === null ? when : `${when}; ${kindName(identifier.kind)}: ${matches[match]}`;
}

const channels = {
  has_email: 'e-mail',
  has_personal_email: 'private',
  has_phone: 'phone',
  has_dnd_phone: 'dnd phone',
  has_mobile: 'mobile',
};

const longestCell = 40;

function personLine(person: Json) {
  const reached = Object.entries(channels).filter(([key]) => person[key] === true);
  return {
    position: shortened(textOf(person.position), longestCell),
    network: shortened(textOf(person.network), longestCell),
    reachedBy: reached.map(([, name]) => name).join(', '),
  };
}
