import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { readFixing } from '../../src/run/fix/read-fixing.ts';
import { listCorrections } from '../../src/run/fix/stored-corrections.ts';
import { readJob } from '../../src/run/jobs/read-job.ts';
import { makeWorkbook } from '../support/make-workbook.ts';
import { type Finished, runDossier, succeeded } from '../support/run-dossier.ts';
import { domainOf } from './sample-companies.ts';
import { endOf, openWorkplace, summaryOf, type Workplace } from './workplace.ts';

/** Companies 0 to 4 are known. */
const known = { companies: 5 };
const bad = (number: number) => domainOf(number).replace('-sample.', '-sample,');

const list = `name,website,country,note
Anna,${domainOf(0)},,first
Bert,"${bad(1)}",,second
Carl,somebody@gmail.com,,third
Dora,${domainOf(9)},,fourth
Emil,${domainOf(3)},Germany,fifth
Fred,"${bad(1)}",,sixth
`;

const yaml = (more: object = {}) =>
  JSON.stringify({
    name: 'leads',
    input: { path: 'leads.csv' },
    identify: [{ column: 'website' }],
    country: { column: 'country', default: 'AU' },
    ...more,
  });

interface Reject {
  readonly name: string;
  readonly row_key: string;
}

/** Runs the list, and gives the keys of its rejects by name. */
async function runList(workplace: Workplace, job: object = {}): Promise<Record<string, string>> {
  workplace.write('leads.csv', list);
  workplace.write('job.yaml', yaml(job));
  await succeeded(workplace.run(['job.yaml']));
  return Object.fromEntries(
    workplace.records('rejects.jsonl').map((row) => {
      const { name, row_key } = row as unknown as Reject;
      return [name, row_key];
    }),
  );
}

/** What was asked since. */
function askedAfter(workplace: Workplace, before: number): string[] {
  return workplace
    .asked()
    .slice(before)
    .map((request) => /company\d+-sample/.exec(request)?.[0] ?? request)
    .sort();
}

function notesOf({ stdout, stderr }: Finished): string {
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as { notes: string[] }).notes.join('\n');
}

const statuses = ({ records }: Workplace) =>
  Object.fromEntries(
    records('companies.jsonl').map((row) => [row.input_name as string, row.status as string]),
  );

test('rejects that a spreadsheet has saved are folded back, and only they are asked for', async () => {
  await using workplace = await openWorkplace(known);
  const keys = await runList(workplace);
  const before = workplace.records('companies.jsonl').map(({ row_key }) => row_key);
  expect(keys.Fred).toBe(`${keys.Bert}#2`);
  // Sorted and cut down, with other columns first, one of its own, a byte order mark and semicolons.
  const saved = [
    '\uFEFFrow_key;Website;checked by;country;name;note',
    `${keys.Emil};${domainOf(3)};me;Australia;Emil;fifth`,
    `${keys.Fred};${domainOf(2)};me;;Fred;other`,
    `${keys.Bert};${domainOf(1)};me;;Bert;second`,
    `${keys.Carl};still@gmail.com;me;;Carl;third`,
  ];
  workplace.write('fixed.csv', saved.join('\r\n'));
  const asked = workplace.seen.length;

  const planned = await workplace.fix(['job.yaml', 'fixed.csv', '--dry-run']);
  const plan = JSON.parse(planned.stdout) as { plan: object };
  expect(plan).toMatchObject({ ignored: { note: 1 }, refused: [{ reason: 'freemail' }] });
  expect(plan.plan).toMatchObject({ rows: { total: 3 }, calls: { companies: 3, most: 4 } });
  expect(existsSync(join(workplace.folder, 'job.fixed.jsonl'))).toBe(false);
  expect(workplace.seen.length).toBe(asked);

  const fixed = await succeeded(workplace.fix(['job.yaml', 'fixed.csv']));
  expect(askedAfter(workplace, asked), fixed.stdout + fixed.stderr).toEqual([
    'company1-sample',
    'company2-sample',
    'company3-sample',
  ]);
  expect(summaryOf(fixed).rows).toMatchObject({ total: 6, matched: 4, invalid: 1, not_found: 1 });
  expect(notesOf(fixed)).toContain('3 new corrections for job.fixed.jsonl.');
  expect(notesOf(fixed)).toContain('3 corrections applied;');
  expect(notesOf(fixed)).toContain(`Not used: row ${keys.Carl}, website: "still@gmail.com".`);
  expect(notesOf(fixed)).toContain('Ignored cells of "note" (1)');

  // The result is whole: rows keep their places and keys, and show what was fixed.
  const companies = workplace.records('companies.jsonl');
  expect(companies.map(({ row_key }) => row_key)).toEqual(before);
  expect(companies.map(({ input_website }) => input_website)).toEqual([
    domainOf(0),
    domainOf(1),
    'somebody@gmail.com',
    domainOf(9),
    domainOf(3),
    domainOf(2),
  ]);
  expect(companies.map(({ input_note }) => input_note)).toContain('sixth');
  expect(workplace.records('rejects.jsonl').map(({ name }) => name)).toEqual(['Carl', 'Dora']);
  expect(JSON.parse(workplace.read('output/manifest.json'))).toMatchObject({
    corrections: 3,
    rows: { total: 6 },
    changes: { company_found: 3 },
  });

  // Neither the same file again nor a run costs anything.
  for (const again of [
    await workplace.fix(['job.yaml', 'fixed.csv']),
    await workplace.run(['job.yaml']),
  ]) {
    expect(again.exitCode, again.stderr).toBe(0);
    expect(summaryOf(again).calls.made).toBe(0);
    expect(notesOf(again)).toContain('3 corrections applied');
  }
  await succeeded(
    runDossier(['export', 'job.yaml', '--run', 'r1', '--output', 'old', '--format', 'csv'], {
      cwd: workplace.folder,
    }),
  );
  expect(workplace.read('old/rejects.csv')).toContain(bad(1));
});

