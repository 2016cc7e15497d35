import { z } from 'zod';
import { DossierError } from '../errors.ts';
import { showObjectAddress } from '../objects/object-address.ts';
import type { ObjectAddress, ObjectStore } from '../objects/object-store.ts';

/*
 * The one small object by which pods agree: who may pay, and which snapshot counts. It is only ever
 * written on condition that it is still what the writer has read, so a pod that has lost its lease cannot
 * make its snapshot the one that counts.
 */

const Holder = z.object({
  /** Tells this holding of the lease from all others. */
  token: z.string(),
  host: z.string(),
  pid: z.number(),
  /** What it was taken for: a job, or a command. */
  job: z.string(),
  /** By the clock of the holder, for people. */
  startedAt: z.number(),
  lengthMs: z.number(),
  /** Makes each renewal another content: a store names equal contents alike. */
  renewals: z.number(),
});

const StoredSnapshot = z.object({
  /** Key of the object in the same bucket. */
  key: z.string(),
  lineage: z.string(),
  generation: z.number(),
  token: z.string(),
  /** Of the compressed bytes. */
  size: z.number(),
  sha256: z.string(),
  answers: z.number(),
  storedAt: z.number(),
  host: z.string(),
});

const Control = z.object({
  dossier: z.literal(1),
  holder: Holder.nullable(),
  snapshot: StoredSnapshot.nullable(),
  /** Keys of snapshots before it, newest first: one is kept, the others are removed. */
  older: z.array(z.string()),
});

export type Holder = z.output<typeof Holder>;
export type StoredSnapshot = z.output<typeof StoredSnapshot>;
export type Control = z.output<typeof Control>;

/** The object as it was read. */
export interface ReadControl {
  readonly control: Control;
  /** Undefined where there is no object yet. */
  readonly etag: string | undefined;
}

const nothing: Control = { dossier: 1, holder: null, snapshot: null, older: [] };

/** `s3://bucket/leads/ledger.db.zst → …/ledger.db.zst.lease` */
export function controlAddress({ bucket, key }: ObjectAddress): ObjectAddress {
  return { bucket, key: `${key}.lease` };
}

export async function readControl(
  store: ObjectStore,
  at: ObjectAddress,
  signal?: AbortSignal,
): Promise<ReadControl> {
  const address = controlAddress(at);
  const found = await store.get(address, signal && { signal });
  if (!found) return { control: nothing, etag: undefined };
  const chunks: Uint8Array[] = [];
  for await (const chunk of found.bytes) chunks.push(chunk);
  const parsed = Control.safeParse(parseJson(Buffer.concat(chunks).toString()));
  if (parsed.success) return { control: parsed.data, etag: found.facts.etag };
  const where = showObjectAddress(address);
  throw new DossierError(
    'SNAPSHOT_FOREIGN',
    `${where} is not what Dossier writes there, or of a newer version`,
  );
}

export function controlBytes(control: Control): Uint8Array {
  return Buffer.from(JSON.stringify(control));
}

/** Writes the object if it is still as it was read. Undefined where it is not. */
export async function writeControl(
  store: ObjectStore,
  at: ObjectAddress,
  control: Control,
  { etag, signal }: { readonly etag: string | undefined; readonly signal?: AbortSignal },
): Promise<ReadControl | undefined> {
  const written = await store.put(controlAddress(at), controlBytes(control), {
    condition: etag === undefined ? { ifAbsent: true } : { ifEtag: etag },
    type: 'application/json',
    signal,
  });
  return written && { control, etag: written.etag };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
