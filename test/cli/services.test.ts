import { expect, test } from 'vitest';
import { ServiceCheckJson, ServicesJson, TryJson } from '../../src/cli/services.ts';
import { packagePath } from '../../src/platform/package-path.ts';
import { openHostileServer, type Reaction } from '../support/hostile-server.ts';
import { startPostgres, testWithPostgres } from '../support/postgres.ts';
import { succeeded } from '../support/run-dossier.ts';
import { openFolder } from '../support/work-folder.ts';

const key = 'key-of-the-second';
const json = (status: number, body: unknown): Reaction => ({ status, body: JSON.stringify(body) });

/** As documented: a company at the top, 404 for a miss, errors with type and message. */
function enriched(path: string, headers: Readonly<Record<string, string>>): Reaction {
  const problem = (status: number, type: string, message: string) =>
    json(status, { status, error: { type, message } });
  if (headers['x-api-key'] !== key) {
    return problem(401, 'authentication_error', 'Request contained a missing or invalid key');
  }
  const website = new URL(path, 'http://localhost').searchParams.get('website') ?? '';
  if (website.startsWith('broke')) {
    return problem(402, 'payment_required', 'You have hit your account maximum for company enrich');
  }
  if (website.startsWith('unknown') || website === 'example.com') {
    return problem(404, 'not_found', 'No records were found matching your request');
  }
  const company = { id: `pdl-${website}`, display_name: 'Acme', website, size: '51-200' };
  const location = { locality: 'perth', country: 'australia', geo: '1,2' };
  return json(200, { status: 200, ...company, employee_count: 83, location, likelihood: 6 });
}

/** As documented: a list of what was asked, each with a list of matches, empty for a miss. */
function matched(body: string, headers: Readonly<Record<string, string>>): Reaction {
  expect(headers).toMatchObject({ authorization: `Bearer ${key}`, 'x-api-version': '2025-11-01' });
  const [domain = ''] = (JSON.parse(body) as { domains: string[] }).domains;
  const basic_info = { name: 'Acme', primary_domain: domain, year_founded: '2017-01-01' };
  const company_data = { crustdata_company_id: 7, basic_info, headcount: { total: 12 } };
  const matches = domain.startsWith('unknown') ? [] : [{ confidence_score: 1, company_data }];
  return json(200, [{ matched_on: domain, match_type: 'domain', matches }]);
}

const openService = () =>
  openHostileServer(({ method, path, headers, body }) =>
    method === 'GET' ? enriched(path, headers) : matched(body, headers),
  );

function workplace(adapter: string, url: string, list = 'domain\nacme.com.au\nunknown.com.au\n') {
  const file = packagePath('jobs/adapters', `${adapter}.yaml`);
  const price = '{ company: 0.3, currency: USD }';
  const service = `{ adapter: ${file}, url: ${url}, key: "$\{DOSSIER_SECOND}", price: ${price} }`;
  const files = {
    'services.yaml': `services:\n  second: ${service}\n  gone: { url: "$\{GONE_URL}" }\n`,
    'leads.yaml': 'name: leads\nservice: second\ninput: { path: leads.csv }\n',
    'leads.csv': list,
  };
  return openFolder(files, { DOSSIER_SECOND: key });
}

test.each([
  ['enrich-by-domain', 'Acme', '83'],
  ['match-by-domain', 'Acme', '12'],
])('the example %s reads hits and misses as documented', async (adapter, name, employees) => {
  await using service = await openService();
  using at = workplace(adapter, service.url);
  const { stdout, stderr } = await at.dossier('run leads.yaml');
  expect(stdout + stderr).toContain('described in services.yaml');
  expect(at.read('output/leads/companies.csv')).toMatch(
    new RegExp(`matched.*${name}.*,${employees},`),
  );
  expect(at.read('output/leads/rejects.csv')).toContain('not_found');
  // Only hits are charged, as both say.
  const { stdout: spent } = await at.dossier('spend --json');
  expect(JSON.parse(spent).total).toMatchObject({ requests: 2, hits: 1, misses: 1 });
  expect(JSON.parse(spent).total.money).toEqual([{ currency: 'USD', amount: 0.3 }]);
  await succeeded(at.dossier('run leads.yaml'));
  expect(service.seen).toHaveLength(2);
});

