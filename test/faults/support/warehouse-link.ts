import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The way to a warehouse, which breaks at a byte of what is sent to it. */
export interface WarehouseLink extends Disposable {
  readonly url: string;
  /** Bytes that were sent to the warehouse, over all connections. */
  sent(): number;
  /**
   * Breaks the connection as soon as so many bytes more have arrived there, and then does something. Those
   * that are made afterwards hold.
   */
  breakAfter(bytes: number, then?: () => Promise<void>): void;
  /** Resolves when all that follows the break is done; whether there was one. */
  settled(): Promise<boolean>;
}

export async function openWarehouseLink(warehouse: string): Promise<WarehouseLink> {
  const target = new URL(warehouse);
  const sockets = new Set<Socket>();
  let sent = 0;
  let planned: { at: number; then: () => Promise<void> } | undefined;
  let broken: Promise<void> | undefined;

  const hold = (socket: Socket) => {
    sockets.add(socket);
    return socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    hold(client);
    const there = hold(connect(Number(target.port), target.hostname));
    client.on('data', (chunk) => {
      const passed = planned ? chunk.subarray(0, planned.at - sent) : chunk;
      sent += passed.length;
      there.write(passed);
      if (!planned || sent < planned.at) return;
      const { then } = planned;
      planned = undefined;
      client.destroy();
      // What was sent arrives before the end does.
      there.end();
      broken = then();
    });
    there.on('data', (chunk) => client.write(chunk));
    client.on('close', () => there.end());
    there.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(warehouse);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    sent: () => sent,
    breakAfter(bytes, then = async () => {}) {
      planned = { at: sent + Math.max(1, bytes), then };
    },
    async settled() {
      planned = undefined;
      await broken;
      return broken !== undefined;
    },
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
