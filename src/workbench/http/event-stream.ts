import type { FastifyReply } from 'fastify';

/** Sends events to one open page for as long as it listens. */
export interface EventStream {
  /** Aborted when the page is gone. */
  readonly signal: AbortSignal;
  /** A page that has not read the last event yet misses this one: nothing piles up for a frozen tab. */
  send(name: string, data: unknown): void;
  /** The page asks again by itself after a second. */
  close(): void;
}

export function openEventStream(reply: FastifyReply): EventStream {
  const closing = new AbortController();
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) raw.setHeader(name, value);
  }
  raw.writeHead(200, { 'Content-Type': 'text/event-stream' });
  raw.write('retry: 1000\n\n');
  raw.on('close', () => closing.abort());
  return {
    signal: closing.signal,
    send(name, data) {
      if (raw.writableNeedDrain) return;
      raw.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    close: () => void raw.end(),
  };
}
