import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Seed } from './seed.ts';

/** A fault of one connection, in the direction from the service to Dossier. */
export type WireFault =
  | { readonly kind: 'none' }
  /** Every chunk arrives later by this time. */
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'bandwidth'; readonly bytesPerSecond: number }
  /** The answer arrives in chunks of this many bytes. */
  | { readonly kind: 'slices'; readonly bytes: number }
  /** The connection ends with a TCP reset. */
  | { readonly kind: 'reset'; readonly afterBytes: number }
  /** The connection is closed in the middle of an answer. */
  | { readonly kind: 'truncation'; readonly afterBytes: number }
  /** The connection stays open, but no more bytes arrive. */
  | { readonly kind: 'silence'; readonly afterBytes: number }
  /** The service's close is passed on late, so that a request goes to a dead connection. */
  | { readonly kind: 'slow close'; readonly ms: number }
  /** The connection is accepted and closed at once. */
  | { readonly kind: 'hang-up' };

export interface TcpProxy extends AsyncDisposable {
  readonly url: string;
  /** Broken connections; each lost at most one answer. */
  broken(): number;
  /** Resets open connections and refuses new ones, until `up` is called. */
  down(): Promise<void>;
  up(): Promise<void>;
}

/** A proxy between Dossier and its service that injects faults below HTTP. */
export async function openTcpProxy(
  serviceUrl: string,
  faultOf: (connection: number) => WireFault,
): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const target = new URL(serviceUrl);
  let connections = 0;
  let broken = 0;
  let port = 0;

  const hold = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    return socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    hold(client);
    const fault = faultOf(connections);
    connections += 1;
    if (fault.kind === 'hang-up') {
      broken += 1;
      client.end();
      return;
    }
    const service = hold(connect(Number(target.port), target.hostname));
    client.on('close', () => service.destroy());
    client.pipe(service);
    passOn(service, client, fault).then(
      (isWhole) => {
        if (!isWhole) broken += 1;
      },
      () => client.destroy(),
    );
  });
  const proxy = {
    url: '',
    broken: () => broken,
    async down() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.resetAndDestroy();
      await closed;
    },
    async up() {
      await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
      port = (server.address() as AddressInfo).port;
    },
  };
  await proxy.up();
  return { ...proxy, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: proxy.down };
}

/** Kinds that let every answer through, and kinds that lose one. */
const harmless = ['none', 'none', 'latency', 'bandwidth', 'slices', 'slow close'] as const;
const harmful = ['reset', 'truncation', 'silence', 'hang-up'] as const;

/**
 * A fault for each connection, by the seed. A third of them lose an answer. The second always does,
 * because otherwise some rounds would lose none.
 */
export function faultSchedule(seed: Seed): () => WireFault {
  let connections = 0;
  return () => {
    connections += 1;
    const isHarmful = seed.random(3) === 0 || connections === 2;
    const kind = isHarmful ? seed.pick(harmful) : seed.pick(harmless);
    switch (kind) {
      case 'latency':
        return { kind, ms: 1 + seed.random(40) };
      case 'bandwidth':
        return { kind, bytesPerSecond: 20_000 + seed.random(200_000) };
      case 'slices':
        return { kind, bytes: 1 + seed.random(100) };
      case 'reset':
      case 'truncation':
      case 'silence':
        return { kind, afterBytes: seed.random(4_000) };
      case 'slow close':
        return { kind, ms: 5 + seed.random(100) };
      default:
        return { kind };
    }
  };
}

/** Passes bytes on; false when the connection was broken before the service closed it. */
async function passOn(service: Socket, client: Socket, fault: WireFault): Promise<boolean> {
  let passed = 0;
  for await (const chunk of service as AsyncIterable<Buffer>) {
    const left = 'afterBytes' in fault ? fault.afterBytes - passed : Number.POSITIVE_INFINITY;
    for (const piece of cut(chunk.subarray(0, left), fault)) await send(client, piece, fault);
    passed += chunk.length;
    if (chunk.length < left) continue;
    breakOff(client, fault);
    return false;
  }
  if (fault.kind === 'slow close') await delay(fault.ms);
  client.end();
  return true;
}

function cut(chunk: Buffer, fault: WireFault): Buffer[] {
  if (fault.kind !== 'slices') return [chunk];
  const pieces = Math.ceil(chunk.length / fault.bytes);
  return Array.from({ length: pieces }, (_, index) =>
    chunk.subarray(index * fault.bytes, (index + 1) * fault.bytes),
  );
}

async function send(client: Socket, piece: Buffer, fault: WireFault): Promise<void> {
  if (fault.kind === 'latency') await delay(fault.ms);
  if (fault.kind === 'bandwidth') await delay((piece.length / fault.bytesPerSecond) * 1_000);
  client.write(piece);
  // Without a turn of the event loop between them, two writes would leave as one.
  if (fault.kind === 'slices') await delay(0);
}

function breakOff(client: Socket, { kind }: WireFault): void {
  if (kind === 'reset') client.resetAndDestroy();
  if (kind === 'truncation') client.end();
}
