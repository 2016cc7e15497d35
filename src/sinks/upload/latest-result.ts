import { z } from 'zod';
import { DossierError } from '../../errors.ts';
import { showObjectAddress } from '../../objects/object-address.ts';
import type { ObjectAddress, ObjectStore } from '../../objects/object-store.ts';
import type { Manifest } from '../manifest.ts';
import type { PlaceKeys } from './place-keys.ts';
import { putJson, readJson } from './standing-result.ts';

/** The parts of it that tell which is newer, and what it names. */
const Latest = z.object({
  run: z.object({ id: z.string(), startedAt: z.iso.datetime() }),
  manifest: z.string().optional(),
});

const mostAttempts = 5;

/** Names the newest complete result of a place, in `latest.json` before the part of its path that varies. */
export async function writeLatest(
  store: ObjectStore,
  at: ObjectAddress,
  manifest: Manifest,
  keys: PlaceKeys,
  manifestAt: ObjectAddress,
): Promise<void> {
  const { run, job, schemaVersion, counts } = manifest;
  const latest = {
    run: { id: run.id, startedAt: run.startedAt, endedAt: run.endedAt },
    job: job.name,
    schemaVersion,
    manifest: showObjectAddress(manifestAt),
    files: manifest.files.map(({ name, table, format, rows, bytes, sha256 }) => ({
      ...{ table, format, address: showObjectAddress(keys.file(table, name)) },
      ...{ rows, bytes, sha256 },
    })),
    counts,
  };
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const standing = await readJson(store, at);
    const known = Latest.safeParse(standing?.json).data;
    // A run that is exported again must not take the place of a newer one.
    if (known && known.run.startedAt > run.startedAt) return;
    const isStill = standing ? { ifEtag: standing.etag } : { ifAbsent: true as const };
    if (await putJson(store, at, latest, isStill)) return;
  }
  const place = showObjectAddress(at);
  throw new DossierError('OUTPUT_BUSY', `${place} is written by other processes all the time`);
}

/**
 * Takes back what `latest.json` says of a result whose files are about to be replaced. Its run stays there, so
 * that no older one is named meanwhile.
 */
export async function withdrawLatest(
  store: ObjectStore,
  at: ObjectAddress,
  manifestAt: ObjectAddress,
): Promise<void> {
  const standing = await readJson(store, at);
  const known = Latest.safeParse(standing?.json).data;
  if (!standing || known?.manifest !== showObjectAddress(manifestAt)) return;
  const note = 'The result that was named here is replaced, and no complete one stands there yet.';
  await putJson(store, at, { run: known.run, note }, { ifEtag: standing.etag });
}
