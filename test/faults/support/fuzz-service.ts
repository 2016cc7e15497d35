import type { Call, CallResult } from '../../../src/core/contract/call.ts';
import { callText } from '../../../src/core/contract/call.ts';
import type { IdentifierKind } from '../../../src/core/contract/identifier-kinds.ts';
import { answerOf } from '../../engine/queue/small-world.ts';
import {
  type HostileServer,
  openHostileServer,
  type Reaction,
} from '../../support/hostile-server.ts';
import type { Scenario, Trouble } from './fuzz-scenario.ts';

export interface FuzzService extends AsyncDisposable {
  readonly url: string;
  readonly seen: HostileServer['seen'];
  /** How often each call was answered with a hit or a miss. */
  readonly answered: ReadonlyMap<string, number>;
  /** Whether a request met a trouble since the last check. */
  hasTroubled(): boolean;
  /** Called with the number of each request that arrives. */
  onRequest: (number: number) => void;
  /** Attempts of a call in this start, which a small budget limits. */
  attempts: number;
}

/**
 * The small world behind HTTP, with the troubles of a scenario. A call meets fewer troubles than it
 * has attempts, so that no trouble alone can make it fail for good, and the model need not know
 * which request met which.
 */
export async function openFuzzService(scenario: Scenario): Promise<FuzzService> {
  const { world, troubles, delaysMs } = scenario;
  const answered = new Map<string, number>();
  const met = new Map<string, number>();
  let hasTroubled = false;
  const service: Pick<FuzzService, 'onRequest' | 'attempts'> = {
    onRequest: () => {},
    attempts: scenario.attempts,
  };
  const server = await openHostileServer((request, index) => {
    service.onRequest(index + 1);
    const call = readCall(request);
    const key = callText(call);
    const outcome = answerOf(world, call);
    const delayMs = delaysMs[index % delaysMs.length] ?? 0;
    const trouble = troubles[index % troubles.length];
    const count = met.get(key) ?? 0;
    if (trouble !== undefined && outcome.kind !== 'failed' && count < service.attempts - 1) {
      met.set(key, count + 1);
      hasTroubled = true;
      return { delayMs, ...reactionTo(trouble, outcome) };
    }
    if (isPaidFor(outcome)) answered.set(key, (answered.get(key) ?? 0) + 1);
    return { delayMs, ...trueAnswer(outcome, index) };
  });
  return Object.assign(service, {
    url: server.url,
    seen: server.seen,
    answered,
    hasTroubled() {
      const had = hasTroubled;
      hasTroubled = false;
      return had;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  });
}

/** Failed and refused calls are not paid for, so the next run may make them again. */
function isPaidFor({ kind }: CallResult): boolean {
  return kind === 'hit' || kind === 'miss';
}

function readCall({ method, path, body }: HostileServer['seen'][number]): Call {
  if (method === 'POST') {
    const { selectedCountry, from, size, ...search } = JSON.parse(body);
    const page = { country: selectedCountry, from: Number(from), size: Number(size) };
    return { operation: 'people', ...search, ...page };
  }
  const { country, ...identifier } = Object.fromEntries(
    new URL(path, 'http://localhost').searchParams,
  );
  const [[kind, value] = []] = Object.entries(identifier);
  return {
    operation: 'company',
    identifier: { kind: kind as IdentifierKind, value: value ?? '' },
    country: country as 'AU',
  };
}

/** The ways in which services report a miss. */
const misses: readonly Reaction[] = [
  { status: 404, body: '{"error":404,"message":"Unknown company."}' },
  { status: 500, body: '{"error":"Company profile not found"}' },
  { status: 200, body: 'null' },
  { status: 200, body: '{}' },
  { status: 204 },
];

function trueAnswer(outcome: CallResult, index: number): Reaction {
  switch (outcome.kind) {
    case 'hit':
      return { body: outcome.body };
    case 'miss':
      return misses[index % misses.length] ?? {};
    case 'invalid':
      return { status: 400, body: '{"error":400,"message":"Not like this."}' };
    case 'oversized':
    case 'unreadable':
    case 'failed':
      return { status: 500, body: '{"error":500,"message":"Something broke."}' };
  }
}

function reactionTo(trouble: Trouble, outcome: CallResult): Reaction {
  const body = outcome.kind === 'hit' ? outcome.body : '{"message":"long enough to be cut"}';
  switch (trouble) {
    case 'overloaded':
      return { status: 503, body: '<html>busy</html>' };
    case 'throttled':
      return { status: 429, headers: { 'retry-after': '0' } };
    case 'throttled by 503':
      return { status: 503, headers: { 'retry-after': '0' } };
    case 'throttled by 200':
      return { body: '{"success":false,"error":{"code":"rate_limit","message":"Too fast."}}' };
    case 'reset before head':
      return { reset: 'before head' };
    case 'reset within body':
      return { reset: 'within body', body };
    case 'cut short':
      return { truncate: 'content-length', body };
    case 'cut short in chunks':
      return { truncate: 'chunked', body };
    case 'cut short without a length':
      return { truncate: 'close-delimited', body };
    case 'hung up':
      return { hangUp: true };
    case 'a page of HTML':
      return { body: '<!doctype html><title>Sign in</title>' };
  }
}
