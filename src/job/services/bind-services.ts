import { dirname, isAbsolute } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DossierError } from '../../core/errors.ts';
import type { Limit } from '../../core/rules/budgets.ts';
import { serviceIdentity } from '../../engine/providers/providers.ts';
import type { Environment } from '../read-address.ts';
import type { ResolvedJob, ResolvedService, ServiceBudget } from '../resolved-job.ts';
import { findServices } from './find-services.ts';
import { loadServices } from './load-services.ts';
import { resolveNamed, slowerRate } from './resolve-services.ts';

/**
 * What a services.yaml says of an address holds for every job on the ledger that asks it, whichever
 * file or job names the service. The strictest limit wins.
 */
export function bindServices<Bound extends ResolvedJob>(
  job: Bound,
  /** The file of each job on the ledger, or its list if it has no file. */
  paths: readonly string[],
  env: Environment,
  cwd: string,
): Bound {
  // A list without a job file also uses the services.yaml of the current folder.
  const own = job.file === undefined ? [cwd] : [];
  const places = [job.file ?? job.list, ...paths].filter(isAbsolute);
  const folders = new Set([...own, ...places.map(dirname)]);
  const files = new Set([...folders].flatMap((folder) => findServices(folder, env) ?? []));
  const described = [...files].flatMap((file) =>
    servicesOf(file, env).map((service) => ({ file, service })),
  );
  const bind = (service: ResolvedService) =>
    described
      .filter((one) => serviceIdentity(one.service) === serviceIdentity(service))
      .reduce((bound, one) => {
        const tighter = bindTo(bound, one.service, job.limits.rate);
        const isOther = one.file !== job.servicesFile;
        const isTighter = isOther && !isDeepStrictEqual(limitsIn(tighter), limitsIn(bound));
        const isPriced = isOther && bound.price !== tighter.price;
        return {
          ...tighter,
          ...(isTighter && { limitedBy: [...(bound.limitedBy ?? []), one.file] }),
          ...(isPriced && { pricedBy: one.file }),
        };
      }, service);
  const [first, ...others] = job.services;
  const services = [bind(first), ...others.map(bind)] as const;
  if (job.budget.spendMicros !== undefined) refuseUnpriced(services, job);
  return { ...job, services, budget: tightestBudget(job.budget, services) };
}

/** The file of another job may be broken, belong to somebody else, or lack its variables here. */
function servicesOf(file: string, env: Environment): ResolvedService[] {
  const unlessRefused = <Found>(find: () => Found[]) => {
    try {
      return find();
    } catch {
      return [];
    }
  };
  return unlessRefused(() => {
    const loaded = loadServices(file, env);
    return Object.keys(loaded.services).flatMap((name) =>
      unlessRefused(() => [resolveNamed(name, loaded)]),
    );
  }).filter(({ isSample }) => !isSample);
}

function limitsIn({ rate, budget = {} }: ResolvedService) {
  return {
    rate,
    budget: Object.entries(budget).flatMap(([period, { requests, micros }]) =>
      (requests ?? micros) === undefined ? [] : [[period, requests, micros]],
    ),
  };
}

function bindTo(service: ResolvedService, described: ResolvedService, rateOfJob: number | 'none') {
  const { price = described.price, budget = {} } = service;
  const rate = described.rate && slowerRate(described.rate, service.rate ?? rateOfJob);
  // Money in another currency is never added up.
  const isPriced = price?.currency === described.price?.currency;
  const limits = Object.entries(described.budget ?? {}).map(([period, { setIn, ...theirs }]) => {
    const { setIn: setInOwn, ...own } = budget[period as Period] ?? {};
    const limit: Limit = {
      requests: lower(own.requests, theirs.requests),
      micros: isPriced ? lower(own.micros, theirs.micros) : own.micros,
    };
    const isOwn = limit.requests === own.requests && limit.micros === own.micros;
    return [period, { ...limit, setIn: isOwn ? setInOwn : setIn }] as const;
  });
  const strictest: ServiceBudget = { ...budget, ...Object.fromEntries(limits) };
  return { ...service, ...(rate && { rate }), price, budget: strictest };
}

function lower(one: number | undefined, other: number | undefined) {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/**
 * With one service, its request limits become those of the job, because a plan shows only those. With
 * several, the queue applies the limits of each.
 */
function tightestBudget<Own extends Readonly<Partial<Record<Period, number | undefined>>>>(
  own: Own,
  services: readonly ResolvedService[],
): Own {
  if (services.length > 1) return own;
  const limits = services.flatMap(({ budget = {} }) =>
    Object.entries(budget).flatMap(([period, { requests }]) =>
      requests === undefined ? [] : [[period, lower(requests, own[period as Period])] as const],
    ),
  );
  return { ...own, ...Object.fromEntries(limits) };
}

type Period = keyof ServiceBudget;

/** For `--max-spend`, after a services.yaml has given the prices that the job lacks. */
function refuseUnpriced(services: readonly ResolvedService[], { people }: ResolvedJob) {
  const areAllPriced = services.every(
    ({ isSample, price }) =>
      isSample ||
      (price?.companyMicros !== undefined && (!people || price.peopleMicros !== undefined)),
  );
  const currencies = new Set(services.map(({ price }) => price?.currency));
  if (areAllPriced && currencies.size === 1) return;
  throw new DossierError(
    'USAGE',
    areAllPriced
      ? `--max-spend counts one currency, but these services have ${[...currencies].join(' and ')}. Use --max-calls, or give each service in services.yaml a budget, such as perStart: 5 ${[...currencies][0]}`
      : '--max-spend needs the price of a call: set it in services.yaml or as service.price in the job, or use --max-calls',
  );
}
