import type { Redis } from 'ioredis';

/** Names the Redis that is connected to: another one after each restart. */
export function watchServer(redis: Redis): () => Promise<string> {
  let server: Promise<string>;
  const look = () => {
    server = readServer(redis);
    server.catch(() => {});
    return server;
  };
  redis.on('ready', look);
  server = look();
  return () => server;
}

async function readServer(redis: Redis): Promise<string> {
  const info = await redis.info('server');
  return /run_id:(\w+)/.exec(info)?.[1] ?? '';
}
