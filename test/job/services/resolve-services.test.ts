import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadJob } from '../../../src/job/load-job.ts';
import { resolveJob } from '../../../src/job/resolve-job.ts';
import { bindServices } from '../../../src/job/services/bind-services.ts';
import { openFolder } from '../../support/work-folder.ts';

const job = (service: string) => `name: leads\nservice: ${service}\ninput: { path: leads.csv }\n`;
const main = 'services:\n  main: { url: https://api.example.com, key: "$' + '{MAIN_KEY}" }\n';

function resolveIn(
  files: Record<string, string>,
  {
    env = {},
    flags = {},
    before = () => {},
    isBound = false,
  }: {
    env?: Record<string, string>;
    flags?: Record<string, string>;
    before?: (at: string) => void;
    isBound?: boolean;
  } = {},
) {
  using folder = openFolder({ 'a/b/leads.yaml': job('main'), ...files });
  before(folder.path);
  const path = join(folder.path, 'a/b/leads.yaml');
  // The user's own folder, which must not be the one of this machine.
  const own = { XDG_CONFIG_HOME: join(folder.path, 'config'), ...env };
  const resolved = resolveJob(loadJob(path, own), { flags, env: own, cwd: folder.path });
  const bound = isBound ? bindServices(resolved, [], own, folder.path) : resolved;
  return { ...bound, file: resolved.servicesFile?.replace(`${folder.path}/`, '') };
}

function refused(services: string, options: Parameters<typeof resolveIn>[1] = {}) {
  const resolving = () => resolveIn({ 'a/b/services.yaml': services }, options);
  return expect(resolving);
}

describe('services.yaml is found', () => {
  const elsewhere = main.replace('api.', 'elsewhere.');
  test.each([
    ['beside the job', { 'a/b/services.yaml': main, 'a/services.yaml': elsewhere }],
    ['in a folder above', { 'a/services.yaml': main, 'config/dossier/services.yaml': elsewhere }],
    ['in the folder of the user', { 'config/dossier/services.yaml': main }],
  ])('%s', (_, files) => {
    const { services, file } = resolveIn(files);
    expect(file).toBe(Object.keys(files)[0]);
    expect(services).toMatchObject([
      { name: 'main', url: 'https://api.example.com', key: { name: 'MAIN_KEY' } },
    ]);
  });

  test('but not beyond a repository', () => {
    const before = (at: string) => mkdirSync(join(at, 'a/.git'));
    expect(() => resolveIn({ 'services.yaml': main }, { before })).toThrow(
      /main is described nowhere; there is no .*a\/services\.yaml, nor .*config/,
    );
  });

  test.runIf(process.getuid)('but not used if other users may change it', () => {
    const before = (at: string) => chmodSync(join(at, 'a/b/services.yaml'), 0o666);
    refused(main, { before }).toThrow('can be changed by other users, so it is not used');
  });
});

