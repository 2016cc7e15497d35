import { z } from 'zod';
import { DossierError } from '../errors.ts';
import type { ObjectAddress } from '../objects/object-address.ts';
import { showObjectAddress } from '../objects/object-address.ts';
import type { ObjectStore } from '../objects/open-object-store.ts';

/*
 * One small object names the process that may pay and the copy that counts. It is only written on
 * condition that it is unchanged, so a pod that has lost its lease cannot replace the copy.
 */

const Holder = z.object({
  /** Tells this holding of the lease from all others. */
  token: z.string(),
  host: z.string(),
  pid: z.number(),
  /** The job or command that took it. */
  job: z.string(),
  /** By the clock of the holder, for people. */
  startedAt: z.number(),
  lengthMs: z.number(),
  /** Makes each renewal another content: equal contents have the same etag. */
  renewals: z.number(),
});

const StoredCopy = z.object({
  /** Key of the object in the same bucket. */
  key: z.string(),
  /** Of the compressed bytes. */
  size: z.number(),
  sha256: z.string(),
  answers: z.number(),
  /** Answers with a greater id are not in it. */
  lastAnswerId: z.number(),
  storedAt: z.number(),
  host: z.string(),
});

const Control = z.object({
  dossier: z.literal(2),
  holder: Holder.nullable(),
  snapshot: StoredCopy.nullable(),
  /** Keys of copies that do not count: the one before, one being stored. The next store removes them. */
  others: z.array(z.string()),
});

export type Holder = z.output<typeof Holder>;
export type StoredCopy = z.output<typeof StoredCopy>;
export type Control = z.output<typeof Control>;

/** The object as it was read; without an etag there is none yet. */
export interface ReadControl {
  readonly control: Control;
  readonly etag: string | undefined;
}

const nothing: Control = { dossier: 2, holder: null, snapshot: null, others: [] };

/** `s3://bucket/leads/ledger.db.zst → …/ledger.db.zst.lease` */
export function controlAddress({ bucket, key }: ObjectAddress): ObjectAddress {
  return { bucket, key: `${key}.lease` };
}

/** Names of copies sort by the time they were stored. */
export function copyKey({ key }: ObjectAddress, name = ''): string {
  return `${key}.copy-${name}`;
}

export async function readControl(
  store: ObjectStore,
  at: ObjectAddress,
  signal?: AbortSignal,
): Promise<ReadControl> {
  const address = controlAddress(at);
  const found = await store.get(address, signal);
  if (!found) return { control: nothing, etag: undefined };
  const text = Buffer.concat(await Array.fromAsync(found.bytes)).toString();
  const parsed = z.preprocess(parseJson, Control).safeParse(text);
  if (parsed.success) return { control: parsed.data, etag: found.facts.etag };
  const where = showObjectAddress(address);
  throw new DossierError('SNAPSHOT_FOREIGN', `${where} was not written by this version of Dossier`);
}

function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

export function controlBytes(control: Control): Uint8Array {
  return Buffer.from(JSON.stringify(control));
}

/**
 * Writes the object if it is as it was read; undefined otherwise. A store may have written it although
 * the reply was lost, so a refusal counts only if the object is not what was to be written.
 */
export async function writeControl(
  store: ObjectStore,
  at: ObjectAddress,
  control: Control,
  {
    etag,
    signal,
  }: { readonly etag: string | undefined; readonly signal?: AbortSignal | undefined },
): Promise<ReadControl | undefined> {
  const written = await store.put(controlAddress(at), controlBytes(control), {
    condition: etag === undefined ? { ifAbsent: true } : { ifEtag: etag },
    type: 'application/json',
    signal,
  });
  if (written) return { control, etag: written.etag };
  const found = await readControl(store, at, signal);
  return JSON.stringify(found.control) === JSON.stringify(control) ? found : undefined;
}

/**
 * Refuses copies without the object that says which one counts: a run would start without them and pay
 * for all answers again. A ledger that was last stored as the newest copy lacks nothing.
 */
export async function refuseForgotten(
  store: ObjectStore,
  at: ObjectAddress,
  tokens: readonly (string | null | undefined)[],
): Promise<void> {
  const copies = await Array.fromAsync(store.list({ ...at, key: copyKey(at) }));
  const newest = copies.at(-1);
  if (!newest) return;
  const address = showObjectAddress({ ...at, key: newest.key });
  if (tokens.includes(address)) return;
  throw new DossierError(
    'LEASE_MISSING',
    `${showObjectAddress(controlAddress(at))} is gone; the newest copy is ${address}`,
  );
}
