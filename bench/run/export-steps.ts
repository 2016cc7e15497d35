import { createHash } from 'node:crypto';
import type { Bundle, BundledBody } from '../../src/contract/call.ts';
import { toRowRecord } from '../../src/export/row-record.ts';
import { writeCsv } from '../../src/export/write-csv.ts';
import type { RowRecord } from '../../src/ledger/run-records.ts';
import { readAnswerJson } from '../../src/runtime/answer-json.ts';
import { bodyOf, bundleBodies } from '../../src/runtime/bundle.ts';
import { realisticCompanies } from '../service/realistic-companies.ts';

/** What one company costs in each step of an export, by the clock of the processor. */
export function timeExportSteps(companies: number): string[] {
  const plain = realisticCompanies().map((line) => Buffer.from(line));
  const stored = bundleBodies(plain);
  let unread = freshBundles(stored);
  const parsed = plain.map(readAnswerJson);
  const records = parsed.map((company) => toRowRecord(asRow(company), 1));
  const bytes: Uint8Array[] = [];
  const writer = writeCsv(
    {
      write: async (chunk) => void bytes.push(chunk),
      seal: async () => ({ bytes: 0, sha256: '' }),
    },
    [],
    { excelSafe: false, bom: false },
  );
  const hash = createHash('sha256');
  const steps: Record<string, (index: number) => unknown> = {
    'decompress and check': (index) => {
      if (index % stored.length === 0) unread = freshBundles(stored);
      return bodyOf(at(unread, index));
    },
    'parse JSON': (index) => readAnswerJson(at(plain, index)),
    'flatten to columns': (index) => toRowRecord(asRow(at(parsed, index)), 1),
    'write as CSV': (index) => {
      void writer.write(at(records, index));
      bytes.length = 0;
    },
    'SHA-256 of the file': (index) => hash.update(at(plain, index)),
  };
  const costs = Object.entries(steps).map(([name, step]) => ({
    name,
    us: microseconds(companies, step),
  }));
  const sum = costs.reduce((total, { us }) => total + us, 0);
  return costs.map(
    ({ name, us }) => `${name}: ${us.toFixed(1)} µs, ${Math.round((100 * us) / sum)}%`,
  );
}

function microseconds(times: number, step: (index: number) => unknown): number {
  for (let index = 0; index < 1_000; index += 1) step(index);
  const before = process.cpuUsage();
  for (let index = 0; index < times; index += 1) step(index);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

function at<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length] as Item;
}

/** As a ledger gives them: whoever reads the first of a bundle has to unpack it, for all others, too. */
function freshBundles(bodies: readonly BundledBody[]): BundledBody[] {
  const copies = new Map<Bundle, Bundle>();
  return bodies.map(({ bundle, ...place }) => {
    const copy = copies.get(bundle) ?? { ...bundle };
    copies.set(bundle, copy);
    return { ...place, bundle: copy };
  });
}

function asRow(company: unknown): RowRecord {
  return {
    number: 1,
    status: 'matched',
    reason: null,
    message: null,
    askedBy: 'fqdn',
    matchedBy: 'fqdn',
    identifier: 'acme.com.au',
    match: 'exact',
    country: 'AU',
    fetchedAt: '2026-01-01T00:00:00.000Z',
    cells: ['acme.com.au'],
    company,
  };
}
