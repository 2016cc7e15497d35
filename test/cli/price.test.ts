import { expect, test } from 'vitest';
import { testWhere } from '../support/needs.ts';
import { runInTerminal } from '../support/run-in-terminal.ts';
import { openSmallService } from '../support/small-service.ts';
import { openFolder } from '../support/work-folder.ts';

const rows = 3;
const list = Array.from({ length: rows }, (_, row) => `site${row}.com.au`).join('\n');
const job = (...more: string[]) =>
  [
    'name: leads',
    'input: {path: leads.csv}',
    'limits: {rate: none}',
    'budget: {confirmAbove: 1}',
    ...more,
  ].join('\n');
const at = (price: number) => job(`service: {price: {company: ${price}, currency: AUD}}`);

async function openPriced(price: number) {
  const service = await openSmallService();
  const files = { 'leads.csv': `website\n${list}\n`, 'job.yaml': at(price) };
  const folder = openFolder(files, service.env);
  return {
    ...folder,
    service,
    answer: (line: string, typed: string) => runInTerminal(line, typed, folder.path, service.env),
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

const question = 'Start this run? [y/N]';

testWhere('script')('a run shows its price in a terminal, and asks if it is high', async () => {
  await using dear = await openPriced(0.5);
  const planned = await dear.dossier('plan job.yaml --json');
  expect(JSON.parse(planned.stdout)).toMatchObject({ confirm: true });
  const no = await dear.answer('run job.yaml', '\n');
  expect(no.shown).toContain('At most 4 calls, AUD 2.00. Expected: 3 calls, AUD 1.50.');
  expect(no.shown).toContain('Each call: AUD 0.50 a company, also if none is found.');
  expect(no.shown).toContain(question);
  expect(no.exitCode).toBe(5);
  const stopped = await dear.answer('run job.yaml', '\u0003');
  expect(stopped.shown).toContain('the price was not confirmed, so no call was made');
  expect(stopped.exitCode).toBe(130);
  expect(dear.service.seen).toHaveLength(0);
  expect((await dear.dossier('status')).stderr).toContain('has no run of a job yet');

  const unasked = await dear.answer('run job.yaml --yes --limit 1', 'n\n');
  expect(unasked.shown).toContain('At most 2 calls, AUD 1.00');
  expect(unasked.exitCode).toBe(0);
  const yes = await dear.answer('run job.yaml', 'y\n');
  expect(yes.shown).toContain('At most 3 calls, AUD 1.50. Expected: 2 calls, AUD 1.00.');
  expect(yes.exitCode).toBe(0);
  expect(dear.service.seen).toHaveLength(rows);
});

testWhere('script')('what is typed before the question does not answer it', async () => {
  await using dear = await openPriced(0.5);
  const { path } = dear;
  const early = await runInTerminal('run job.yaml', '\n', path, dear.service.env, 'y\ny\n');
  expect(early.exitCode).toBe(5);
  expect(dear.service.seen).toHaveLength(0);
});

testWhere('script')('a run stops at the price shown, also if nobody was asked', async () => {
  const service = await openSmallService((_, index) =>
    index % 3 < 2 ? { status: 500, body: '' } : undefined,
  );
  const files = { 'leads.csv': `website\n${list}\n`, 'job.yaml': at(0.5) };
  using folder = openFolder(files, service.env);
  const stopped = await runInTerminal('run job.yaml', 'y\n', folder.path, service.env);
  expect(stopped.exitCode).toBe(75);
  expect(service.seen).toHaveLength(4);
  const unasked = await runInTerminal('run job.yaml --yes', 'n\n', folder.path, service.env);
  expect(unasked.exitCode).toBe(75);
  const [, most] = / At most (\d+) calls/.exec(` ${unasked.shown.match(/At most.*/)?.[0]}`) ?? [];
  expect(service.seen).toHaveLength(4 + Number(most));
  await service[Symbol.asyncDispose]();
});

test('an output that cannot be written is refused before the first call', async () => {
  await using dear = await openPriced(0.5);
  const { stderr, exitCode } = await dear.dossier('run job.yaml --output leads.csv/out');
  expect(stderr).toContain('leads.csv/out has a file where a folder is needed\nNo call was made.');
  expect(exitCode).toBe(74);
  const nowhere = await dear.dossier('run job.yaml --output /proc/nope');
  expect(nowhere.stderr).toContain('/proc/nope cannot be written: no files can be created there\n');
  expect(dear.service.seen).toHaveLength(0);
});

test('without a terminal, the price is printed before the first call, and nobody is asked', async () => {
  await using dear = await openPriced(0.5);
  const { stderr, exitCode } = await dear.dossier('run job.yaml');
  expect(stderr).toContain(
    'At most 4 calls, AUD 2.00. Expected: 3 calls, AUD 1.50. Only a budget limits further retries.\n',
  );
  expect(exitCode).toBe(0);
  const known = await dear.dossier('run job.yaml');
  expect(known.stderr).not.toContain('At most');
});

test('the summary names a most only if the run stops there: a script has only its budgets', async () => {
  const service = await openSmallService((_, index) =>
    index < 4 ? { status: 500, body: '' } : undefined,
  );
  const files = { 'leads.csv': `website\n${list}\n`, 'job.yaml': at(0.5) };
  using folder = openFolder(files, service.env);
  const retried = await folder.dossier('run job.yaml');
  // The words of both views say how 3 answers are 7 calls.
  expect(retried.stderr).toMatch(/with retries +7 calls, as in `spend`; each may be charged\n/);
  const { stdout: status } = await folder.dossier('status job.yaml');
  expect(status).toMatch(/calls +3 made[\s\S]* for 7 calls with retries and\s+unanswered ones\n/);
  expect(retried.stderr).toMatch(/spent +AUD 1\.50, possibly AUD 2\.00 more, expected AUD 1\.50\n/);
  const capped = await folder.dossier('run job.yaml --refresh all --max-spend 1.50');
  expect(capped.stderr).toMatch(/spent +AUD 1\.50 of at most AUD 1\.50, expected AUD 1\.50\n/);
  await service[Symbol.asyncDispose]();
});

test('a list without a job uses what services.yaml says of its service', async () => {
  await using dear = await openPriced(0.5);
  const { DOSSIER_URL: url = '', DOSSIER_API_KEY = '' } = dear.service.env;
  const price = '{ company: 0.5, currency: AUD }';
  const services = `services:\n  other: { url: https://other.example }\n  main: { url: '${url}', key: "$\{DOSSIER_API_KEY}", price: ${price} }\n`;
  dear.write('services.yaml', services);
  const priced = await dear.dossier('plan leads.csv');
  expect(priced.stdout).toContain('price at most           AUD 2.00');
  expect(priced.stdout).toContain('is described in services.yaml');
  // Without the variable, the first service is meant.
  const first = await dear.dossier('plan leads.csv', { env: { DOSSIER_URL: '', DOSSIER_API_KEY } });
  expect(first.stdout).toContain('other (other.example) is described');
  const own = await dear.dossier('plan leads.csv', { env: { DOSSIER_URL: 'http://else.example' } });
  expect(own.stdout).not.toContain('is described');
});

testWhere('script')('a free service is never asked about', async () => {
  await using free = await openPriced(0);
  const { shown, exitCode } = await free.answer('run job.yaml', 'n\n');
  expect(shown).not.toContain(question);
  expect(exitCode).toBe(0);
});

testWhere('script')('a lookup shows its price, asks if it is high, and keeps a limit', async () => {
  await using dear = await openPriced(0.5);
  const line = 'lookup site0.com.au --job job.yaml';
  const lookups = async () =>
    JSON.parse((await dear.dossier('status --json')).stdout).lookups.count;
  const limited = await dear.answer(`${line} --max-spend 0.40`, '\n');
  expect(limited.shown).toMatch(/for\s+a list, `dossier export[^$]*BUDGET_SPENT/);
  expect(dear.service.seen).toHaveLength(0);
  dear.write('job.yaml', at(2));
  const declined = await dear.answer(line, 'n\n');
  expect(declined.shown).toContain('At most 2 calls, AUD 4.00. Expected: 1 call, AUD 2.00.');
  expect(declined.exitCode).toBe(5);
  expect(dear.service.seen).toHaveLength(0);
  expect(await lookups()).toBe(1);
  expect((await dear.answer(line, 'y\n')).exitCode).toBe(0);
  expect(await lookups()).toBe(2);
  expect((await dear.answer(line, 'n\n')).shown).not.toContain('At most');
  expect(dear.service.seen).toHaveLength(1);
});
