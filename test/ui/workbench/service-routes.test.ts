import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type {
  JobState,
  RunPlan,
  ServiceAnswer,
  Services,
  Settings,
} from '../../../src/ui/workbench/api/answers.ts';
import { openUi, openUiHere } from '../../support/open-ui.ts';
import { openSmallService } from '../../support/small-service.ts';
import { countsOf, openFolder, tableOf } from './support/workbench-folder.ts';

const adapter = (url: string) => `name: by-domain
url: ${url}
auth: { header: X-Api-Key }
company: { fqdn: { get: /company, query: { fqdn: "{value}", country: AU } } }
answers: { miss: [{ status: 404 }] }
fields: { id: id, name: name }
`;

/** Comments, order and a flow map, which must stay. */
const file = (first: string) => `# Ours, then theirs.
services:
  main: { url: ${first}, key: "$\{DOSSIER_API_KEY}", price: { company: 0.12, currency: AUD } }
  # Dear.
  second:
    adapter: second.yaml
    key: "$\{SECOND_KEY}"
    price:
      company: 0.3 # since May
      currency: USD
`;

test('services are filtered, priced and changed on the page, and tested at a price it says', async () => {
  await using folder = await openFolder((domain) =>
    domain.startsWith('left') ? { status: 404, body: '{"error":{"code":"not_found"}}' } : undefined,
  );
  await using other = await openSmallService();
  const { DOSSIER_URL: url = '', DOSSIER_API_KEY: key = '' } = folder.env;
  const env = { DOSSIER_API_KEY: key, SECOND_KEY: 'key-of-the-second' };
  folder.write('second.yaml', adapter(other.env.DOSSIER_URL ?? ''));
  folder.write('services.yaml', file(url));
  folder.write('leads.csv', 'Website\na.com.au\nb.com.au\nleft.com.au\n');
  folder.write('leads.yaml', 'name: leads\nservice: [main, second]\ninput: { path: leads.csv }\n');
  await using ui = await openUiHere(folder.path, env);
  const query = { job: 'leads.yaml' };
  // Without DOSSIER_URL, a list that names no service has none, but the folder can be shown.
  expect(await ui.answer<Settings>('settings')).toMatchObject({ service: { isDescribed: true } });
  expect((await ui.ask('folder')).status).toBe(200);

  const plan = await ui.answer<RunPlan>('plan', { query });
  expect(plan.services?.map(({ name, price }) => [name, price?.currency])).toEqual([
    ['main', 'AUD'],
    ['second', 'USD'],
  ]);
  const atMost = { calls: plan.calls.most };
  await ui.ask('run', { method: 'POST', query, body: { atMost } });
  const { run } = await ui.until('leads.yaml', (state) => !state.isRunning && state.run !== null);
  expect(run).toMatchObject({
    rows: { matched: 3 },
    services: {
      main: { money: [{ currency: 'AUD', amount: 0.36 }] },
      second: { money: [{ currency: 'USD', amount: 0.3 }] },
    },
  });
  expect(countsOf(await tableOf(ui, 'leads.yaml').untilWhole(), 'service')).toEqual({
    main: 2,
    second: 1,
  });

  expect(await ui.answer('services/usage', { query })).toMatchObject([
    { service: 'main', today: 3, paidToday: 'AUD 0.36' },
    { service: 'second', today: 1, paidToday: 'USD 0.30' },
  ]);
  // Without a list, they are those of the folder.
  expect(await ui.answer('services/usage')).toMatchObject([{ today: 3 }, { today: 1 }]);
  expect(await ui.answer<Services>('services')).toMatchObject({
    services: [{ name: 'main', isUsed: false }, { name: 'second' }],
  });
  const listed = await ui.answer<Services>('services', { query });
  expect(listed).toMatchObject({
    file: 'services.yaml',
    services: [
      { name: 'main', isUsed: true, hasKey: true, test: { cost: null } },
      { name: 'second', price: { company: 0.3 }, test: { cost: 'USD 0.30' } },
    ],
  });
  const path = join(folder.path, 'services.yaml');
  chmodSync(path, 0o600);
  const change = (body: object) => ui.ask('services', { method: 'PATCH', query, body });
  const budget = { perMonth: '200 USD', perDay: '50' };
  const price = { company: 0.25, people: null, currency: 'USD' };
  expect(await change({ name: 'second', price, budget, rate: 5 })).toMatchObject({ status: 200 });
  expect((await change({ name: 'main', budget: { perDay: '100 USD' } })).body).toMatchObject({
    message: expect.stringContaining('price.company in USD'),
  });
  expect((await change({ name: 'main', key: 'a-key-itself' })).status).toBe(400);
  expect((await change({ name: 'mian', rate: 1 })).status).not.toBe(200);
  expect(readFileSync(path, 'utf8')).toBe(`${file(url).replace('0.3 #', '0.25 #')}    rate: 5
    budget:
      perMonth: 200 USD
      perDay: 50
`);
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');

  const check = (name: string) =>
    ui.answer<ServiceAnswer>('services/check', { method: 'POST', query, body: { name } });
  expect(await check('main')).toMatchObject({ cost: 'nothing: the call was free' });
  expect(await check('second')).toMatchObject({
    request: listed.services[1]?.test?.request,
    cost: 'USD 0.25',
  });
  writeFileSync(path, 'services: 7\n');
  expect((await ui.ask('services', { query })).body).toMatchObject({ code: 'JOB_INVALID' });
  expect(JSON.stringify(await ui.answer<JobState>('state', { query }))).not.toContain(key);
});

test('a page that was started with sample data asks no service of services.yaml', async () => {
  await using folder = await openFolder(() => undefined);
  folder.write('services.yaml', file(folder.env.DOSSIER_URL ?? ''));
  folder.write('second.yaml', adapter('http://127.0.0.1:1'));
  folder.write('leads.csv', 'Website\nlarchhaven-apps-sample.com\n');
  folder.write('leads.yaml', 'name: leads\nservice: main\ninput: { path: leads.csv }\n');
  const env = { DOSSIER_API_KEY: 'k_test', SECOND_KEY: 'key-of-the-second' };
  await using ui = await openUi(folder.path, env, '--url', 'embedded');
  const query = { job: 'leads.yaml' };
  expect(await ui.answer<RunPlan>('plan', { query })).toMatchObject({ sampleData: true });
  expect((await ui.answer<Settings>('settings', { query })).service).toMatchObject({
    ...{ isSample: true, isDescribed: true, overrides: ['--url', 'DOSSIER_API_KEY'] },
  });
  await ui.answer('run', { query, method: 'POST', body: { atMost: { calls: 5 } } });
  const { run } = await ui.until('leads.yaml', ({ ended }) => ended !== null);
  expect(run).toMatchObject({ sampleData: true, state: 'finished' });
});
