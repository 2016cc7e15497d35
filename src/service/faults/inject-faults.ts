import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { problems } from '../../contract/problem.ts';
import type { Log } from '../../runtime/log/log.ts';
import { ServiceProblem } from '../http/service-problem.ts';
import { drawFaults, type Faults } from './faults.ts';

declare module 'fastify' {
  interface FastifyRequest {
    isTruncated: boolean;
  }
}

/** Injects faults into the operations. Each is logged, so that it does not pass for a real one. */
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
