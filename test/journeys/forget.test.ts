import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { openLedger } from '../../src/engine/ledger/open-ledger.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { openDatabase } from '../engine/ledger/support/answers.ts';
import { filesWith } from '../support/find-value.ts';
import { makeWorkbook, textRow } from '../support/make-workbook.ts';
import { startObjectStore } from '../support/object-store.ts';
import { emptyDatabase, testWithPostgres } from '../support/postgres.ts';
import { startRedis, testWithRedis } from '../support/redis.ts';
import { runDossier, succeeded } from '../support/run-dossier.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { domainOf, listOfDomains } from './sample-companies.ts';
import { journeyKey, openWorkplace, type Workplace } from './workplace.ts';

const dossier = (workplace: Workplace, line: string, env: Record<string, string> = {}) =>
  runDossier(line.split(' '), {
    cwd: workplace.folder,
    env: { DOSSIER_URL: workplace.url, DOSSIER_API_KEY: journeyKey, ...env },
  });

testWithPostgres(
  'a forgotten company is in no file, object, table or snapshot; remaining copies are named',
  async () => {
    await using workplace = await openWorkplace({ companies: 6, people: 2 });
    await using store = await startObjectStore();
    await using postgres = await emptyDatabase();
    const at = `s3://${store.bucket}`;
    const output = [
      { path: 'out/{run}', format: ['csv', 'jsonl', 'xlsx', 'parquet'] },
      { path: 'latest', format: ['jsonl'] },
      { path: `${at}/results`, format: ['parquet'] },
      { postgres: `\${WAREHOUSE_URL}`, schema: 'enrichment' },
    ];
    const job = {
      name: 'leads',
      input: { path: 'leads.csv' },
      people: { maxPerCompany: 5 },
      output,
      limits: { rate: 'none' },
      reuse: { companies: 0 },
      ledger: { path: 'data/ledger.db', snapshot: `${at}/state/ledger.db.zst`, keepRuns: 1 },
    };
    workplace.write('job.yaml', JSON.stringify(job));
    const env = { ...store.env, WAREHOUSE_URL: postgres.url };
    // The last run prunes the first, so its files cannot be rewritten.
    for (const rows of [6, 4, 6]) {
      workplace.write('leads.csv', listOfDomains(rows));
      await succeeded(dossier(workplace, 'run job.yaml --accept any', env));
    }
    await succeeded(dossier(workplace, 'ledger backup data/safe.db job.yaml', env));
    const value = domainOf(3);
    // More than PostgreSQL searches for at once.
    const requests = Array.from({ length: 250 }, (_, at) => `other${at}.com.au`);
    workplace.write(
      'data/requests.csv',
      ['domain', ...requests, 'not an identifier', value].join('\n'),
    );
    // As a killed run leaves it.
    mkdirSync(join(workplace.folder, 'data/ledger.db-upload-1'));
    workplace.write('data/ledger.db-upload-1/companies.csv', value);
    const before = await filesWith(workplace.folder, value);
    expect(before).toContain('data/ledger.db');
    expect(before).toContain('out/r1/companies.parquet');
    expect(before).toContain('out/r3/workbook.xlsx');
    expect(before).toContain('latest/companies.jsonl');
    const tables = ['companies', 'people', 'rejects', 'changes', 'runs'];
    const holding = () =>
      postgres.sql(
        `select count(*) from (${tables.map((table) => `select t::text as line from enrichment.${table} t`).join(' union all ')}) all_lines where line like '%${value}%'`,
      );
    expect(await holding()).not.toEqual(['0']);

    const planned = await dossier(
      workplace,
      'forget --file data/requests.csv --job job.yaml --dry-run --json',
      env,
    );
    expect(await filesWith(workplace.folder, value)).toEqual(before);
    const done = await succeeded(
      dossier(workplace, 'forget --file data/requests.csv --job job.yaml --json', env),
    );
    expect(done.stderr).toContain('1 cell is not an identifier. First: line 252');
    const facts = JSON.parse(done.stdout);
    const left = ['data/requests.csv', 'data/safe.db', 'leads.csv'];
    expect(facts).toMatchObject({
      companies: 1,
      people: 2,
      removed: [join(workplace.folder, 'out/r1')],
      left: left.map((name) => join(workplace.folder, name)),
    });
    const { dryRun: _, ...would } = JSON.parse(planned.stdout);
    expect({ ...facts, dryRun: true }).toEqual({ ...would, dryRun: true });
    expect(await filesWith(workplace.folder, value)).toEqual(left);
    expect(await holding()).toEqual(['0']);

    // Every object, the snapshot of the ledger included, as files of a folder.
    using fetched = temporaryFolder();
    await using objects = await openObjectStore(store.env);
    for await (const { key } of objects.list({ bucket: store.bucket, key: '' })) {
      const path = join(fetched.path, key);
      mkdirSync(dirname(path), { recursive: true });
      const object = await objects.get({ bucket: store.bucket, key });
      writeFileSync(path, Buffer.concat(await Array.fromAsync(object?.bytes ?? [])));
    }
    expect(await filesWith(fetched.path, value)).toEqual([]);

    await succeeded(dossier(workplace, 'ledger check job.yaml', env));
    const audit = await dossier(workplace, 'audit job.yaml --json', env);
    expect(audit.stdout).not.toContain(value);
    expect(JSON.parse(audit.stdout).entries).toMatchObject([
      { command: 'run --accept any', counts: { matched: 6 }, exitCode: 0 },
      { command: 'run --accept any', counts: { matched: 4 } },
      { command: 'run --accept any', counts: { matched: 6 } },
      { command: 'forget', job: 'leads', counts: { companies: 1, removed: 1 }, exitCode: 0 },
    ]);
    const unreached = await dossier(workplace, `forget ${value} --job job.yaml`, {
      ...env,
      WAREHOUSE_URL: 'postgres://127.0.0.1:1/none',
    });
    expect(unreached.exitCode).toBe(69);
    const said = unreached.stderr.replaceAll('\n', ' ');
    expect(said).toMatch(
      /connection refused Check that PostgreSQL .* Then run the same forget again;/,
    );
    expect(said).not.toMatch(/dossier export|in the ledger/);
  },
);

