import { setTimeout as delay } from 'node:timers/promises';
import { type OutwardRequest, reachOut } from '../client/reach-out.ts';
import { withoutSecrets } from '../runtime/log/known-secrets.ts';

/** A request that tells somebody how a run goes. Plain data, so that another process can send it. */
export interface Delivery {
  /** What it is, for the log: the address is a secret. */
  readonly to: 'notify' | 'heartbeat';
  readonly address: string;
  readonly request: OutwardRequest;
  /** The body for a receiver that refuses the first one: some chats take `text` and nothing else. */
  readonly plainBody?: string;
}

/** For one attempt. */
const timeoutMs = 2_000;
const attempts = 3;
const pauseMs = 300;

/** The longest that the end of a run waits for all deliveries together. */
export const mostWaitMs = 5_000;

/**
 * Delivers with few attempts, and with no further one once `enough` is aborted. Gives why it was lost, in
 * words without the address; undefined if it arrived.
 */
export async function deliver(
  { address, request, plainBody }: Delivery,
  signal: AbortSignal,
  enough: AbortSignal = signal,
): Promise<string | undefined> {
  let body = request.body;
  let trouble = '';
  for (let attempt = 1; attempt <= attempts && !signal.aborted; attempt += 1) {
    if (attempt > 1 && enough.aborted) break;
    if (attempt > 1) await delay(pauseMs);
    const answer = await attemptOnce(address, { ...request, ...(body && { body }) }, signal);
    if (answer === undefined) return undefined;
    trouble = answer.trouble;
    if (answer.isRefused) {
      if (plainBody === undefined || body === plainBody) break;
      body = plainBody;
    }
  }
  return withoutSecrets(trouble === '' ? 'no answer in time' : trouble);
}

interface Undelivered {
  readonly trouble: string;
  /** The same request would be refused again. */
  readonly isRefused: boolean;
}

async function attemptOnce(
  address: string,
  request: OutwardRequest,
  signal: AbortSignal,
): Promise<Undelivered | undefined> {
  try {
    const status = await reachOut(new URL(address), request, { timeoutMs, signal });
    if (status >= 200 && status < 300) return undefined;
    const isPassing = status === 408 || status === 429 || status >= 500;
    return { trouble: `HTTP ${status}`, isRefused: !isPassing };
  } catch (error) {
    return { trouble: error instanceof Error ? error.message : String(error), isRefused: false };
  }
}
