import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerProcess } from '../harness/server-process.ts';
import { freePort } from './free-port.ts';

/** A redis-server on loopback that keeps nothing. */
export async function startRedis(folder: string): Promise<Pick<ServerProcess, 'url' | 'stop'>> {
  const port = await freePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  const child = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const ready = new Promise<void>((resolve, reject) => {
    child.once('error', () => reject(new Error('the bench needs redis-server on PATH')));
    child.stdout.on('data', (text) => {
      if (String(text).includes('Ready to accept connections')) resolve();
    });
  });
  await ready;
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