testWithPostgres(
  'tables that hold a run of another ledger lose the company and the person, and keep that run',
  async () => {
    await using workplace = await openWorkplace({ companies: 4, people: 2 });
    await using postgres = await emptyDatabase();
    const env = { WAREHOUSE_URL: postgres.url };
    workplace.write('leads.csv', listOfDomains(4));
    const job = {
      name: 'leads',
      input: { path: 'leads.csv' },
      people: { maxPerCompany: 5 },
      limits: { rate: 'none' },
      ledger: 'own.db',
      output: [{ path: 'out' }, { postgres: `\${WAREHOUSE_URL}`, schema: 'shared' }],
    };
    workplace.write('job.yaml', JSON.stringify(job));
    for (const ledger of ['own.db', 'other.db']) {
      await succeeded(dossier(workplace, `run job.yaml --ledger ${ledger}`, env));
    }
    const [person] = await postgres.sql(`select person_id from shared.people
      where company_id = 'c_1' order by 1`);
    const forget = (flags = '') =>
      dossier(workplace, `forget ${domainOf(0)} ${person} --job job.yaml --json${flags}`, env);
    const planned = JSON.parse((await forget(' --dry-run')).stdout);
    const done = await succeeded(forget());
    const facts = JSON.parse(done.stdout);
    expect({ ...facts, dryRun: true }).toEqual(planned);
    expect(facts.written).toContainEqual(expect.stringMatching(/^postgres:.*, schema shared$/));
    expect(facts.notReached).toContainEqual(
      expect.stringMatching(
        /^Another ledger, which wrote postgres:.*, schema shared\. Its next run/,
      ),
    );
    const counts = `select (select count(*) from shared.companies), (select count(*) from shared.people),
      (select count(*) from shared.companies where company_id = 'c_0'),
      (select count(*) from shared.people where company_id = 'c_0' or person_id = '${person}')`;
    expect(await postgres.sql(counts)).toEqual(['3|5|0|0']);
    using other = openLedger(join(workplace.folder, 'other.db'));
    expect(await postgres.sql(`select ledger_id from shared.runs order by loaded_at desc`)).toEqual(
      [other.id, expect.not.stringContaining(other.id)],
    );
  },
);

