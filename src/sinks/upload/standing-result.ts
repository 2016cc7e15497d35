import { DossierError } from '../../errors.ts';
import type { ObjectAddress, ObjectStore, PutCondition } from '../../objects/object-store.ts';
import { Manifest } from '../manifest.ts';

/** The manifest that stands in a place, which may be of another version of Dossier. */
export interface StandingResult {
  readonly etag: string;
  readonly isComplete: boolean;
  /** Undefined where it cannot be read. */
  readonly manifest: Manifest | undefined;
}

/** Undefined where there is no manifest, and so no result. */
export async function readStanding(
  store: ObjectStore,
  at: ObjectAddress,
  signal?: AbortSignal,
): Promise<StandingResult | undefined> {
  const found = await readJson(store, at, signal);
  if (!found) return undefined;
  const isComplete = (found.json as { complete?: unknown } | null)?.complete === true;
  return { etag: found.etag, isComplete, manifest: Manifest.safeParse(found.json).data };
}

/** A small JSON object of a store; null stands for one that is no JSON. */
export async function readJson(
  store: ObjectStore,
  at: ObjectAddress,
  signal?: AbortSignal,
): Promise<{ readonly etag: string; readonly json: unknown } | undefined> {
  const read = await store.get(at, signal && { signal });
  if (!read) return undefined;
  const text = Buffer.concat(await Array.fromAsync(read.bytes)).toString('utf8');
  return { etag: read.facts.etag, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Puts a JSON object where the condition holds; where the store knows no conditions, in any case. */
export async function putJson(
  store: ObjectStore,
  at: ObjectAddress,
  json: unknown,
  condition: PutCondition,
): Promise<{ readonly etag: string } | undefined> {
  const bytes = Buffer.from(`${JSON.stringify(json, undefined, 2)}\n`);
  const type = 'application/json';
  try {
    return await store.put(at, bytes, { condition, type });
  } catch (error) {
    if (!(error instanceof DossierError) || error.code !== 'STORE_UNCONDITIONAL') throw error;
    return await store.put(at, bytes, { type });
  }
}