describe('mistakes are named with line and column', () => {
  test.each<[string, string, RegExp]>([
    [
      'a key that is written into the file',
      'main: { url: https://x.example, key: sk_live_s3cret }',
      /services\.yaml:2:40: services\.main\.key: .*never write the key itself/,
    ],
    [
      'an unknown key',
      'main: { url: https://x.example, prize: {} }',
      /:2:35: services\.main\.prize: unknown key; did you mean "services\.\*\.price"\?/,
    ],
    [
      'a price with a comma',
      'main: { url: https://x.example, price: { company: "0,12", currency: AUD } }',
      /found "0,12"; write 0\.12/,
    ],
    [
      'no address',
      'main: { rate: 5 }',
      /services\.main\.url: missing; expected a url or an adapter/,
    ],
    [
      'a limit of money without its price',
      'main: { url: https://x.example, price: { company: 1, currency: AUD }, budget: { perDay: 5 USD } }',
      /services\.main\.budget\.perDay: expected .*a price\.company in USD/,
    ],
    [
      'another name',
      'mian: { url: https://x.example }',
      /leads\.yaml:2:10: .* did you mean mian\?/,
    ],
    [
      'an adapter that is not there',
      'main: { adapter: adapters/second.yaml }',
      /adapters\/second\.yaml does not exist/,
    ],
  ])('%s', (_, line, message) => {
    refused(`services:\n  ${line}\n`).toThrow(message);
    refused(`services:\n  ${line}\n`).not.toThrow('s3cret');
  });

  test.each<[string, string, RegExp]>([
    [
      'a path that is none',
      'company: { fqdn: { get: "/{value}" } }\nfields: { id: "a..b" }',
      /second\.yaml:4:15: fields\.id: expected names and indexes with dots between them/,
    ],
    [
      'another host',
      'company: { fqdn: { get: "https://evil.example/{value}" } }\nfields: { id: id }',
      /second\.yaml:3:25: company\.fqdn\.get: expected a path at the address of the service/,
    ],
    [
      'no place for the identifier',
      'company: { fqdn: { get: "/{vlaue}" } }\nfields: { id: id }',
      /second\.yaml:3:18: company\.fqdn: expected {value} where the identifier stands/,
    ],
  ])('an adapter with %s', (_, rules, message) => {
    const files = {
      'a/b/services.yaml': 'services:\n  main: { adapter: second.yaml }\n',
      'a/b/second.yaml': `name: second\nurl: https://api.second.example\n${rules}\n`,
    };
    expect(() => resolveIn(files)).toThrow(message);
    expect(() => resolveIn(files)).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining('schema --of adapter') }),
    );
  });

  test('a service that a job names twice, and a file that includes another', () => {
    const twice = { 'a/b/services.yaml': main, 'a/b/leads.yaml': job('[main, main]') };
    expect(() => resolveIn(twice)).toThrow(/leads\.yaml:2:17: main is named twice; remove one/);
    refused(`${main}include: services.yaml\n`).toThrow(/:3:1: include: unknown key/);
  });

  test('one service that a job asks by two names', () => {
    const other = main.slice(main.indexOf('\n') + 1).replace('main', 'spare');
    const files = {
      'a/b/services.yaml': main + other,
      'a/b/leads.yaml': job('[main, spare]'),
    };
    expect(() => resolveIn(files)).toThrow(
      /leads\.yaml:2:17: main and spare are one service, https:\/\/api\.example\.com; remove one/,
    );
  });

  test('a variable that is not set matters only to jobs that name its service', () => {
    const second = '  second: { url: "$' + '{SECOND_URL}" }\n';
    expect(resolveIn({ 'a/b/services.yaml': main + second }).services).toHaveLength(1);
    const files = { 'a/b/services.yaml': main + second, 'a/b/leads.yaml': job('second') };
    expect(() => resolveIn(files)).toThrow(
      'services.second.url: the environment variable SECOND_URL is not set',
    );
  });
});

test('variables and flags for the service of a job do not reach one of services.yaml', () => {
  const env = { DOSSIER_URL: 'https://other.example', DOSSIER_API_KEY: 'k' };
  const [service] = resolveIn({ 'a/b/services.yaml': main }, { env }).services;
  expect(service).toMatchObject({ url: 'https://api.example.com', key: { name: 'MAIN_KEY' } });
  refused(main, { flags: { url: 'https://other.example' } }).toThrow(
    '--url is for the service of a job, but this one names main',
  );
});

test('the limits of a service hold, unless those of the job are tighter', () => {
  const limits = 'rate: 50, budget: { perDay: 100, perMonth: 900 }';
  const files = {
    'a/b/services.yaml': `services:\n  main: { url: https://x.example, ${limits} }\n`,
    'a/b/leads.yaml': `${job('main')}budget: { perDay: 500, perMonth: 300 }\n`,
  };
  const { budget, services } = resolveIn(files, { isBound: true });
  expect(budget).toMatchObject({ perDay: 100, perMonth: 300 });
  expect(services[0].rate).toBe(50);
  const slow = { ...files, 'a/b/leads.yaml': `${job('main')}limits: { rate: 2 }\n` };
  expect(resolveIn(slow).services[0].rate).toBe(2);
});
