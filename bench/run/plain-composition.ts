import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import Database from 'better-sqlite3';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify';
import pLimit from 'p-limit';
import { Agent, request } from 'undici';
import { z } from 'zod';

/*
 * The same packages as Dossier's, put together as plainly as possible in one thread: it reads the CSV,
 * looks up 64 at once, stores answers in SQLite in batches that are on the disk before they count, and
 * writes a flat CSV from there. It has no cache, no budget and no retry, and expects only 200.
 * `plain-composition.ts <url> <list> <target> <database>`
 */
const [url = '', list = '', target = '', database = ''] = process.argv.slice(2);
const concurrency = 64;
const batchSize = 200;

const Company = z.looseObject({ id: z.string(), name: z.string().nullish() });
const dispatcher = new Agent({ connections: concurrency, pipelining: 1 });
const headers = { authorization: 'Bearer key-of-the-bench' };

const db = new Database(database);
db.pragma('journal_mode = wal');
db.pragma('synchronous = full');
db.exec('create table answer (row integer primary key, cells text, body blob) strict');
const insert = db.prepare('insert into answer values (?, ?, ?)');
const store = db.transaction((batch: readonly Answer[]) => {
  for (const { row, cells, body } of batch) insert.run(row, cells, body);
});

interface Answer {
  readonly row: number;
  readonly cells: string;
  readonly body: Buffer;
}

let batch: Answer[] = [];

async function lookUp(row: number, cells: Record<string, string>): Promise<void> {
  const domain = new URL(cells.Website ?? '').hostname.replace(/^www\./, '');
  const path = `${url}/company?fqdn=${domain}&country=AU`;
  const response = await request(path, { dispatcher, headers });
  if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}`);
  const body = Buffer.from(await response.body.arrayBuffer());
  Company.parse(JSON.parse(body.toString()));
  batch.push({ row, cells: JSON.stringify(cells), body });
  if (batch.length >= batchSize) {
    store(batch);
    batch = [];
  }
}

const limit = pLimit(concurrency);
const inFlight = new Set<Promise<void>>();
let row = 0;
const rows = createReadStream(list).pipe(parse({ columns: true }));
for await (const cells of rows as AsyncIterable<Record<string, string>>) {
  row += 1;
  const call = limit(lookUp, row, cells).finally(() => inFlight.delete(call));
  inFlight.add(call);
  if (inFlight.size >= concurrency * 2) await Promise.race(inFlight);
}
await Promise.all(inFlight);
store(batch);
await dispatcher.close();

function flatten(value: unknown, path: string, into: Record<string, unknown>) {
  if (Array.isArray(value)) into[path] = value.join('; ');
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) flatten(inner, `${path}_${key}`, into);
  } else into[path] = value;
  return into;
}

function* records() {
  const stored = db.prepare<[], Answer>('select row, cells, body from answer order by row');
  for (const { cells, body } of stored.iterate()) {
    const company = JSON.parse(Buffer.from(body).toString());
    yield flatten(company, 'company', JSON.parse(cells) as Record<string, unknown>);
  }
}

await pipeline(
  records,
  stringify({ header: true, cast: { boolean: String } }),
  createWriteStream(target),
);