test('a run keeps a rejects file with changes that it does not read', async () => {
  await using workplace = await openWorkplace(known);
  await runList(workplace);
  const change = (number: number, to: number) => {
    const path = 'output/rejects.jsonl';
    workplace.write(path, workplace.read(path).replace(domainOf(number), domainOf(to)));
    return workplace.read(path);
  };
  const copies = () =>
    readdirSync(join(workplace.folder, 'output')).filter((name) => name.includes('edited'));
  const edited = change(9, 4);
  // A run that stops replaces nothing, so the next one has the same changes.
  await workplace.run(['job.yaml', '--refresh', 'all', '--max-calls', '0']);
  const ran = await succeeded(workplace.run(['job.yaml']));
  const [copy] = copies();
  for (const said of [notesOf(ran), ran.stderr])
    expect(said).toContain(`look them up with \`dossier fix job.yaml output/${copy} --`);
  expect(workplace.read(`output/${copy}`)).toBe(edited);
  expect(statuses(workplace)).toMatchObject({ Dora: 'not_found' });

  // Changes that `fix` has stored need no copy.
  change(9, 3);
  await succeeded(workplace.fix(['job.yaml', 'output/rejects.jsonl']));
  expect(statuses(workplace)).toMatchObject({ Dora: 'matched' });
  expect(copies()).toEqual([copy]);
});