test('errors of a service stop a run as documented: no credits, wrong key', async () => {
  await using service = await openService();
  using at = workplace('enrich-by-domain', service.url, 'domain\nbroke.com.au\n');
  const broke = await at.dossier('run leads.yaml');
  expect(broke).toMatchObject({ exitCode: 75 });
  expect(broke.stderr).toContain('You have hit your account maximum');
  const wrong = await at.dossier('run leads.yaml', { env: { DOSSIER_SECOND: 'wrong-key-123' } });
  expect(wrong).toMatchObject({ exitCode: 77 });
  expect(wrong.stderr).toContain('refused the key (in the variable DOSSIER_SECOND): ');
  const checked = await at.dossier('services check second', { env: { DOSSIER_SECOND: 'wrong' } });
  expect(checked.stderr).toContain('refused the key (in the variable DOSSIER_SECOND): ');
  const none = await at.dossier('run leads.yaml', { env: { DOSSIER_SECOND: '' } });
  expect(none.stderr).toContain('the environment variable DOSSIER_SECOND holds no key');
  const looked = await at.dossier('check leads.yaml');
  expect(looked.stdout.replaceAll(/\s+/g, ' ')).toContain(
    'the key was not checked, because this needs a call; `dossier services check` sends one',
  );
  expect(wrong.stderr + checked.stderr + none.stderr).not.toContain('DOSSIER_API_KEY');
});

test('services are listed and checked, and a problem of one does not hide the others', async () => {
  await using service = await openService();
  using at = workplace('enrich-by-domain', service.url);
  await at.dossier('run leads.yaml');
  const listed = ServicesJson.parse(JSON.parse((await at.dossier('services --json')).stdout));
  expect(listed.services).toMatchObject([
    {
      service: 'second',
      adapter: 'enrich-by-domain',
      hasKey: true,
      price: 'USD 0.30 a company, only if it is found',
      today: 1,
    },
    { service: 'gone', problem: expect.stringContaining('GONE_URL is not set') },
  ]);
  const withoutKey = await at.dossier('services', { env: { DOSSIER_SECOND: '' } });
  expect(withoutKey.stdout).toMatch(/DOSSIER_SECOND, but not there\n.*\n *today +1, USD 0\.30/);
  expect(withoutKey.stdout).toMatch(
    /last answer +between 20.{14} and \d\d:(?:00|15|30|45) UTC\n(?:.*\n)*Today and this month: calls that/,
  );
  const { stdout } = await at.dossier('services check second --json');
  expect(ServiceCheckJson.parse(JSON.parse(stdout))).toMatchObject({
    request: `GET ${service.url}/company/enrich?website=example.com`,
    finding: expect.stringContaining('the key is accepted'),
    cost: 'nothing: the call was free',
  });
  expect((await at.dossier('services check secnod')).stderr).toContain('did you mean second?');
});

test('a paid check counts in the budget of its service, and is not sent when that is spent', async () => {
  await using service = await openService();
  using at = workplace('match-by-domain', service.url);
  const file = at
    .read('services.yaml')
    .replace('} }', '}, budget: { perDay: 1, perMonth: 9 USD } }');
  at.write('services.yaml', file);
  const { stdout } = await at.dossier('services check second --json');
  expect(ServiceCheckJson.parse(JSON.parse(stdout)).cost).toBe('USD 0.30');
  const listed = ServicesJson.parse(JSON.parse((await at.dossier('services --json')).stdout));
  expect(listed.services[0]).toMatchObject({
    today: 1,
    paidToday: 'USD 0.30',
    budget: ['1 call a day, 0 calls left', 'USD 9.00 a month, USD 8.70 left'],
    lastAnswer: expect.any(String),
  });
  const { stdout: spent } = await at.dossier('spend --by service --json');
  expect(JSON.parse(spent).entries).toMatchObject([{ service: 'second', hits: 1, requests: 1 }]);
  expect(await at.dossier('services check second')).toMatchObject({ exitCode: 75 });
  expect(await at.dossier('run leads.yaml')).toMatchObject({ exitCode: 75 });
  expect(service.seen).toHaveLength(1);
});

test('money that is only possibly charged stands apart, as in spend', async () => {
  await using service = await openHostileServer(({ body, headers }) =>
    body.includes('broken') ? { status: 500 } : matched(body, headers),
  );
  using at = workplace('match-by-domain', service.url, 'domain\nacme.com.au\nbroken.com.au\n');
  at.write('leads.yaml', `${at.read('leads.yaml')}limits: { attempts: 1 }\n`);
  await at.dossier('run leads.yaml');
  const used = 'USD 0.30, possibly USD 0.30 more';
  const { stdout } = await at.dossier('services --json');
  expect(ServicesJson.parse(JSON.parse(stdout)).services[0]).toMatchObject({
    today: 2,
    paidToday: used,
    paidThisMonth: used,
  });
  expect((await at.dossier('spend --by service')).stdout).toContain(used);
  expect((await at.dossier('services')).stdout).toContain(`2, ${used}`);
});

