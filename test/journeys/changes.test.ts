import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ChangeJson } from '../../src/cli/changes.ts';
import { noChanges } from '../../src/results/compare-runs.ts';
import { ensurePages } from '../support/built-page.ts';
import { runDossier } from '../support/run-dossier.ts';
import { companyOf, domainOf, found, numberAsked } from './sample-companies.ts';
import { openWorkplace, type Workplace } from './workplace.ts';

beforeAll(ensurePages);

/** What the service knows tonight; a company is `down` when its call fails. */
interface Night {
  readonly companies: Readonly<Record<number, object | 'down' | undefined>>;
  readonly people?: Readonly<Record<string, readonly object[]>>;
}

const notFound = {
  status: 404,
  body: JSON.stringify({ error: 404, message: 'Company not found' }),
};

function company(number: number, changes: object = {}): object {
  return { ...companyOf(number), employee_count: 50, phones: ['+61 2 5550 1234'], ...changes };
}

async function openNights() {
  let tonight: Night = { companies: {} };
  const workplace = await openWorkplace({ companies: 0 }, ({ method, path, body }) => {
    if (method === 'POST') {
      const { companyId = '', from } = JSON.parse(body) as Record<string, string>;
      return found(Number(from) > 0 ? [] : (tonight.people?.[companyId] ?? []));
    }
    const answer = tonight.companies[numberAsked(path)];
    if (answer === 'down') return { status: 500, body: 'down' };
    return answer ? found(answer) : notFound;
  });
  const run = async (list: readonly string[], night: Night, args: readonly string[] = []) => {
    tonight = night;
    workplace.write('leads.csv', ['crm_id,website', ...list].join('\n'));
    const finished = await workplace.run(['job.yaml', ...args]);
    return JSON.parse(finished.stdout) as { changes: Record<string, unknown> };
  };
  return Object.assign(workplace, { run: workplace.run, night: run });
}

function changesOf(workplace: Workplace) {
  return workplace
    .records('changes.jsonl')
    .map(({ op, row_key, person_id }) => [op, person_id ?? row_key].join(' '));
}

const row = (number: number) => `crm-${number},${domainOf(number)}`;
const ceo = { person_id: 'p1', position: 'CEO', company_name: 'Company 1' };
const cto = { person_id: 'p2', position: 'CTO', company_name: 'Company 1' };

