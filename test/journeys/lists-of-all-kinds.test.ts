import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { succeeded } from '../support/run-dossier.ts';
import { listOfDomains } from './sample-companies.ts';
import { openWorkplace, summaryOf, type Workplace } from './workplace.ts';

const service = { companies: 5 };

async function summaryAfter(workplace: Workplace, args: string[], input?: string | Buffer) {
  const finished = await succeeded(workplace.run(args, input === undefined ? {} : { input }));
  return summaryOf(finished);
}

test('one list as CSV, gzip, JSON lines, Parquet and from a pipe costs once', async () => {
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
    await summaryAfter(workplace, ['-'], parquet),
  ];
  for (const other of others) {
    expect(other).toMatchObject({ ...matched, calls: { made: 0, reused: 5 } });
  }
});
