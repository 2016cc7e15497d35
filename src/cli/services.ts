import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { fillCompany } from '../core/columns/company-cells.ts';
import type { Call } from '../core/contract/call.ts';
import { identifierKinds } from '../core/contract/identifier-kinds.ts';
import { DossierError } from '../core/errors.ts';
import { quarterMs } from '../core/values/calendar.ts';
import {
  countOrNull,
  string,
  stringOrNull,
  strings,
  timeOrNull,
  yesOrNo,
} from '../core/values/fields.ts';
import { counted, formatMinute, formatNumber } from '../core/values/format.ts';
import { formatSpent, microsPerUnit, priceTerms, priceText } from '../core/values/money.ts';
import { defaultMaxBodyBytes } from '../engine/client/wire/send-request.ts';
import { type Ledger, openLedgerToRead } from '../engine/ledger/open-ledger.ts';
import { createAdapter } from '../engine/providers/adapter/adapter.ts';
import { providerOf } from '../engine/providers/providers.ts';
import { describeKey, hasKey, readKey } from '../job/read-address.ts';
import type { JobService, ResolvedService } from '../job/resolved-job.ts';
import { findServices, noServices } from '../job/services/find-services.ts';
import { fieldsWithout, loadAdapter } from '../job/services/load-adapter.ts';
import { loadServices } from '../job/services/load-services.ts';
import { resolveNamed } from '../job/services/resolve-services.ts';
import { fromHere } from '../platform/files/local-path.ts';
import { outsideFailure } from '../platform/outside-failures.ts';
import { budgetForCheck } from '../run/calls/budget-for-check.ts';
import { spentInPeriods, type UsedAmount } from '../run/estimate-run.ts';
import { bound, readPastJob } from '../run/jobs/read-job.ts';
import { isoOrNull } from '../run/run-facts.ts';
import { probe } from './check.ts';
import { command } from './parts/command.ts';
import { accountsOf } from './parts/connect.ts';
import { argument, or, path, text, usage, wholeNumber } from './parts/options.ts';
import { limitTexts } from './terminal/text.ts';

const options = {
  job: text('Job file (.yaml) whose folder, ledger and time zone count (default: this folder)'),
  ledger: text('The ledger in which calls are counted'),
};

const ServiceJson = z.strictObject({
  service: string('Name of the service.'),
  host: stringOrNull('Host that is asked; null for the sample data.'),
  adapter: stringOrNull('Name of the adapter; null if the service needs none.'),
  key: string('Where the key comes from.'),
  hasKey: yesOrNo('Whether the key is there, or not needed.'),
  price: stringOrNull('What a call costs, and whether a miss is charged.'),
  today: countOrNull(
    'Requests today that budgets count: those that were or may have been charged.',
  ),
  paidToday: stringOrNull('What they cost, and what they possibly cost on top.'),
  thisMonth: countOrNull('Requests this month that budgets count.'),
  paidThisMonth: stringOrNull('What they cost, and what they possibly cost on top.'),
  budget: strings('Limits of the service, for all jobs on the ledger, and what is left of each.'),
  lastAnswer: timeOrNull('The quarter of an hour in which it answered last.'),
  rate: string('Requests per second.'),
  problem: stringOrNull('Why the service cannot be used, or null.'),
});

export const ServicesJson = z.strictObject({
  file: string('The file that describes the services.'),
  ledger: string('The ledger in which calls are counted.'),
  services: z.array(ServiceJson).describe('Services, in the order of the file.'),
});

export const services = command({
  options,
  examples: { '$0 services': 'show the services that jobs in this folder may name' },
  async facts(given): Promise<z.output<typeof ServicesJson>> {
    const { loaded, job, open } = find(given);
    using ledger = openLedgerToRead(job.ledger);
    const listed = Object.keys(loaded.services).map((name) => {
      try {
        return describe(open(name), job, ledger);
      } catch (error) {
        if (!(error instanceof DossierError)) throw error;
        return { service: name, ...unknown, problem: error.message };
      }
    });
    return { file: loaded.path, ledger: job.ledger, services: listed };
  },
  text: ({ file, services: listed }, page) => [
    `${counted(listed.length, 'service')} in ${fromHere(file)}`,
    ...page.table(
      listed.map(({ hasKey: isThere, paidToday, paidThisMonth, ...one }) => ({
        ...one,
        key: keyText(one.key, isThere),
        today: paidText(one.today, paidToday),
        thisMonth: paidText(one.thisMonth, paidThisMonth),
        budget: one.budget.join('; '),
        lastAnswer: one.lastAnswer && quarterText(one.lastAnswer),
      })),
    ),
    ...(listed.some(({ thisMonth }) => thisMonth)
      ? page.wrap('Today and this month: calls that were or may have been charged.')
      : []),
  ],
});

