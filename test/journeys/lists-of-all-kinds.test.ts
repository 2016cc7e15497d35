import { rmSync, utimesSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { domainOf, listOfDomains } from './sample-companies.ts';
import { openWorkplace, summaryOf, type Workplace } from './workplace.ts';

const service = { companies: 5 };

async function summaryAfter(workplace: Workplace, args: string[], input?: string | Buffer) {
  const finished = await workplace.run(args, input === undefined ? {} : { input });
  expect(finished.exitCode, finished.stderr).toBe(0);
  return summaryOf(finished);
}

test.concurrent('the same list as a file, compressed, as JSON lines, as Parquet and from a pipe costs once', async () => {
  await using workplace = await openWorkplace(service);
  const csv = listOfDomains(5);
  const jsonl = csv
    .split('\n')
    .slice(1)
    .map((website) => JSON.stringify({ website }))
    .join('\n');
  const domains = csv.trim().split('\n').slice(1);
  const parquet = Buffer.from(
    parquetWriteBuffer({ columnData: [{ name: 'website', data: domains, type: 'STRING' }] }),
  );
  const matched = { rows: { total: 5, matched: 5 } };
  const bare = await summaryAfter(workplace, [workplace.write('leads.csv', csv)]);
  expect(bare).toMatchObject({ ...matched, calls: { made: 5 } });
  const others = [
    await summaryAfter(workplace, [workplace.write('zipped.csv.gz', gzipSync(csv))]),
    await summaryAfter(workplace, [workplace.write('lines.jsonl', jsonl)]),
    await summaryAfter(workplace, [workplace.write('table.parquet', parquet)]),
    await summaryAfter(workplace, ['-'], csv),
    await summaryAfter(workplace, ['-'], parquet),
    await summaryAfter(workplace, ['leads.csv', '--input', '-'], csv),
  ];
  for (const other of others) {
    expect(other).toMatchObject({ ...matched, calls: { made: 0, reused: 5 } });
  }
});

test.concurrent('a column that is not there is named with the one that was meant', async () => {
  await using workplace = await openWorkplace(service);
  workplace.write('leads.csv', listOfDomains(5));
  const identify = [{ column: 'Websites' }];
  const job = { name: 'leads', input: { path: 'leads.csv' }, identify };
  const finished = await workplace.run([workplace.write('job.yaml', JSON.stringify(job))]);
  expect(finished.exitCode).toBe(78);
  expect(finished.stderr).toContain('no column "Websites"; did you mean "website"?');
  expect(workplace.seen).toHaveLength(0);
});

test.concurrent('a first look at two rows is part of the whole list later', async () => {
  await using workplace = await openWorkplace(service);
  const path = workplace.write('leads.csv', listOfDomains(5));
  expect(await summaryAfter(workplace, [path, '--limit', '2'])).toMatchObject({
    rows: { total: 2 },
    calls: { made: 2 },
  });
  expect(await summaryAfter(workplace, [path])).toMatchObject({
    rows: { total: 5 },
    calls: { made: 3, reused: 2 },
  });
});

test.concurrent('a list that is gone does not keep a run from going on; one that changed is read', async () => {
  await using workplace = await openWorkplace(service);
  const path = workplace.write('leads.csv', listOfDomains(4));
  const stopped = await workplace.run([path, '--max-calls', '1']);
  expect(stopped.exitCode, stopped.stderr).toBe(75);
  rmSync(path);
  const unreadable = await workplace.run([path, '--limit', '3']);
  expect(unreadable.exitCode, unreadable.stderr).toBe(65);
  const resumed = await summaryAfter(workplace, [path]);
  expect(resumed).toMatchObject({ resumed: true, rows: { matched: 4 }, calls: { made: 3 } });

  const finished = await workplace.run([path]);
  expect(finished.exitCode, finished.stderr).toBe(65);
});

test.concurrent('a list that changed between two runs is read anew', async () => {
  await using workplace = await openWorkplace(service);
  const path = workplace.write('leads.csv', listOfDomains(4));
  const stopped = await workplace.run([path, '--max-calls', '2']);
  expect(stopped.exitCode, stopped.stderr).toBe(75);
  workplace.write('leads.csv', ['website', domainOf(0), domainOf(4), domainOf(9)].join('\n'));
  utimesSync(path, new Date(), new Date(Date.now() + 5_000));
  const changed = await summaryAfter(workplace, [path]);
  expect(changed).toMatchObject({
    resumed: false,
    rows: { total: 3, matched: 2, not_found: 1 },
    calls: { made: 2, reused: 1 },
  });
});
