import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A request as bytes, and the expected length of the answer's body. */
export interface PlannedRequest {
  readonly bytes: Buffer;
  readonly bodyBytes: number;
}

export interface Load {
  readonly requests: number;
  readonly perSecond: number;
  /** Share of the time in which the generator itself was busy; near 1 it is the bottleneck. */
  readonly generatorBusy: number;
}

/** Neighbours in a plan are lookups of one company, so they are sent far apart. */
const stride = 7_919;

/**
 * Repeats the planned requests over keep-alive connections, one at a time on each. It writes HTTP to
 * plain sockets, because a client library would take as much time as the server that is measured.
 */
export async function generateLoad(
  url: string,
  planned: readonly PlannedRequest[],
  connections: number,
  limit: { readonly requests: number } | { readonly durationMs: number },
): Promise<Load> {
  const { hostname, port } = new URL(url);
  const sockets = await Promise.all(
    Array.from({ length: connections }, () => openSocket(hostname, Number(port))),
  );
  const startedAt = performance.now();
  const before = performance.eventLoopUtilization();
  let requests = 0;
  const next = () => {
    const isOver =
      'requests' in limit
        ? requests >= limit.requests
        : performance.now() >= startedAt + limit.durationMs;
    if (isOver) return undefined;
    requests += 1;
    return planned[(requests * stride) % planned.length];
  };
  await Promise.all(sockets.map((socket) => converse(socket, next)));
  const seconds = (performance.now() - startedAt) / 1_000;
  const generatorBusy = performance.eventLoopUtilization(before).utilization;
  for (const socket of sockets) socket.destroy();
  return { requests, perSecond: requests / seconds, generatorBusy };
}

async function openSocket(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true });
  await once(socket, 'connect');
  return socket;
}

const endOfHead = Buffer.from('\r\n\r\n');

async function converse(socket: Socket, next: () => PlannedRequest | undefined): Promise<void> {
  let request = next();
  if (!request) return;
  socket.write(request.bytes);
  let received: Buffer = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    received = Buffer.concat([received, chunk]);
    const end = received.indexOf(endOfHead);
    if (end === -1) continue;
    if (bodyLength(received.toString('latin1', 0, end)) !== request.bodyBytes) {
      throw new Error(`unexpected answer: ${received.toString().slice(0, 500)}`);
    }
    if (received.length < end + endOfHead.length + request.bodyBytes) continue;
    received = Buffer.alloc(0);
    request = next();
    if (!request) return;
    socket.write(request.bytes);
  }
  throw new Error('the server closed the connection');
}

/** The length of the body; undefined for any answer but a success. */
function bodyLength(head: string): number | undefined {
  if (!head.startsWith('HTTP/1.1 200 ')) return undefined;
  return Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
}