test('a second forget with another job rewrites the results of that job', async () => {
  await using workplace = await openWorkplace({ companies: 2 });
  const value = domainOf(0);
  workplace.write('leads.csv', listOfDomains(2));
  for (const folder of ['jobs', 'elsewhere']) {
    mkdirSync(join(workplace.folder, folder));
    const job = {
      name: folder,
      input: { path: '../leads.csv' },
      ledger: { path: '../ledger.db' },
      // Nothing in these columns identifies the company.
      output: { path: `../${folder}/out`, columns: ['row_number', 'company_name'] },
    };
    workplace.write(`${folder}/${folder}.yaml`, JSON.stringify(job));
    await succeeded(dossier(workplace, `run ${folder}/${folder}.yaml`));
  }
  const forget = (job: string) => dossier(workplace, `forget ${value} --job ${job} --json`);
  const first = JSON.parse((await forget('jobs/jobs.yaml')).stdout);
  // The ledger knows the files of its jobs.
  expect(first.written).toContain(join(workplace.folder, 'elsewhere/out'));
  expect(first.notReached.join()).not.toContain('Results of elsewhere');
  expect(await filesWith(workplace.folder, value)).toEqual(['leads.csv']);
  const [, gone, stays] = workplace.read('elsewhere/out/companies.csv').split('\n');
  expect([gone, stays]).toEqual(['1,', expect.stringMatching(/^2,\w/)]);
  // A lookup costs nothing and leaves no trace.
  const lookup = await dossier(workplace, `lookup ${value} --job jobs/jobs.yaml`);
  expect(lookup.exitCode, lookup.stderr).toBe(3);
  expect(await filesWith(workplace.folder, value)).toEqual(['leads.csv']);
  const undone = await dossier(workplace, `forget ${value} --undo --job jobs/jobs.yaml`);
  expect(undone.stdout).toBe('1 identifier may be looked up again.\n');
});

test('the result of a sheet, which has no job file, is reached where it was written', async () => {
  await using workplace = await openWorkplace({ companies: 2 });
  const value = domainOf(0);
  const rows = textRow(1, 'website') + textRow(2, value) + textRow(3, domainOf(1));
  const sheets = ['North', 'South'].map((name) => ({ name, rows }));
  writeFileSync(join(workplace.folder, 'two.xlsx'), makeWorkbook({ sheets }));
  await succeeded(dossier(workplace, 'run two.xlsx --sheet South --ledger ledger.db'));
  const result = 'output/two-south/companies.csv';
  expect(workplace.read(result)).toContain(value);
  mkdirSync(join(workplace.folder, 'other'));
  const line = `forget ${value} --json --ledger ${join(workplace.folder, 'ledger.db')}`;
  const env = { DOSSIER_URL: workplace.url, DOSSIER_API_KEY: journeyKey };
  const cwd = join(workplace.folder, 'other');
  const elsewhere = await succeeded(runDossier([...line.split(' '), '--dry-run'], { cwd, env }));
  expect(JSON.parse(elsewhere.stdout).notReached).toContain(
    'Results of the list two-south, which ran in another folder. Run forget again there.',
  );
  const done = JSON.parse((await succeeded(dossier(workplace, line))).stdout);
  expect(done.written).toEqual([join(workplace.folder, 'output/two-south')]);
  expect(done.notReached.join()).not.toContain('two-south');
  expect(workplace.read(result)).not.toContain(value);
});

