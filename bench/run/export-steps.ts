import { createHash } from 'node:crypto';

import { openLineBytes } from '../../src/export/line-bytes.ts';
import { flattenRow, rowRecordColumns } from '../../src/export/row-record.ts';
import { openRunTally } from '../../src/export/run-tally.ts';
import { csvLines } from '../../src/export/write-csv.ts';
import { type Bundle, bodyIn, bundleBodies, unpackBundle } from '../../src/ledger/calls/bundles.ts';
import type { RowRecord } from '../../src/ledger/run-records.ts';
import { readAnswerJson } from '../../src/runtime/answer-json.ts';
import { giveBack } from '../../src/runtime/give-back.ts';
import { realisticCompanies } from '../service/realistic-companies.ts';

const headers = ['website'];
const batchBytes = 256 * 1024;

/** What one company costs in each step of an export, by the clock of the processor. */
export function timeExportSteps(companies: number): string[] {
  // As many as stay in the caches of the processor, where an export has what it just parsed.
  const plain = realisticCompanies()
    .slice(0, 50)
    .map((line) => Buffer.from(line));
  const stored = bundleBodies(plain);
  let unpacked: { readonly bundle: Bundle; readonly bytes: Buffer } | undefined;
  const rows = plain.map((body) => asRow(readAnswerJson(body)));
  const flat = rows.map((row) => flattenRow(row, headers.length));
  const csv = csvLines(rowRecordColumns(headers), { excelSafe: false, bom: false });
  const lines = flat.map(({ cells }) => csv.toLine(cells));
  const tally = openRunTally();
  const bytes = openLineBytes(batchBytes);
  const hash = createHash('sha256');
  const steps: Record<string, (index: number) => unknown> = {
    // As a ledger does: whoever reads the first body of a bundle unpacks it for the others, too.
    'decompress and check': (index) => {
      const { bundle, ...place } = at(stored, index);
      if (unpacked?.bundle !== bundle) {
        if (unpacked) giveBack(unpacked.bytes);
        unpacked = { bundle, bytes: unpackBundle(bundle) ?? Buffer.alloc(0) };
      }
      return bodyIn(unpacked.bytes, place);
    },
    'parse JSON': (index) => readAnswerJson(at(plain, index)),
    'flatten to columns, find drift': (index) => flattenRow(at(rows, index), headers.length),
    'tally for the report': (index) => tally.addRow(at(rows, index), at(flat, index)),
    'text as CSV': (index) => csv.toLine(at(flat, index).cells),
    'text as bytes': (index) => {
      bytes.add(at(lines, index));
      if (bytes.length > batchBytes) bytes.take();
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
