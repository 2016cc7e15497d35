import { createHash } from 'node:crypto';
import { stringify } from 'csv-stringify/sync';
import type { FlatRecord } from '../../src/core/columns/columns.ts';
import type { RowRecord } from '../../src/core/columns/run-records.ts';
import { flattenRow } from '../../src/core/columns/tables.ts';
import { readAnswerJson } from '../../src/core/values/parse-json.ts';
import {
  type Bundle,
  bodyIn,
  bundleBodies,
  unpackBundle,
} from '../../src/engine/ledger/calls/bodies.ts';
import { releaseMemory } from '../../src/platform/memory.ts';
import { csvLine } from '../../src/results/lines.ts';
import { createRunTally } from '../../src/results/tally/run-tally.ts';
import { realisticCompanies } from '../service/realistic-companies.ts';

/** The list has one column. */
const inputWidth = 1;

/** The CPU time of one company in each step of an export. */
export function timeExportSteps(companies: number): string[] {
  // Few companies, so that they stay in the CPU caches, as a company that was just parsed does.
  const plain = realisticCompanies()
    .slice(0, 50)
    .map((line) => Buffer.from(line));
  const stored = bundleBodies(plain.map((body) => ({ body })));
  let unpacked: { readonly bundle: Bundle; readonly bytes: Buffer } | undefined;
  const rows = plain.map((body) => asRow(readAnswerJson(body)));
  const flat = rows.map((row) => flattenRow(row, inputWidth));
  const toLine = csvLine({ excelSafe: false, delimiter: ',' });
  const tally = createRunTally();
  const hash = createHash('sha256');
  const steps: Record<string, (index: number) => unknown> = {
    // As in the ledger: reading the first body of a bundle unpacks all its bodies.
    'decompress and check': (index) => {
      const { bundle, ...place } = at(stored, index);
      if (unpacked?.bundle !== bundle) {
        if (unpacked) releaseMemory(unpacked.bytes);
        unpacked = { bundle, bytes: unpackBundle(bundle) ?? Buffer.alloc(0) };
      }
      return bodyIn(unpacked.bytes, place);
    },
    'parse JSON': (index) => readAnswerJson(at(plain, index)),
    'flatten to columns': (index) => flattenRow(at(rows, index), inputWidth),
    'tally for the report': (index) => tally.add({ row: at(flat, index) }),
    'CSV as bytes': (index) => Buffer.from(toLine(at(flat, index).cells)),
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

/** Compares our CSV encoder with csv-stringify. */
export function compareCsv(companies: number): string {
  const records: FlatRecord[] = realisticCompanies()
    .slice(0, 50)
    .map((line) => flattenRow(asRow(readAnswerJson(Buffer.from(line))), inputWidth).cells);
  const toLine = csvLine({ excelSafe: false, delimiter: ',' });
  const copies = records.map((record) => [...record]);
  const cast = {
    boolean: String,
    object: (value: unknown) => (value as readonly unknown[]).join('; '),
  };
  const ours = microseconds(companies, (index) => Buffer.from(toLine(at(records, index))));
  const theirs = microseconds(
    companies,
    (index) => index % copies.length === 0 && Buffer.from(stringify(copies, { cast })),
  );
  return `CSV of a company: ${ours.toFixed(1)} µs, by csv-stringify ${theirs.toFixed(1)} µs`;
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

function asRow(company: unknown): RowRecord {
  return {
    number: 1,
    key: 'crm-1',
    status: 'matched',
    reason: null,
    message: null,
    identifierKind: 'fqdn',
    matchedBy: 'fqdn',
    identifier: 'acme.com.au',
    match: 'exact',
    country: 'AU',
    fetchedAt: '2026-01-01T00:00:00.000Z',
    peopleComplete: null,
    isStale: false,
    changedAt: '2026-01-01T00:00:00.000Z',
    cells: ['acme.com.au'],
    company,
  };
}