export const ServiceCheckJson = z.strictObject({
  service: string('Name of the service.'),
  host: string('Host that was asked.'),
  request: string('The one request that was sent.'),
  finding: string('What the answer says about address and key.'),
  cost: string('What the call cost.'),
});

export const check = command({
  options: { name: argument('Name of the service in services.yaml'), ...options },
  examples: { '$0 services check main': 'make one call, and say what it cost' },
  async facts({ name, ...given }): Promise<z.output<typeof ServiceCheckJson>> {
    const { job, open } = find(given);
    const service = open(name);
    const { host } = new URL(service.isSample ? 'http://sample-data' : service.url);
    if (service.isSample) {
      const nothing = { request: 'none', finding: 'the sample data needs no connection' };
      return { service: name, host, ...nothing, cost: 'free' };
    }
    const key = readKey(service.key, process.env)?.reveal() ?? '';
    const budget = budgetForCheck(job, service, accountsOf(service));
    const { finding, asked, isCharged } = await probe(service, job, key, budget);
    const cost = isCharged ? priceText(service.price) : 'nothing: the call was free';
    return { service: name, host, request: asked, finding, cost };
  },
  text: ({ service, host, request, finding, cost }, page) =>
    page.fields([
      ['service', `${service} at ${host}`],
      ['request', request],
      ['answer', finding],
      ['cost', cost],
    ]),
});

const kindOptions = Object.fromEntries(
  identifierKinds.map((kind) => [kind, text(`The ${kind} that is looked up`)]),
);

export const TryJson = z.strictObject({
  request: string('The request that a run would send, without the key.'),
  headers: strings('Names of its headers.'),
  body: stringOrNull('Its body.'),
  answer: stringOrNull('What the saved answer means: hit, miss, unreadable, …'),
  problem: stringOrNull('Why it means that, if it is no hit or miss.'),
  company: z.unknown().describe('The company in our fields.'),
  extra: z.unknown().describe('What becomes `company_extra`.'),
  unfilled: strings('Our fields that this adapter never fills.'),
});

const tryAdapter = command({
  options: {
    adapter: argument('File of the adapter'),
    ...kindOptions,
    from: path('File with an answer that the service gave; no call is made'),
    status: or(200, wholeNumber('HTTP status of that answer', [100, 599])),
  },
  examples: {
    '$0 services try jobs/adapters/enrich-by-domain.yaml --fqdn acme.com.au': 'show the request',
    '$0 services try second.yaml --fqdn acme.com.au --from answer.json':
      'show what becomes of a saved answer',
  },
  async facts({ adapter: file, from, status, ...given }): Promise<z.output<typeof TryJson>> {
    const definition = loadAdapter(file);
    const adapter = createAdapter(definition);
    const identifier = identifierIn(given);
    if (!adapter.takes(identifier.kind)) {
      throw usage(
        `${file} takes no ${identifier.kind}; it takes ${Object.keys(definition.company).join(', ')}`,
      );
    }
    const call: Call = { operation: 'company', identifier, country: 'AU' };
    const access = { baseUrl: new URL(definition.url), key: '(key)', headers: {} };
    const {
      method,
      origin,
      path: asked,
      headers,
      body,
    } = adapter.requests(access).requestFor(call);
    const facts = {
      request: `${method} ${origin}${asked.replace('%28key%29', '(key)')}`,
      headers: Object.keys(headers),
      body: body ?? null,
      unfilled: fieldsWithout(definition),
    };
    if (from === undefined) return { ...facts, ...noAnswer };
    const answer = { status, headers: {}, body: readAnswer(from) };
    const verdict = adapter.judge(call, answer, true);
    const problem =
      'reason' in verdict ? verdict.reason : 'message' in verdict ? verdict.message : null;
    if (verdict.kind !== 'hit') return { ...facts, ...noAnswer, answer: verdict.kind, problem };
    const { readAnswerJson } = await import('../core/values/parse-json.ts');
    const company = adapter.record(readAnswerJson(answer.body));
    const extra = fillCompany(company, [], 0) ?? null;
    return { ...facts, answer: verdict.kind, problem, company, extra };
  },
  text: ({ request, headers, body, answer, problem, company, extra, unfilled }, page) => [
    ...page.fields([
      ['request', request],
      ['headers', headers.join(', ')],
      ...(body === null ? [] : [['body', body] as const]),
      ...(answer === null ? [] : [['means', problem ? `${answer}: ${problem}` : answer] as const]),
    ]),
    ...(company === null ? [] : ['', ...ownFields(company, extra).map(lineOf)]),
    ...(extra === null ? [] : ['', ...page.wrap(`company_extra: ${JSON.stringify(extra)}`)]),
    ...(company === null ? [] : ['', ...page.wrap(`Never filled: ${unfilled.join(', ')}`)]),
  ],
});