test('rows whose answer has expired or whose call failed are not asked for by fixing', async () => {
  let isBroken = true;
  await using workplace = await openWorkplace(known, ({ path }) =>
    isBroken && path.includes(domainOf(9)) ? { status: 500 } : undefined,
  );
  workplace.write('leads.csv', list);
  const never = { companies: 0, misses: 0, people: 0, staleOnFailure: 0 };
  workplace.write('job.yaml', yaml({ reuse: never, limits: { attempts: 1 } }));
  expect((await workplace.run(['job.yaml'])).exitCode).toBe(3);
  isBroken = false;
  const [bert] = workplace.records('rejects.jsonl');
  const asked = workplace.seen.length;

  workplace.write('fixed.jsonl', JSON.stringify({ ...bert, website: domainOf(1) }));
  const fixed = await workplace.fix(['job.yaml', 'fixed.jsonl']);
  expect(fixed.exitCode, fixed.stderr).toBe(3);
  expect(fixed.stderr).toMatch(/` retries what\s+failed/);
  expect(askedAfter(workplace, asked)).toEqual(['company1-sample']);
  expect(statuses(workplace)).toMatchObject({ Anna: 'matched', Bert: 'matched', Dora: 'failed' });

  // The next run is one as always.
  const night = await succeeded(workplace.run(['job.yaml']));
  expect(summaryOf(night).calls.made).toBe(3);
  expect(statuses(workplace)).toMatchObject({ Bert: 'matched', Dora: 'not_found' });
});

test('fixing that is killed goes on, and asks for what is left', async () => {
  let isHanging = true;
  await using workplace = await openWorkplace(known, ({ path }) =>
    isHanging && path.includes(domainOf(4)) ? { neverAnswer: true } : undefined,
  );
  const keys = await runList(workplace, { limits: { concurrency: 1 } });
  const asked = workplace.seen.length;
  const rows = [`${keys.Bert},${domainOf(1)}`, `${keys.Carl},${domainOf(4)}`];
  workplace.write('fixed.csv', ['row_key,website', ...rows].join('\n'));
  const ledger = new Database(join(workplace.folder, '.home/dossier/ledger.db'), {
    readonly: true,
  });
  const stored = () => Number(ledger.prepare('select count(*) from answer').pluck().get());
  const before = stored();
  const child = workplace.start(['job.yaml', 'fixed.csv'], 'fix');
  await workplace.untilSeen(asked + 2);
  // The first answer is in the ledger, too, and not only with the process that is killed.
  await expect.poll(stored).toBe(before + 1);
  ledger.close();
  child.kill('SIGKILL');
  await endOf(child);
  isHanging = false;

  const resumed = await succeeded(workplace.fix(['job.yaml']));
  expect(summaryOf(resumed)).toMatchObject({ resumed: true, rows: { matched: 3 } });
  expect(askedAfter(workplace, asked)).toEqual([
    'company1-sample',
    'company4-sample',
    'company4-sample',
  ]);

  // A second file adds to the first, though it still shows what was rejected before.
  const later = [`${keys.Bert},"${bad(1)}"`, `${keys.Dora},${domainOf(2)}`];
  workplace.write('later.csv', ['row_key,website', ...later].join('\n'));
  const second = await succeeded(workplace.fix(['job.yaml', 'later.csv']));
  expect(summaryOf(second)).toMatchObject({ rows: { matched: 4 }, calls: { made: 1 } });
  expect(statuses(workplace)).toMatchObject({ Bert: 'matched', Carl: 'matched', Dora: 'matched' });
});

test('a correction ends when the list is corrected at its source, or when it is dropped', async () => {
  await using workplace = await openWorkplace(known);
  const { folder } = workplace;
  const keys = await runList(workplace, { input: { path: 'leads.csv', key: 'name' } });
  expect(keys.Bert).toBe('Bert');
  const rows = [`Bert,${domainOf(1)}`, `Carl,${domainOf(2)}`];
  workplace.write('fixed.csv', ['row_key,website', ...rows].join('\n'));
  await succeeded(workplace.fix(['job.yaml', 'fixed.csv']));

  workplace.write('leads.csv', list.replace(`"${bad(1)}"`, domainOf(4)));
  const night = await workplace.run(['job.yaml']);
  expect(notesOf(night)).toContain(`1 correction applied`);
  expect(workplace.records('companies.jsonl')[1]).toMatchObject({ input_website: domainOf(4) });

  const cli = (...args: string[]) => runDossier(['fix', 'job.yaml', ...args], { cwd: folder });
  const ledger = join(folder, '.home/dossier/ledger.db');
  const job = readJob(join(folder, 'job.yaml'), { url: workplace.url, ledger });
  expect((await listCorrections(job)).corrections).toMatchObject([
    { row_key: 'Bert', was: bad(1), now: domainOf(1), state: 'unneeded' },
    { row_key: 'Carl', state: 'applies' },
  ]);
  expect((await cli('--list')).stdout).toMatch(
    / Bert[\s\S]* unneeded\n[\s\S]* Carl[\s\S]* applies\n+$/,
  );
  expect((await cli('--drop', 'Anna')).stderr).toContain('has no correction for "Anna"');
  expect((await cli('--drop', 'Bert')).stdout).toMatch(/left +1\n/);
  expect((await cli('--drop', '--all')).stdout).toMatch(/ Carl\n[\s\S]*left +0\n/);
  expect(existsSync(join(folder, 'job.fixed.jsonl'))).toBe(false);
  await workplace.run(['job.yaml']);
  expect(statuses(workplace)).toMatchObject({ Carl: 'invalid' });
});

test('a file that fixes nothing is refused with the reason', async () => {
  await using workplace = await openWorkplace(known);
  const keys = await runList(workplace);
  const { folder } = workplace;
  const path = join(folder, 'fixed.csv');
  const ledger = join(folder, '.home/dossier/ledger.db');
  const job = readJob(join(folder, 'job.yaml'), { url: workplace.url, ledger });
  const reading = (text: string) => {
    workplace.write('fixed.csv', text);
    return readFixing(job, path);
  };
  for (const [text, message] of [
    [
      `name,website\nBert,${domainOf(1)}\n`,
      'no column "row_key", which says to which row a correction belongs',
    ],
    ['row_key,company_name\nx,y\n', 'can be corrected: "website", "country"'],
    [
      `row_key,website\nother,${domainOf(1)}\n`,
      'Rows left out, because the list does not have their row_key: 1 ("other").',
    ],
    [`row_key,website\n${keys.Bert},"${bad(1)}"\n`, 'No cell of "website", "country" differs'],
    [`row_key,website\n${keys.Bert},nowhere\n`, `Not used: row ${keys.Bert}, website: "nowhere".`],
  ] as const) {
    const refusal = expect(reading(text), text).rejects;
    await refusal.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining(message),
    });
  }
  const command = await workplace.fix(['job.yaml', 'fixed.csv']);
  expect(command.exitCode).toBe(65);
  expect(existsSync(join(folder, 'job.fixed.jsonl'))).toBe(false);
});

test('without a good run to stand on, corrections are kept for the next one', async () => {
  await using workplace = await openWorkplace(known);
  workplace.write('leads.csv', list);
  workplace.write('job.yaml', yaml({ expect: { matchRate: '>= 30%' } }));
  expect((await workplace.run(['job.yaml'])).exitCode).toBe(4);
  const companies = JSON.parse(
    workplace.read('output/held-r1/companies.jsonl').split('\n')[1] ?? '',
  ) as Reject;
  workplace.write('fixed.csv', `row_key,website\n${companies.row_key},${domainOf(1)}\n`);
  const asked = workplace.seen.length;
  const planned = await workplace.fix(['job.yaml', 'fixed.csv', '--dry-run']);
  expect(planned.exitCode).toBe(75);
  expect(planned.stderr).toContain(
    'r1 is held, and corrections can only be added to a published result',
  );
  expect(existsSync(join(workplace.folder, 'job.fixed.jsonl'))).toBe(false);
  const refused = await workplace.fix(['job.yaml', 'fixed.csv']);
  expect(refused.exitCode).toBe(75);
  expect(refused.stderr).toContain('1 new correction for job.fixed.jsonl');
  expect(JSON.parse(refused.stdout)).toMatchObject({
    message: 'the result of r1 is held, and corrections can only be added to a published result',
    remedy: expect.stringContaining('apply the stored corrections'),
  });
  expect(workplace.seen.length).toBe(asked);
  await succeeded(workplace.run(['job.yaml']));
  expect(statuses(workplace)).toMatchObject({ Bert: 'matched' });
});

test('a bare workbook is fixed from a workbook, beside which the corrections are', async () => {
  await using workplace = await openWorkplace(known);
  const workbook = (...sheets: [name: string, rows: readonly (readonly string[])[]][]) =>
    makeWorkbook({ sheets: sheets.map(([name, rows]) => ({ name, rows: rowsXml(rows) })) });
  const leads = [
    ['name', 'website'],
    ['Anna', domainOf(0)],
    ['Bert', bad(1)],
    ['Carl', domainOf(2)],
  ];
  workplace.write('leads.xlsx', workbook(['Leads', leads]));
  await succeeded(workplace.run(['leads.xlsx']));
  const [bert] = workplace.records('rejects.jsonl') as unknown as Reject[];
  const fixed = [
    ['row_key', 'website'],
    [bert?.row_key ?? '', domainOf(1)],
  ];
  workplace.write('fixed.xlsx', workbook(['Companies', leads], ['Rejects', fixed]));
  const dry = await succeeded(workplace.fix(['leads.xlsx', 'fixed.xlsx', '--dry-run']));
  // Corrections do not make it another list.
  expect(JSON.parse(dry.stdout)).toMatchObject({ plan: { replaces: null } });
  const finished = await succeeded(workplace.fix(['leads.xlsx', 'fixed.xlsx']));
  expect(summaryOf(finished)).toMatchObject({ rows: { matched: 3 }, calls: { made: 1 } });
  const [correction] = workplace.read('leads.xlsx.fixed.jsonl').trim().split('\n');
  expect(JSON.parse(correction ?? '')).toMatchObject({ was: bad(1), now: domainOf(1) });
});

function rowsXml(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  return rows.map((cells) => `<row>${cells.map(cell).join('')}</row>`).join('');
}

test('a correction follows its row where other rows have the same identifiers', async () => {
  await using workplace = await openWorkplace(known);
  workplace.write('job.yaml', yaml());
  const header = 'name,website,country,note';
  const [alpha, beta, top] = ['Alpha,n/a,,one', 'Beta,n/a,,two', 'Top,n/a,,new'];
  for (const rows of [
    [alpha, beta],
    // Nothing repeats the key yet.
    [beta],
  ]) {
    workplace.write('leads.csv', [header, ...rows, `Anna,${domainOf(0)},,`].join('\n'));
    await workplace.run(['job.yaml']);
    const found = workplace.records('rejects.jsonl').find(({ name }) => name === 'Beta');
    workplace.write('fixed.csv', `row_key,website\n${found?.row_key},${domainOf(1)}`);
    await succeeded(workplace.fix(['job.yaml', 'fixed.csv']));
    workplace.write('leads.csv', [header, top, ...rows, `Anna,${domainOf(0)},,`].join('\n'));
    await succeeded(workplace.run(['job.yaml']));
    const others = rows.length > 1 ? { Alpha: 'invalid' } : {};
    const expected = { Top: 'invalid', ...others, Beta: 'matched', Anna: 'matched' };
    expect(statuses(workplace)).toEqual(expected);
    workplace.write('job.fixed.jsonl', '');
  }
});
