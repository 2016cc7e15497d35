import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { stampInput } from '../../../src/run/stamp-input.ts';
import type { Shape } from './sample-job.ts';
import { openWorld, type StartOptions, type World } from './world.ts';

/** The same wherever the service of a test listens, because it is part of what a ledger knows. */
const service = 'http://service.invalid';
const forEver = '36500d';

/** What the ledgers in test/faults/ledgers were asked; it can never change. */
export const releasedShape: Partial<Shape> = {
  rows: 40,
  people: 3,
  concurrency: 4,
  job: { reuse: { companies: forEver, misses: forEver, people: forEver } },
};

export function reached({ url }: World): StartOptions {
  return { env: { DOSSIER_URL: service, HTTP_PROXY: url } };
}

/** Writes a ledger of this version: of a run that was killed half-way, with calls under way. */
export async function writeReleasedLedger(to: string): Promise<void> {
  await using world = await openWorld(releasedShape);
  const { process: child, ended } = world.start(reached(world));
  await world.untilAsked(80);
  child.kill('SIGKILL');
  await ended;
  const db = new Database(world.ledger);
  db.pragma('wal_checkpoint(truncate)');
  db.close();
  writeFileSync(to, gzipSync(readFileSync(world.ledger)));
}

/** Puts such a ledger into a world. Answers how many answers it holds. */
export function unpackLedger(from: string, world: World): number {
  writeFileSync(world.ledger, gunzipSync(readFileSync(from)));
  const db = new Database(world.ledger);
  const input = stampInput(join(world.folder, 'leads.csv'));
  // As if the run had been of this folder.
  db.prepare('update run set input_stamp = ?').run(input.kind === 'file' ? input.stamp : null);
  const answers = db.prepare<[], { count: number }>('select count(*) as count from answer').get();
  db.close();
  return answers?.count ?? 0;
}
