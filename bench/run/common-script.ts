import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify';
import pLimit from 'p-limit';

/*
 * A simple script for the same task, as a comparison: it reads the CSV, fetches 64 at once and writes
 * a flat CSV. It has no cache, cannot resume and expects only 200. It does respect backpressure, so
 * its memory stays small.
 */
const [url = '', list = '', target = ''] = process.argv.slice(2);
const concurrency = 64;
const limit = pLimit(concurrency);
const rows = createReadStream(list).pipe(parse({ columns: true }));

async function enrich(row: Record<string, string>): Promise<Record<string, unknown>> {
  const domain = new URL(row.Website ?? '').hostname.replace(/^www\./, '');
  const response = await fetch(`${url}/company?fqdn=${domain}&country=AU`, {
    headers: { authorization: 'Bearer key-of-the-bench' },
  });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return { ...row, ...flatten(await response.json(), 'company') };
}

function flatten(value: unknown, path: string, into: Record<string, unknown> = {}) {
  if (Array.isArray(value)) into[path] = value.join('; ');
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) flatten(inner, `${path}_${key}`, into);
  } else into[path] = value;
  return into;
}

async function* enriched() {
  const underWay: Promise<Record<string, unknown>>[] = [];
  for await (const row of rows as AsyncIterable<Record<string, string>>) {
    underWay.push(limit(enrich, row));
    if (underWay.length >= concurrency * 2) yield await underWay.shift();
  }
  for (const record of underWay) yield await record;
}

await pipeline(
  enriched,
  stringify({ header: true, cast: { boolean: String } }),
  createWriteStream(target),
);
