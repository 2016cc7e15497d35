import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { stampInput } from '../../../src/run/open-run.ts';
import type { Shape } from './sample-job.ts';
import { openWorld, type StartOptions, type World } from './world.ts';

/** A fixed address, because ledgers hold the address of the service. */
const service = 'http://service.invalid';
const forEver = '36500d';

/** The shape of the ledgers in test/faults/ledgers. It must never change, because they cannot. */
export const releasedShape: Partial<Shape> = {
  rows: 40,
  people: 3,
  concurrency: 4,
  job: { reuse: { companies: forEver, misses: forEver, people: forEver } },
};

export function reached({ url }: World): StartOptions {
  return { env: { DOSSIER_URL: service, HTTP_PROXY: url } };
}

/** Writes a ledger of this version, with a run that was killed half-way with calls in flight. */
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

/** Unpacks a released ledger into a world; returns the number of its answers. */
export async function unpackLedger(from: string, world: World): Promise<number> {
  writeFileSync(world.ledger, gunzipSync(readFileSync(from)));
  const db = new Database(world.ledger);
  const input = await stampInput({ path: join(world.folder, 'leads.csv'), address: undefined });
  // The run gets the stamp of this list, so that it can be resumed here.
  db.prepare('update run set input_stamp = ?').run(input.kind === 'file' ? input.stamp : null);
  const answers = db.prepare<[], { count: number }>('select count(*) as count from answer').get();
  db.close();
  return answers?.count ?? 0;
}
