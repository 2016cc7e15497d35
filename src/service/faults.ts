import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { problems } from '../core/contract/problem.ts';
import type { Log } from '../core/runtime/log/log.ts';
import { ServiceProblem } from './answer-errors.ts';

const probability = z.number().min(0).max(1).default(0);

export const Faults = z.strictObject({
  seed: z
    .int()
    .min(0)
    .default(1)
    .describe('The same seed gives the same faults in the same order.'),
  latencyMs: z
    .tuple([z.number().min(0), z.number().min(0)])
    .refine(([min, max]) => min <= max, 'the first number must not be above the second')
    .default([0, 0])
    .describe('Shortest and longest delay of an answer.'),
  throttle: probability.describe('Share of requests that start a burst of 429 answers.'),
  throttleBurst: z
    .int()
    .min(1)
    .default(5)
    .describe('Number of requests that a burst of 429 answers refuses.'),
  retryAfterSeconds: z.int().min(0).default(1).describe('Retry-After header of a 429 answer.'),
  errors: probability.describe('Share of requests answered with 500, 502 or 503.'),
  resets: probability.describe('Share of requests whose connection is reset without an answer.'),
  truncated: probability.describe('Share of answers that are cut off half-way.'),
});
export type Faults = z.output<typeof Faults>;

function drawFaults(faults: Faults) {
  const random = seededRandom(faults.seed);
  let refusalsLeft = 0;

  const drawFault = () => {
    if (refusalsLeft === 0 && random() < faults.throttle) refusalsLeft = faults.throttleBurst;
    // Every request draws four numbers, so changing one setting leaves the other faults the same.
    const [error, status, reset, truncate] = [random(), random(), random(), random()];
    if (refusalsLeft > 0) {
      refusalsLeft -= 1;
      return { kind: 'throttle', retryAfterSeconds: faults.retryAfterSeconds } as const;
    }
    if (error < faults.errors) {
      return { kind: 'error', statusCode: [500, 502, 503][Math.floor(status * 3)] ?? 500 } as const;
    }
    if (reset < faults.resets) return { kind: 'reset' } as const;
    if (truncate < faults.truncated) return { kind: 'truncate' } as const;
    return { kind: 'none' } as const;
  };

  return () => {
    const [min, max] = faults.latencyMs;
    const latencyMs = min + random() * (max - min);
    return { fault: drawFault(), latencyMs };
  };
}

/** The mulberry32 algorithm. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    isTruncated: boolean;
  }
}

export function injectFaults(app: FastifyInstance, faults: Faults, log: Log): void {
  const draw = drawFaults(faults);
  app.decorateRequest('isTruncated', false);

  app.addHook('preHandler', async (request, reply) => {
    const { fault, latencyMs } = draw();
    if (latencyMs > 0) await sleep(latencyMs);
    if (fault.kind !== 'none') log.warn(fault, 'fault.injected');
    switch (fault.kind) {
      case 'none':
        return;
      case 'throttle':
        reply.header('retry-after', String(fault.retryAfterSeconds));
        throw new ServiceProblem('TOO_MANY_REQUESTS');
      case 'error':
        return reply.code(fault.statusCode).send(problems.INTERNAL);
      case 'reset':
        reply.hijack();
        request.raw.socket.resetAndDestroy();
        return;
      case 'truncate':
        request.isTruncated = true;
    }
  });

  app.addHook('onSend', async (request, reply, payload) => {
    if (!request.isTruncated || !isWhole(payload)) return payload;
    const bytes = Buffer.from(payload);
    reply.hijack();
    reply.raw.writeHead(reply.statusCode, { 'content-length': bytes.length });
    reply.raw.write(bytes.subarray(0, bytes.length / 2), () => request.raw.socket.destroy());
    return payload;
  });
}

function isWhole(payload: unknown): payload is string | Buffer {
  return typeof payload === 'string' || Buffer.isBuffer(payload);
}