test('changes.jsonl has the changes since the last complete run, and an export repeats them', async () => {
  await using workplace = await openNights();
  const { night } = workplace;
  const job = {
    name: 'leads',
    input: { path: 'leads.csv', key: 'crm_id' },
    people: { seniority: [3] },
    limits: { attempts: 1 },
    // Rows keep no older answer, so a first miss is a change at once.
    reuse: { companies: 0, misses: 0, people: 0, staleOnFailure: 0 },
  };
  workplace.write('job.yaml', JSON.stringify(job));
  const people = { c_1: [ceo], c_2: [{ ...ceo, person_id: 'p7' }] };
  const first = { 1: company(1), 2: company(2), 4: company(4), 5: company(5) };

  // The first run has an empty file of changes.
  const one = await night([row(1), row(2), row(3), row(4), row(5)], { companies: first, people });
  expect(one.changes).toEqual({ since: null, ...noChanges() });
  expect(workplace.read('output/changes.jsonl')).toBe('');

  // An unchanged night: another order, and new answers with the same facts.
  const two = await night([row(5), row(4), row(3), row(2), row(1)], { companies: first, people });
  expect(two.changes).toEqual({ since: 'r1', ...noChanges() });
  expect(workplace.read('output/changes.jsonl')).toBe('');

  const third: Night = {
    companies: {
      1: company(1, {
        employee_count: 120,
        nextGen: { web_traffic: { summary: { bounce_rate: 1 } } },
      }),
      3: company(3),
      4: company(9),
      6: company(6),
    },
    people: { c_1: [{ ...ceo, position: 'Chair' }, cto] },
  };
  const list = [row(6), row(1), row(3), row(4), row(5)];
  const three = await night(list, third);
  expect(three.changes).toMatchObject({
    since: 'r2',
    row_added: 1,
    row_removed: 1,
    company_found: 1,
    company_lost: 1,
    company_replaced: 1,
    company_changed: 1,
    person_joined: 1,
    person_changed: 1,
  });
  expect(changesOf(workplace)).toEqual([
    'row_added crm-6',
    'company_changed crm-1',
    'company_found crm-3',
    'company_replaced crm-4',
    'company_lost crm-5',
    'row_removed crm-2',
    'person_changed p1',
    'person_joined p2',
  ]);
  expect(workplace.records('changes.jsonl')[1]).toMatchObject({
    company_id: 'c_1',
    company_name: 'Company 1',
    columns: ['company_employee_count'],
    before: '{"company_employee_count":50}',
    after: '{"company_employee_count":120}',
    since_run: 'r2',
    run: 'r3',
  });
  expect(JSON.parse(workplace.read('output/manifest.json'))).toMatchObject({
    changes: { since: 'r2', row_added: 1 },
  });
  expect(workplace.read('output/report.html')).toContain('"company_replaced":1');
  const written = workplace.read('output/changes.jsonl');
  // A failure is not a change, and neither is the same answer after it.
  const down = { ...third, companies: { ...third.companies, 1: 'down', 3: 'down' } } as const;
  const four = await night(list, down);
  expect(four.changes).toEqual({ since: 'r3', ...noChanges() });

  // A --limit run has no changes, and later runs are not compared with it.
  await night(list, third, ['--limit', '1']);
  const six = await night(list, third);
  expect(six.changes).toEqual({ since: 'r4', ...noChanges() });

  const dossier = (...args: string[]) => runDossier(args, { cwd: workplace.folder });
  // Any night can be written again, byte for byte.
  await dossier('export', 'job.yaml', '--run', 'r3', '--output', 'again', '--format', 'jsonl');
  expect(readFileSync(join(workplace.folder, 'again/changes.jsonl'), 'utf8')).toBe(written);

  const shown = await dossier('changes', 'job.yaml', '--from', 'r2', '--to', 'r3');
  expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
  expect(shown.stdout).toContain('leads: r2 → r3\n');
  expect(shown.stdout).toContain('company_employee_count: 50 → 120');
  expect(shown.stdout).toContain('crm-4  Company 4 → Company 9\n');
  expect(shown.stdout).toContain('crm-5  Company 5, not_found\n');

  // From the state then to the state now, over all the nights between.
  const lines = await dossier('changes', 'job.yaml', '--since', '0s', '--from', 'r1');
  expect(lines).toMatchObject({ exitCode: 64, stdout: '' });
  const since = await dossier('changes', 'job.yaml', '--since', '52w', '--json');
  expect(since.stderr).toBe(
    'No complete run is at least 364d old; comparing with the oldest run, r1.\n',
  );
  const joined = since.stdout
    .trimEnd()
    .split('\n')
    .map((line) => ChangeJson.parse(JSON.parse(line)))
    .filter(({ op }) => op === 'person_joined');
  expect(joined).toMatchObject([
    { op: 'person_joined', person_id: 'p2', since_run: 'r1', run: 'r6' },
  ]);
  expect(joined[0]?.after).toMatchObject({ position: 'CTO' });

  const errors: [string[], RegExp][] = [
    [['--from', 'r3', '--to', 'r2'], /r3 is not before r2; use --from r2 --to r3/],
    [['--since', 'tuesday'], /--since needs a time such as 12h, 7d or 4w, not "tuesday"/],
  ];
  for (const [args, message] of errors) {
    const refused = await dossier('changes', 'job.yaml', ...args);
    expect(refused.stderr, args.join(' ')).toMatch(message);
    expect([64, 65]).toContain(refused.exitCode);
  }
});
