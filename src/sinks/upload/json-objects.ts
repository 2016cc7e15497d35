import { DossierError } from '../../errors.ts';
import type { ObjectAddress } from '../../objects/object-address.ts';
import type { ObjectStore } from '../../objects/open-object-store.ts';
import { Manifest } from '../manifest.ts';

/** Undefined where there is no manifest. One of another version of Dossier cannot be read as a whole. */
export async function readStanding(store: ObjectStore, at: ObjectAddress, signal?: AbortSignal) {
  const found = await readJson(store, at, signal);
  if (!found) return undefined;
  const isComplete = (found.json as { complete?: unknown } | null)?.complete === true;
  return { etag: found.etag, isComplete, manifest: Manifest.safeParse(found.json).data };
}
export type StandingResult = NonNullable<Awaited<ReturnType<typeof readStanding>>>;

/** A small JSON object of a store; null stands for one that is not JSON. */
export async function readJson(store: ObjectStore, at: ObjectAddress, signal?: AbortSignal) {
  const read = await store.get(at, signal);
  if (!read) return undefined;
  const text = Buffer.concat(await Array.fromAsync(read.bytes)).toString('utf8');
  let json: unknown = null;
  try {
    json = JSON.parse(text);
  } catch {}
  return { etag: read.facts.etag, json };
}

/** Undefined where the condition does not hold. A store that ignores conditions is written to in any case. */
export async function putJson(
  store: ObjectStore,
  at: ObjectAddress,
  json: unknown,
  /** The etag of what stands there; null where nothing does. */
  replaces: string | null,
): Promise<{ readonly etag: string } | undefined> {
  const bytes = Buffer.from(`${JSON.stringify(json, undefined, 2)}\n`);
  const type = 'application/json';
  try {
    return await store.put(at, bytes, { replaces, type });
  } catch (error) {
    if (!(error instanceof DossierError) || error.code !== 'STORE_UNCONDITIONAL') throw error;
    return await store.put(at, bytes, { type });
  }
}
