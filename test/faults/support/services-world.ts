import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { openLedgerToRead } from '../../../src/engine/ledger/open-ledger.ts';
import { domainOf, found, numberAsked } from '../../journeys/sample-companies.ts';
import {
  type HostileServer,
  openHostileServer,
  type Reaction,
} from '../../support/hostile-server.ts';
import { type RunOptions, runDossier, startDossier } from '../../support/run-dossier.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { expectWholeLedger } from './oracle.ts';
import type { Ended } from './world.ts';

/** Three services, each at a host of its own. `second` is described by an adapter, its key is in the address. */
export const hosts = ['ours', 'main', 'second'] as const;
export type Host = (typeof hosts)[number];

/** By the number of a company: who has it. Nobody has the last. */
const holders: readonly (readonly Host[])[] = [
  ['ours'],
  ['main'],
  ['second'],
  ['ours', 'second'],
  [],
];
const holdersOf = (number: number) => holders[number % holders.length] ?? [];

const concurrency = 4;

/** What services.yaml and the job say at a start. */
export interface Setup {
  /** In the order in which they are asked. */
  readonly order: readonly string[];
  /** The host of a name that is not one itself. */
  readonly renamed: Readonly<Record<string, Host>>;
  /** Other keys of a service: `budget: { perDay: 5 }`. */
  readonly extra: Readonly<Partial<Record<Host, string>>>;
  readonly keys: Readonly<Record<Host, string>>;
  readonly price: number;
  readonly adapter: string;
  readonly job: string;
}

/** Characters that an address escapes. */
const keyOf = (host: string) => `key+of/${host}=%40${'x'.repeat(9)}`;
const adapterRules = `answers: { miss: [ { status: 200, where: data, is: empty } ] }
record: data
fields: { id: number, name: title, fqdn: site }
`;
export const firstSetup: Setup = {
  order: hosts,
  renamed: {},
  extra: {},
  keys: { ours: keyOf('ours'), main: keyOf('main'), second: keyOf('second') },
  price: 1,
  adapter: adapterRules,
  job: '',
};

type Request = HostileServer['seen'][number];

interface Question extends Request {
  readonly host: Host;
  /** Equal for requests of the same call. */
  readonly call: string;
  readonly number: number;
  readonly isTroubled: boolean;
  /** The hosts at that time, in the order in which they are asked. */
  readonly order: readonly Host[];
}

export type Troubles = Partial<
  Record<Host, (index: number, request: Request) => Reaction | undefined>
>;

