import { expect, test } from 'vitest';
import { runDossier } from '../support/run-dossier.ts';
import { abnsOf, domainOf, slugOf } from './sample-companies.ts';
import { journeyKey, openWorkplace } from './workplace.ts';

const all = [0, 1, 2, 3, 4, 5];

test('suppressed companies are not looked up and not shown, even if they were paid for', async () => {
  await using workplace = await openWorkplace({ companies: 6, people: 1 });
  const { folder: cwd, url, asked } = workplace;
  const env = { DOSSIER_URL: url, DOSSIER_API_KEY: journeyKey };
  const dossier = (...args: string[]) => runDossier(args, { cwd, env });
  const job = { name: 'leads', input: 'leads.csv', people: {}, suppress: 'do-not-contact.csv' };
  workplace.write('leads.csv', ['website', ...all.map(domainOf)].join('\n'));
  workplace.write('job.yaml', JSON.stringify({ ...job, input: { path: 'leads.csv' } }));

  const missing = await workplace.run(['job.yaml']);
  expect(missing).toMatchObject({ exitCode: 65 });
  expect(missing.stderr).toContain('SUPPRESS_UNREADABLE');
  expect(asked()).toEqual([]);

  // Of the six, one is known by its domain before it is paid for.
  workplace.write('do-not-contact.csv', `site\n${domainOf(5)}\n`);
  await workplace.run(['job.yaml']);
  expect(asked().join('\n')).not.toContain(domainOf(5));
  const paid = asked().length;

  const lines = ['who,what,company_id', `Jane,${domainOf(5)},`, `,${abnsOf[0]},`];
  lines.push(`,https://www.linkedin.com/company/${slugOf(1)}/,`, ',,c_2');
  workplace.write('do-not-contact.csv', lines.join('\n'));
  const plan = await dossier('plan', 'job.yaml', '--json');
  expect(JSON.parse(plan.stdout)).toMatchObject({ rows: { suppressed: 4, open: 0 } });
  const run = await workplace.run(['job.yaml']);
  expect(run.stderr).toContain('1 cell is not an identifier');
  expect(JSON.parse(run.stdout)).toMatchObject({
    rows: { total: 6, matched: 2, suppressed: 4 },
    people: 2,
    changes: { company_lost: 3 },
  });
  const texts = ['companies', 'people', 'changes'].map((name) =>
    workplace.read(`output/${name}.jsonl`),
  );
  for (const number of [0, 1, 2, 5]) {
    expect(texts.join('\n')).not.toMatch(new RegExp(`"c_${number}"|Company ${number}`));
  }
  expect(texts.join('\n')).toContain('"c_3"');

  const lookup = await dossier('lookup', domainOf(0), '--job', 'job.yaml', '--json');
  expect(lookup).toMatchObject({ exitCode: 3 });
  expect(JSON.parse(lookup.stdout)).toMatchObject({ status: 'suppressed', company: null });
  const changes = await dossier('changes', 'job.yaml', '--json');
  expect(changes.stdout).not.toContain('Company 0');
  const status = await dossier('status', 'job.yaml');
  expect(status.stdout).toContain('4 suppressed');
  expect(asked()).toHaveLength(paid);
});
