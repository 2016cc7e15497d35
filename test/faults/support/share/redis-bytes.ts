import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { Redis } from 'ioredis';

/**
 * All that was ever written to a Redis, as its append-only file has it, and the bodies of the answers that
 * lie there, which are compressed.
 */
export async function redisBytes(address: string): Promise<Record<string, Buffer>> {
  const redis = new Redis(address);
  try {
    const [, folder = ''] = (await redis.config('GET', 'dir')) as string[];
    const written = join(folder, 'appendonlydir');
    const places: Record<string, Buffer> = {};
    for (const name of readdirSync(written)) places[name] = readFileSync(join(written, name));
    for await (const names of redis.scanStream({ match: '*:answer:*' })) {
      for (const name of names as string[]) {
        const body = await redis.hgetBuffer(name, 'body');
        places[name] = body ? zstdDecompressSync(body) : Buffer.alloc(0);
      }
    }
    return places;
  } finally {
    redis.disconnect();
  }
}