test('a check that never left is no answer', async () => {
  using at = workplace('match-by-domain', 'http://127.0.0.1:9');
  await at.dossier('services check second');
  expect((await at.dossier('services')).stdout).not.toContain('last answer');
});

test('a free answer to a check costs nothing', async () => {
  await using service = await openService();
  using at = workplace('enrich-by-domain', service.url);
  await at.dossier('services check second');
  const { stdout } = await at.dossier('spend --by service --json');
  expect(JSON.parse(stdout).entries).toMatchObject([
    { service: 'second', requests: 1, misses: 1, money: [{ amount: 0 }] },
  ]);
});

function writeBoth(at: ReturnType<typeof workplace>, output = '') {
  const [head = ''] = at.read('services.yaml').split('  gone');
  const first = (head.split('\n')[1] ?? '')
    .replace('second', 'first')
    .replace('enrich', 'match')
    .replace('} }', ', charged: answers }, budget: { perDay: 5 } }');
  at.write('services.yaml', `${head}${first}\n`);
  const job = 'name: leads\nservice: [first, second]\ninput: { path: leads.csv }\n';
  at.write('leads.yaml', job + output);
}

testWithPostgres('PostgreSQL gets the service of each company, and those that missed', async () => {
  await using database = await startPostgres();
  await using service = await openService();
  using at = workplace('enrich-by-domain', service.url);
  writeBoth(at, `output: { postgres: "${database.url}" }\n`);
  await at.dossier('run leads.yaml');
  const of = (table: string) => database.sql(`select service, tried from dossier.${table}`);
  expect((await of('companies')).sort()).toEqual(['first|', '|["first", "second"]']);
  expect(await database.sql('select tried from dossier.rejects')).toEqual(['["first", "second"]']);
});

test('calls and money of each service are seen in the summary, status, plan and metrics', async () => {
  await using service = await openService();
  using at = workplace('enrich-by-domain', service.url, 'domain\nacme.com.au\nunknown.com.au\n');
  writeBoth(at);
  const { stderr } = await at.dossier('run leads.yaml --metrics-file of.prom');
  expect(stderr).toMatch(/first +2: 1 found, 1 not found; USD 0\.60, USD 0\.30 for misses/);
  expect(stderr).toMatch(/second +1: 1 not found$/m);
  expect(at.read('of.prom')).toContain('dossier_run_cost{service="first",job_name="leads"} 0.6');
  expect(at.read('of.prom')).toMatch(/attempts_total{service="second",.*verdict="miss".*} 1/);
  const usd = (amount: number) => [{ currency: 'USD', amount }];
  const services = {
    first: { made: 2, hits: 1, misses: 1, money: usd(0.6), missMoney: usd(0.3) },
    second: { made: 1, misses: 1, money: usd(0) },
  };
  const { stdout } = await at.dossier('status leads.yaml --json');
  expect(JSON.parse(stdout).jobs[0].runs[0]).toMatchObject({ services });
  expect(JSON.parse(at.read('output/leads/manifest.json'))).toMatchObject({ services });
  const plan = await at.dossier('plan leads.yaml');
  expect(plan.stdout).toContain('first: 5 calls a day, 3 calls left');
  at.write('leads.yaml', at.read('leads.yaml').replace('first, second', 'second, first'));
  const swapped = await at.dossier('run leads.yaml --refresh all');
  expect(swapped.stderr).toMatch(/changes +1 since r1: /);
  expect(JSON.parse(at.read('output/leads/manifest.json')).changes.service_changed).toBe(1);
  const lookup = await at.dossier('lookup acme.com.au --people --job leads.yaml');
  expect(lookup).toMatchObject({ exitCode: 64 });
});

test('an adapter is tried on a saved answer without a call', async () => {
  const file = packagePath('jobs/adapters/match-by-domain.yaml');
  const hit = matched('{"domains":["acme.com.au"]}', {
    authorization: `Bearer ${key}`,
    'x-api-version': '2025-11-01',
  });
  using at = openFolder({ 'hit.json': hit.body ?? '', 'odd.json': '{"results":[]}' });
  const of = async (args: string) => {
    const { stdout } = await at.dossier(`services try ${file} --fqdn acme.com.au --json ${args}`);
    return TryJson.parse(JSON.parse(stdout));
  };
  expect(await of('--from hit.json')).toMatchObject({
    request: 'POST https://api.crustdata.com/company/enrich',
    answer: 'hit',
    company: { id: 7, name: 'Acme', employee_count: 12, fqdn: 'acme.com.au' },
    extra: { basic_info: { year_founded: '2017-01-01' } },
    unfilled: expect.arrayContaining(['phones', 'nextGen.*']),
  });
  expect(await of('--from odd.json')).toMatchObject({
    answer: 'unreadable',
    problem: expect.stringContaining('no company at 0.matches.0.company_data'),
  });
  const text = async (from: string) =>
    (await at.dossier(`services try ${file} --fqdn acme.com.au --from ${from}`)).stdout;
  expect(await text('hit.json')).toContain('Never filled: ');
  expect(await text('odd.json')).not.toContain('Never filled: ');
});

