import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

/** A PostgreSQL on loopback with the settings of a fresh installation. */
export async function startPostgres(
  folder: string,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const user = serverUser();
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const how = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C'];
  const initialise = { cwd: folder, stdio: 'ignore', ...user } as const;
  execFileSync('initdb', ['-D', data, ...how], initialise);
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`];
  const args = ['-D', data, '-p', String(port), ...settings.flatMap((one) => ['-c', one])];
  const child = spawn('postgres', args, {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  await new Promise<void>((resolve, reject) => {
    child.once('error', () => reject(new Error('the bench needs postgres and initdb on PATH')));
    child.stderr.on('data', (text) => {
      if (String(text).includes('ready to accept connections')) resolve();
    });
  });
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      child.kill('SIGINT');
      await ended;
    },
  };
}

/** PostgreSQL refuses to run as root, so that it runs as the user of its package there. */
function serverUser(): { readonly uid?: number; readonly gid: number } {
  if (process.getuid?.() !== 0) return { gid: process.getgid?.() ?? 0 };
  const idOf = (flag: string) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}
