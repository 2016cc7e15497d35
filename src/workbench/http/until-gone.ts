import type { FastifyReply } from 'fastify';

/** Aborted when the page no longer waits for this answer. */
export function untilGone({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  raw.on('close', () => leaving.abort());
  return leaving.signal;
}
