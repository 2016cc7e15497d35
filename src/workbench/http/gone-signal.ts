import type { IncomingMessage } from 'node:http';

/** Aborted when the page no longer waits for the answer. */
export function goneSignal(request: IncomingMessage): AbortSignal {
  const gone = new AbortController();
  request.socket.once('close', () => gone.abort());
  return gone.signal;
}
