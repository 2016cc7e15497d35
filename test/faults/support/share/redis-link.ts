import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The way of one machine to Redis, which can be cut without either side being told. */
export interface RedisLink extends AsyncDisposable {
  readonly url: string;
  /** No byte passes any more, and no connection is closed. */
  cut(): void;
  /** Bytes pass again, of connections that are made from now on; those that were cut are reset. */
  fix(): void;
}

export async function openRedisLink(redisPort: number): Promise<RedisLink> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const hold = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    return socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    hold(client);
    if (isCut) return;
    const redis = hold(connect(redisPort, '127.0.0.1'));
    const passOn = (from: Socket, to: Socket) => {
      from.on('data', (chunk) => {
        if (!isCut) to.write(chunk);
      });
      from.on('close', () => {
        if (!isCut) to.destroy();
      });
    };
    passOn(client, redis);
    passOn(redis, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const resetAll = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
    },
    fix() {
      resetAll();
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      resetAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