testWithRedis('shared answers about a forgotten company are deleted in Redis', async () => {
  await using workplace = await openWorkplace({ companies: 3, people: 1 });
  await using server = await startRedis();
  const env = { DOSSIER_SHARE: server.url };
  workplace.write('leads.csv', listOfDomains(3));
  const job = ['name: leads', 'input: { path: leads.csv }', 'people: { maxPerCompany: 5 }'];
  workplace.write('job.yaml', [...job, 'output: { path: out }'].join('\n'));
  await succeeded(dossier(workplace, 'run job.yaml', env));
  const redis = new Redis(server.url);
  const shared = async () => {
    const names = await redis.keys('dossier:*:answer:*');
    const bodies = names.map((name) => redis.hgetBuffer(name, 'body'));
    return (await Promise.all(bodies))
      .map((body) => String(body && zstdDecompressSync(body)))
      .sort();
  };
  try {
    const before = await shared();
    expect(before.filter((body) => /company0|c_0/.test(body))).toHaveLength(2);
    const forget = (flags = '', at = server.url) =>
      dossier(workplace, `forget ${domainOf(0)} --job job.yaml --json${flags}`, {
        DOSSIER_SHARE: at,
      });
    const planned = JSON.parse((await forget(' --dry-run')).stdout);
    expect(await shared()).toHaveLength(before.length);
    // The first forget cannot reach Redis, so the next one finishes it.
    const unreached = await forget('', 'redis://127.0.0.1:1');
    expect(unreached.exitCode).toBe(69);
    expect(unreached.stderr.replaceAll('\n', ' ')).toContain('Then run the same command again.');
    const done = await succeeded(forget());
    expect(JSON.parse(done.stdout).written).toEqual(planned.written);
    expect(planned.written).toContain(`shared answers in Redis at 127.0.0.1:${server.port}`);
    // The last page of people is empty.
    const kept = before.filter((body) => !/company0|c_0/.test(body));
    expect(await shared()).toEqual(kept.slice(1));
  } finally {
    redis.disconnect();
  }
});

test('names of columns are cleared, and names of lists and removed lists are reported', async () => {
  await using workplace = await openWorkplace({ companies: 2 });
  const value = domainOf(0);
  const list = `leads_${value}.csv`;
  const column = `see ${value}`;
  workplace.write(
    list,
    `website,${column}\n${domainOf(1)},contract_${value}.pdf\n${domainOf(1)},my-${value}`,
  );
  const input = { path: list, key: column };
  const job = { name: 'leads', input, suppress: ['never/s.csv'], ledger: 'data/ledger.db' };
  workplace.write('job.yaml', JSON.stringify({ ...job, output: { path: 'out' } }, null, 1));
  workplace.write('never-run.csv', `website\n${value}`);
  for (const name of ['nights', 'never']) mkdirSync(join(workplace.folder, name));
  workplace.write('nights/n1.csv', `website,${column}\n${domainOf(1)},${value}`);
  workplace.write('never/s.csv', `website\n${value}`);
  mkdirSync(join(workplace.folder, 'removed'));
  workplace.write('removed/old.csv', `website\nhttps://${value}/about`);
  workplace.write('removed/other.csv', `website\nnot${value}`);
  await succeeded(dossier(workplace, 'run job.yaml'));
  await succeeded(dossier(workplace, 'run job.yaml --input nights/n1.csv'));
  expect(workplace.read('out/companies.csv')).toContain('input_see_company0_sample_com_au');
  const planned = await dossier(workplace, `forget ${value} --job job.yaml --dry-run --json`);
  const done = await succeeded(dossier(workplace, `forget ${value} --job job.yaml --json`));
  const facts = JSON.parse(done.stdout);
  expect({ ...facts, dryRun: true }).toEqual(JSON.parse(planned.stdout));
  expect(facts.left).toEqual(
    [...['job.yaml', list, 'never/s.csv', 'never-run.csv', 'nights/n1.csv', 'removed/old.csv']]
      .map((name) => join(workplace.folder, name))
      .sort(),
  );
  expect(facts.notReached.slice(0, 2)).toEqual([
    expect.stringContaining(`The name of a list: ${join(workplace.folder, list)}.`),
    `Values that may name others, so they stay: my-${value}.`,
  ]);
  expect(workplace.read('out/companies.csv')).not.toMatch(/company0.sample/);
  {
    using db = openDatabase(join(workplace.folder, 'data/ledger.db'));
    const names = db.value.prepare('select columns, key_columns as key from run').get();
    expect(names).toEqual({ columns: '["website","forgotten_2"]', key: '["forgotten_2"]' });
  }
  await succeeded(dossier(workplace, 'ledger check job.yaml'));
  const requests = workplace.seen.length;
  const again = await dossier(workplace, 'run job.yaml --json');
  expect(JSON.parse(again.stdout)).toMatchObject({ rows: { matched: 2 } });
  expect(workplace.seen).toHaveLength(requests);
});