export async function openServicesWorld(
  rows: number,
  { hasPeople = false, saysMiss = false } = {},
) {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  mkdirSync(at('.git'));
  const numbers = Array.from({ length: rows }, (_, number) => number);
  writeFileSync(at('leads.csv'), ['website', ...numbers.map(domainOf)].join('\n'));
  let setup = firstSetup;
  let troubles: Troubles = {};
  const hostOf = (name: string) => setup.renamed[name] ?? (name as Host);
  const asked: Question[] = [];
  const servers = {} as Record<Host, HostileServer>;
  for (const host of hosts) {
    let index = 0;
    servers[host] = await openHostileServer((request) => {
      const trouble = troubles[host]?.(index++, request) ?? refusedKey(setup.keys[host], request);
      const number = numberOf(request);
      const call = `${host} ${number} ${request.body}`.trim();
      const order = setup.order.map(hostOf);
      asked.push({ ...request, host, call, number, isTroubled: trouble !== undefined, order });
      // Good answers that arrive after a trouble would show that the service works.
      return {
        ...(trouble ?? answerOf(host, request, number, saysMiss)),
        delayMs: trouble ? 20 : 5,
      };
    });
  }

  const write = (changes: Partial<Setup> = {}) => {
    setup = { ...setup, ...changes };
    const { order, extra, price, adapter, job } = setup;
    const described = order.map((name) => {
      const host = hostOf(name);
      const from = host === 'second' ? 'adapter: second.yaml, ' : '';
      const charges = `price: { company: ${price}, people: ${price}, currency: AUD }`;
      const key = `key: "$\{DOSSIER_KEY_${host.toUpperCase()}}"`;
      return `  ${name}: { ${from}url: "${servers[host].url}", ${key}, ${charges}, ${extra[host] ?? ''} }`;
    });
    writeFileSync(at('services.yaml'), ['services:', ...described].join('\n'));
    writeFileSync(
      at('second.yaml'),
      `name: second\nurl: ${servers.second.url}\nauth: { query: api_key }\n` +
        `company: { fqdn: { get: /find, query: { fqdn: "{value}" } } }\n${adapter}`,
    );
    const people = hasPeople ? 'people: { seniority: [3], pageSize: 2 }\n' : '';
    writeFileSync(
      at('leads.yaml'),
      `name: leads\ninput: { path: leads.csv }\nservice: [${order}]\nledger: ledger.db\n${people}` +
        `limits: { rate: none, concurrency: ${concurrency}, attempts: 2, maxWait: 3s }\n` +
        `output: { path: output }\n${job}`,
    );
  };
  write();
  const options = (): RunOptions => ({
    cwd: folder.path,
    env: Object.fromEntries(
      hosts.map((host) => [`DOSSIER_KEY_${host.toUpperCase()}`, setup.keys[host]]),
    ),
  });
  return {
    folder: folder.path,
    ledger: at('ledger.db'),
    servers,
    asked,
    rows,
    setup: () => setup,
    /** A table that the last run wrote. */
    read: (name: string) => readTable(folder.path, name),
    hostOf,
    hasPeople,
    write,
    trouble(now: Troubles) {
      troubles = now;
    },
    /** The same list as another job on the same ledger. */
    writeOther() {
      const job = readFileSync(at('leads.yaml'), 'utf8').replace('name: leads', 'name: other');
      writeFileSync(at('other.yaml'), job.replace('path: output', 'path: other'));
    },
    /** A copy of the folder, without a ledger. */
    openMachine() {
      const machine = temporaryFolder();
      cpSync(folder.path, machine.path, { recursive: true });
      return machine;
    },
    async run(
      args: readonly string[] = [],
      { job = 'leads.yaml', env, ...others }: RunOptions & { readonly job?: string } = {},
    ): Promise<Ended> {
      const own = options();
      const all = { ...own, ...others, env: { ...own.env, ...env } };
      const { exitCode, ...printed } = await runDossier(['run', job, ...args], all);
      return { by: exitCode, ...printed };
    },
    /** Kills a run as soon as so many more questions have arrived. */
    async killAfter(questions: number, env: Record<string, string> = {}): Promise<void> {
      const until = asked.length + questions;
      const own = options();
      const all = { ...own, env: { ...own.env, ...env } };
      await using running = startDossier(['run', 'leads.yaml'], all);
      while (running.process.exitCode === null && asked.length < until) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      await running.stop('SIGKILL');
    },
    async [Symbol.asyncDispose]() {
      for (const server of Object.values(servers)) await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

export type ServicesWorld = Awaited<ReturnType<typeof openServicesWorld>>;

function numberOf({ path, method, body }: Request) {
  return method === 'POST'
    ? Number(/\d+/.exec(JSON.parse(body).companyId)?.[0])
    : numberAsked(path);
}

function refusedKey(key: string, { path, headers }: Request): Reaction | undefined {
  const query = new URL(path, 'http://host').searchParams.get('api_key');
  if (query === key || headers.authorization === `Bearer ${key}`) return undefined;
  return { status: 401, body: '{"error":401,"message":"wrong key"}' };
}

const problem = (status: number, title: string): Reaction => ({
  status,
  headers: { 'content-type': 'application/problem+json' },
  body: JSON.stringify({ type: 'about:blank', title, status }),
});

/** Without such words, a miss means nothing before the first hit, and no machine shares it. */
const namedMiss: Reaction = {
  status: 404,
  body: JSON.stringify({ error: 404, message: 'Company not found' }),
};

function answerOf(
  host: Host,
  { method, body }: Request,
  number: number,
  saysMiss: boolean,
): Reaction {
  const isKnown = holdersOf(number).includes(host);
  if (method === 'POST') {
    const { companyId, from } = JSON.parse(body) as { companyId: string; from: number };
    // An id means something only at the service that gave it.
    if (companyId !== `${host}_${number}`) return problem(400, `${companyId} is not of ${host}`);
    return found(Number(from) > 0 ? [] : [{ person_id: `p_${companyId}`, position: 'Tester' }]);
  }
  const [site, name] = [domainOf(number), `Company ${number}`];
  if (host === 'second') {
    const data = { number: `${host}_${number}`, title: name, site, size: number };
    return found({ data: isKnown ? data : null });
  }
  if (!isKnown) return saysMiss ? namedMiss : problem(404, 'Not Found');
  return found({ id: `${host}_${number}`, name, fqdn: site });
}

/** Processes that were killed, each perhaps with calls in flight at each service. */
export interface ServiceAllowances {
  readonly kills?: number;
  /** Other ledgers count requests too. */
  readonly isCountedElsewhere?: boolean;
}

/**
 * The oracle of every case, for a run that came to its end: no row is lost, no question is asked
 * twice, and no service is asked before those ahead of it have missed.
 */
export function expectAskedInTurn(
  world: ServicesWorld,
  { kills = 0, isCountedElsewhere }: ServiceAllowances = {},
) {
  const order = world.setup().order.map(world.hostOf);
  const rows = world.read('companies.csv');
  for (const [number, row] of rows.entries()) {
    const has = holdersOf(number).filter((host) => order.includes(host));
    const one = order.length === 1 ? has.join() : world.hostOf(row.service ?? '');
    const said = `row ${number}: ${row.status} ${row.service} ${row.message}`;
    expect(row.status, said).toBe(has.length > 0 ? 'matched' : 'not_found');
    if (has.length > 0) expect(has, said).toContain(one);
  }
  expect(rows).toHaveLength(world.rows);
  if (world.hasPeople) {
    const people = world.read('people.csv').map((row) => row.company_id ?? '');
    const searched = rows
      .map((row) => row.company_id ?? '')
      .filter((id) => /^(?:ours|main)/.test(id));
    expect(people).toEqual(searched);
  }
  const answered = world.asked.filter((one) => !one.isTroubled);
  const times = Map.groupBy(answered, ({ call }) => call);
  const again = [...times].flatMap(([call, { length }]) =>
    length > 1 ? [`${length} × ${call}`] : [],
  );
  const allowed = kills * concurrency * hosts.length;
  expect(answered.length - times.size, again.join('\n')).toBeLessThanOrEqual(allowed);
  expectCheaperFirst(world);
  expectWholeLedger(world.ledger);
  if (isCountedElsewhere) return;
  using ledger = openLedgerToRead(world.ledger);
  const requests = (ledger?.spend.since(0) ?? []).reduce((sum, row) => sum + row.requests, 0);
  const charged = answered.length - (kills > 0 ? allowed : 0);
  expect(requests, 'requests in the spend table').toBeGreaterThanOrEqual(charged);
}

/** While one service is away, all questions to the others are asked that do not need it first. */
export function expectOthersDone({ asked, rows }: ServicesWorld, away: Host): void {
  const answered = new Set(asked.filter((one) => !one.isTroubled).map(({ call }) => call));
  const hasFound = (host: Host) =>
    asked.some(
      (one) => one.host === host && !one.isTroubled && holdersOf(one.number).includes(host),
    );
  const undone: string[] = [];
  for (let number = 0; number < rows; number += 1) {
    for (const host of hosts) {
      if (!answered.has(`${host} ${number}`) && host !== away) undone.push(`${host} ${number}`);
      if (!answered.has(`${host} ${number}`) || holdersOf(number).includes(host)) break;
      // Its misses prove nothing yet.
      if (!hasFound(host)) break;
    }
  }
  expect(undone).toEqual([]);
}

/** A service is asked only for what all services ahead of it have answered with a miss. */
export function expectCheaperFirst({ asked }: ServicesWorld): void {
  const missed = new Set<string>();
  const early: string[] = [];
  for (const { host, number, method, order, isTroubled } of asked) {
    if (method === 'POST') continue;
    const ahead = order.slice(0, order.indexOf(host));
    const unasked = ahead.filter((one) => !missed.has(`${one} ${number}`));
    if (unasked.length > 0) early.push(`${host} for ${number} before ${unasked}`);
    if (!isTroubled && !holdersOf(number).includes(host)) missed.add(`${host} ${number}`);
  }
  expect(early).toEqual([]);
}

function readTable(folder: string, name: string) {
  const text = readFileSync(join(folder, 'output', name));
  return parse(text, { columns: true }) as Readonly<Record<string, string>>[];
}