test('a service is free if its price is 0 or it is the sample data', async () => {
  await using service = await openService();
  using at = workplace('match-by-domain', service.url);
  const price = '{ company: 0, currency: USD }';
  const own = at.read('services.yaml').replace('{ company: 0.3, currency: USD }', price);
  at.write('services.yaml', `${own}  ours: { url: embedded, price: ${price} }\n`);
  at.write('leads.yaml', at.read('leads.yaml').replace('second', '[ours, second]'));
  const { stdout } = await at.dossier('plan leads.yaml');
  expect(stdout).toMatch(/ours +about 2, up to 2 calls, free\n +second +up to 3 calls, free\n/);
  const listed = await at.dossier('services');
  expect(listed.stdout.match(/price +free$/gm)).toHaveLength(2);
});

test('check sends a lookup to an adapter only if it costs nothing', async () => {
  await using service = await openService();
  using at = workplace('match-by-domain', service.url);
  at.write('services.yaml', at.read('services.yaml').replace('company: 0.3', 'company: 0'));
  const { stdout } = await succeeded(at.dossier('check leads.yaml'));
  expect(stdout).toContain('is responding; the key is accepted');
  expect(service.seen).toHaveLength(1);
});

test('a lookup says which of several services answered', async () => {
  await using service = await openService();
  using at = workplace('enrich-by-domain', service.url);
  at.write('services.yaml', `${at.read('services.yaml')}  ours: { url: embedded }\n`);
  at.write('two.yaml', 'name: two\nservice: [ours, second]\ninput: { path: leads.csv }\n');
  const look = () => at.dossier('lookup larchhaven-apps-sample.com --job two.yaml');
  expect((await look()).stdout).toMatch(/source +ours, 20/);
  expect((await look()).stdout.replaceAll(/\s+/g, ' ')).toContain(
    'source the ledger (no call was made), an answer of ours, 20',
  );
});

test('an id belongs to its service, in suppress and forget, too', async () => {
  const knows = (domain: string) =>
    openHostileServer(({ path }) =>
      path.includes(domain)
        ? json(200, { id: 'c_7', name: domain, fqdn: domain })
        : json(404, { error: 404, message: 'Company not found' }),
    );
  await using ours = await knows('a.com.au');
  await using main = await knows('b.com.au');
  using at = openFolder(
    {
      'services.yaml': `services:\n  ours: { url: "${ours.url}" }\n  main: { url: "${main.url}" }\n`,
      'leads.yaml':
        'name: leads\nservice: [ours, main]\ninput: { path: leads.csv }\nsuppress: [no.csv]\n',
      'leads.csv': 'domain\na.com.au\nb.com.au\n',
      'no.csv': 'company_id\nother:1\n',
    },
    { DOSSIER_LEDGER: 'ledger.db' },
  );
  const statuses = async () => {
    await at.dossier('run leads.yaml');
    const rows = at.read('output/leads/companies.csv').trim().split('\n').slice(1);
    return rows.map((row) => /,(matched|suppressed|not_found),/.exec(row)?.[1]);
  };
  expect(await statuses()).toEqual(['matched', 'matched']);
  for (const [ids, expected] of [
    ['main:c_7', ['matched', 'suppressed']],
    // Without a service, as in a list: that of the first service.
    ['c_7', ['suppressed', 'matched']],
    ['other:1', ['matched', 'matched']],
  ] as const) {
    at.write('no.csv', `company_id\n${ids}\n`);
    expect(await statuses()).toEqual(expected);
  }
  const both = await at.dossier('forget c_7');
  expect(both).toMatchObject({ exitCode: 64 });
  expect(both.stderr).toContain('ours:c_7 or main:c_7');
  const { stdout } = await succeeded(at.dossier('forget main:c_7 --json'));
  expect(JSON.parse(stdout)).toMatchObject({ companies: 1, answers: 2 });
  // Repeated, as after a kill.
  await succeeded(at.dossier('forget main:c_7'));
  expect(await statuses()).toEqual(['matched', 'suppressed']);
  await succeeded(at.dossier('forget main:c_7 --undo'));
});
