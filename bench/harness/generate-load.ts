import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A request as bytes, and the expected length of the answer's body. */
export interface PlannedRequest {
  readonly bytes: Buffer;
  readonly bodyBytes: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** Microseconds from the first byte sent to the last received. */
  readonly latenciesUs: Float64Array;
  /** Share of the time in which the generator itself was busy; near 1 it is the bottleneck. */
  readonly generatorBusy: number;
}

export interface LoadOptions {
  connections: number;
  /** Ends the load after this many requests or after `durationMs`, whichever is given. */
  requests?: number;
  durationMs?: number;
}

/**
 * Repeats the planned requests over keep-alive connections, one at a time on each. It writes HTTP to
 * plain sockets, because a client library would take as much time as the server that is measured.
 */
export async function generateLoad(
  url: string,
  planned: readonly PlannedRequest[],
  options: LoadOptions,
): Promise<LoadResult> {
  const { hostname, port } = new URL(url);
  const sockets = await Promise.all(
    Array.from({ length: options.connections }, () => openSocket(hostname, Number(port))),
  );
  const latenciesUs: number[] = [];
  const most = options.requests ?? Number.POSITIVE_INFINITY;
  const startedAt = performance.now();
  const endsAt = startedAt + (options.durationMs ?? Number.POSITIVE_INFINITY);
  const before = performance.eventLoopUtilization();
  let sent = 0;

  const next = (): PlannedRequest | undefined => {
    if (sent >= most || performance.now() >= endsAt) return undefined;
    sent += 1;
    return planned[sent % planned.length];
  };
  await Promise.all(
    sockets.map((socket) => converse(socket, next, (latencyUs) => latenciesUs.push(latencyUs))),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const generatorBusy = performance.eventLoopUtilization(before).utilization;
  for (const socket of sockets) socket.destroy();
  return {
    requests: latenciesUs.length,
    perSecond: latenciesUs.length / seconds,
    latenciesUs: Float64Array.from(latenciesUs),
    generatorBusy,
  };
}

async function openSocket(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true });
  await once(socket, 'connect');
  return socket;
}

const endOfHead = Buffer.from('\r\n\r\n');

function converse(
  socket: Socket,
  next: () => PlannedRequest | undefined,
  onAnswer: (latencyUs: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let request: PlannedRequest | undefined;
    let sentAt = 0;
    let head: Buffer | undefined;
    let missingBytes = 0;

    const send = () => {
      request = next();
      if (request === undefined) return resolve();
      head = Buffer.alloc(0);
      sentAt = performance.now();
      socket.write(request.bytes);
    };
    const receive = (chunk: Buffer) => {
      if (head === undefined) {
        missingBytes -= chunk.length;
      } else {
        const bytes = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
        const end = bytes.indexOf(endOfHead);
        head = end === -1 ? bytes : undefined;
        if (end === -1) return;
        const length = bodyLength(bytes.toString('latin1', 0, end));
        if (length === undefined || length !== request?.bodyBytes) {
          return reject(new Error(`unexpected answer: ${bytes.toString().slice(0, 500)}`));
        }
        missingBytes = length - (bytes.length - end - endOfHead.length);
      }
      if (missingBytes > 0) return;
      onAnswer((performance.now() - sentAt) * 1_000);
      send();
    };
    socket.on('data', receive);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed the connection')));
    send();
  });
}

/** The length of the body; undefined for any answer but a success. */
function bodyLength(head: string): number | undefined {
  if (!head.startsWith('HTTP/1.1 200 ')) return undefined;
  return Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
}
