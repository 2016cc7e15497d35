import { hostname } from 'node:os';
import type { Redis } from 'ioredis';
import { DossierError, type ErrorCode } from '../../errors.ts';
import { defineScript, luaNow } from '../redis/run-script.ts';
import type { ShareKeys } from '../redis/share-keys.ts';

/** Why all runs of a service and key stop: what one of them has met, all would. */
export interface AnnouncedStop {
  readonly code: ErrorCode;
  readonly message: string;
  readonly machine: string;
  /** By the clock of Redis. */
  readonly atMs: number;
}

/** Stops that are about the key or the service, and not about one job. */
const sharedStops: readonly ErrorCode[] = ['KEY_REFUSED', 'QUOTA_SPENT', 'SERVICE_DOWN'];

/** A run that starts later tries for itself: the key may be paid for, and the service back. */
const toldMs = 60_000;

/** KEYS: stop. */
const writeStop = defineScript<number>(`
${luaNow}
redis.call('HSET', KEYS[1], 'at', now, 'code', ARGV[1], 'message', ARGV[2], 'machine', ARGV[3])
return redis.call('PEXPIRE', KEYS[1], ${toldMs})
`);

/** Stops that others have announced: told on, each would stop runs that were started after it. */
const heard = new WeakSet<DossierError>();

/** Stops all runs where the error is about their key or service. */
export async function announceStop(redis: Redis, keys: ShareKeys, error: unknown): Promise<void> {
  if (!(error instanceof DossierError) || !sharedStops.includes(error.code)) return;
  if (heard.has(error)) return;
  await writeStop(redis, [keys.stop], [error.code, error.message, hostname()]);
}

export async function readStop(redis: Redis, keys: ShareKeys): Promise<AnnouncedStop | undefined> {
  const { at, code, message, machine } = await redis.hgetall(keys.stop);
  const known = sharedStops.find((one) => one === code);
  if (at === undefined || known === undefined) return undefined;
  return { code: known, message: message ?? '', machine: machine ?? '', atMs: Number(at) };
}

/** The error with which another run stops. */
export function stopError({ code, message, machine }: AnnouncedStop): DossierError {
  const error = new DossierError(
    code,
    `${message} (told by a run on ${machine} with the same key)`,
  );
  heard.add(error);
  return error;
}