export { tryAdapter as try };

const noAnswer = { answer: null, problem: null, company: null, extra: null };

/** What no field takes is shown below them. */
function ownFields(company: unknown, extra: unknown) {
  const others = Object.keys(extra ?? {});
  return Object.entries(company as object).filter(([field]) => !others.includes(field));
}

function lineOf([field, value]: [string, unknown]) {
  return `  ${field}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

function identifierIn(given: Readonly<Record<string, unknown>>) {
  const named = identifierKinds.filter((kind) => given[kind] !== undefined);
  const [kind] = named;
  if (!kind || named.length > 1) {
    throw usage(
      `name one identifier, such as --fqdn acme.com.au; kinds are ${identifierKinds.join(', ')}`,
    );
  }
  return { kind, value: String(given[kind]) };
}

function readAnswer(file: string) {
  try {
    const { size } = statSync(file);
    if (size <= defaultMaxBodyBytes) return readFileSync(file);
    throw new DossierError(
      'INPUT_INVALID',
      `${file} has ${formatNumber(size)} bytes; a run reads at most ${formatNumber(defaultMaxBodyBytes)} of an answer`,
    );
  } catch (error) {
    throw error instanceof DossierError ? error : outsideFailure('file', file, error);
  }
}

/** The file that jobs here would use. Services are opened by name, because some may have problems. */
function find({ job: named, ledger }: { job: string | undefined; ledger: string | undefined }) {
  const folder = named === undefined ? process.cwd() : dirname(resolve(named));
  const file = findServices(folder, process.env);
  if (file === undefined) throw noServices(folder, process.env);
  const loaded = loadServices(file, process.env);
  const job = readPastJob(named, { ledger });
  const notRead = { rate: undefined, reuse: () => job.reuse, share: () => undefined };
  const open = (name: string) => {
    const service = resolveNamed(name, loaded, notRead);
    return bound({ ...job, services: [service] }).services[0];
  };
  return { loaded, job, open };
}

const unknown = {
  host: null,
  adapter: null,
  key: '',
  hasKey: false,
  price: null,
  today: null,
  paidToday: null,
  thisMonth: null,
  paidThisMonth: null,
  budget: [],
  lastAnswer: null,
  rate: '',
};

function describe(
  service: ResolvedService,
  { budget: ofJob }: JobService,
  ledger: Ledger | undefined,
) {
  const { name, isSample, url, adapter, key, price, rate } = service;
  const accounts = accountsOf(service);
  const one = { budget: ofJob, services: [service] } as const;
  const spent = ledger && accounts && spentInPeriods(ledger, one, [accounts], Date.now());
  const { day, month } = spent?.services[0] ?? {};
  const lastAt = ledger && accounts ? ledger.spend.lastAnswerAt(accounts) : null;
  const paid = (used: UsedAmount | undefined) =>
    used && price ? usedMoney(price.currency, used) : null;
  return {
    service: name,
    host: isSample ? null : new URL(url).host,
    adapter: adapter?.name ?? null,
    key: describeKey(key),
    hasKey: hasKey(key, process.env),
    price: termsText(service),
    today: day?.requests ?? null,
    paidToday: paid(day),
    thisMonth: month?.requests ?? null,
    paidThisMonth: paid(month),
    budget: limitTexts(service, spent?.services[0]),
    lastAnswer: isoOrNull(lastAt),
    rate: String(rate ?? 'of the job'),
    problem: null,
  };
}

function termsText({ price, pricedBy, ...service }: ResolvedService) {
  if (price?.companyMicros === undefined) return null;
  const terms = priceTerms(price, providerOf(service).people !== undefined);
  return pricedBy === undefined ? terms : `${terms} (set in ${fromHere(pricedBy)})`;
}

function keyText(key: string, isThere: boolean) {
  return isThere || key === '' ? key : `${key}, but not there`;
}

function usedMoney(currency: string, { micros, charged }: UsedAmount) {
  const amounts = (sum: number) => [{ currency, amount: sum / microsPerUnit }];
  const possibleMoney = micros > charged ? amounts(micros - charged) : [];
  return formatSpent({ money: amounts(charged), possibleMoney, unpriced: 0 });
}

/** `between 2026-11-19 17:45 and 18:00 UTC` */
function quarterText(start: string) {
  const [from, until] = [0, quarterMs].map((ms) => formatMinute(Date.parse(start) + ms));
  return `between ${from?.replace(' UTC', '')} and ${until?.slice(11)}`;
}

function paidText(requests: number | null, paid: string | null) {
  return requests && paid ? `${formatNumber(requests)}, ${paid}` : requests;
}