test('ids of any form are forgotten if the ledger knows them', async () => {
  await using workplace = await openWorkplace({ companies: 2, people: 2 });
  workplace.write('leads.csv', listOfDomains(2));
  const job = ['name: leads', 'input: { path: leads.csv }', 'people: { maxPerCompany: 5 }'];
  workplace.write('job.yaml', [...job, 'output: { path: out }'].join('\n'));
  await succeeded(dossier(workplace, 'run job.yaml'));
  const forget = (id: string) => dossier(workplace, `forget ${id} --job job.yaml`);
  const [person = ''] = /c_0-[\w-]+/.exec(workplace.read('out/people.csv')) ?? [];
  workplace.write('requests.csv', `who\n${person}`);
  const planned = await forget(`--file requests.csv --dry-run --json`);
  expect(JSON.parse(planned.stdout)).toMatchObject({ people: 1, companies: 0 });
  // The second time, only the hash is left to know it by.
  for (const people of [1, 0]) {
    const done = await succeeded(forget(`${person} --json`));
    expect(JSON.parse(done.stdout)).toMatchObject({ people, companies: 0 });
  }
  expect(await filesWith(workplace.folder, person)).toEqual(['requests.csv']);
  expect((await forget('c_1 --json')).stdout).toContain('"companies":1');
  const unknown = await forget('c_0-other');
  expect(unknown.exitCode).toBe(64);
  expect(unknown.stderr.replaceAll(/\s+/g, ' ')).toContain('and the ledger has no such id');
  const undone = await forget(`${person} --undo`);
  expect(undone.stdout).toBe('1 identifier may be looked up again.\n');
});

test('a damaged suppression list is noticed before anything is forgotten, and other ledgers are named', async () => {
  await using workplace = await openWorkplace({ companies: 1 });
  const value = domainOf(0);
  workplace.write('leads.csv', listOfDomains(1));
  for (const name of ['own', 'other']) {
    workplace.write('never.csv', 'nobody.com.au');
    const lines = [
      ...[`name: ${name}`, 'input: { path: leads.csv }', 'suppress: never.csv'],
      ...[`ledger: { path: ${name}.db }`, `output: { path: out-${name} }`],
    ];
    workplace.write(`${name}.yaml`, lines.join('\n'));
    await succeeded(dossier(workplace, `run ${name}.yaml`));
  }
  const before = await filesWith(workplace.folder, value);
  workplace.write('never.csv', '');
  const refused = await dossier(workplace, `forget ${value} --job own.yaml`);
  expect(refused.exitCode, refused.stderr).toBe(65);
  expect(await filesWith(workplace.folder, value)).toEqual(before);
  workplace.write('never.csv', 'nobody.com.au');
  const done = await dossier(workplace, `forget ${value} --job own.yaml --json`);
  expect(JSON.parse(done.stdout).notReached).toContainEqual(
    expect.stringMatching(/^other\.db, the ledger of other jobs/),
  );
  const unknown = 'The ledger has no data about these identifiers.';
  const missed = await dossier(workplace, 'forget misspelt.com.au --job own.yaml');
  expect(missed.stdout).toContain(unknown);
});
