import { execFile } from 'node:child_process';
import { chownSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { launchServer } from './launch-server.ts';
import { isOnPath, testIf } from './needs.ts';
import { temporaryFolder } from './temporary-folder.ts';

const programs = ['postgres', 'initdb', 'psql'];

/** `test` where PostgreSQL is installed. */
export const testWithPostgres = testIf(
  programs.every(isOnPath),
  `${programs.join(', ')} are not all on PATH`,
);

export interface RunningPostgres extends AsyncDisposable {
  /** Of an empty database. */
  readonly url: string;
  /** Runs statements through psql, and gives the rows that they return, cells in text with `|` between. */
  sql(statements: string): Promise<string[]>;
}

/** Starts a PostgreSQL of its own on loopback and waits until it takes connections. */
export async function startPostgres(): Promise<RunningPostgres> {
  const folder = temporaryFolder();
  const user = serverUser();
  if (user.uid !== undefined) chownSync(folder.path, user.uid, user.gid ?? user.uid);
  const data = join(folder.path, 'data');
  const how = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)('initdb', ['-D', data, ...how], { cwd: folder.path, ...user });
  const port = await freePort();
  const settings = ['listen_addresses=127.0.0.1', `unix_socket_directories=${folder.path}`];
  const args = ['-D', data, '-p', String(port), '-F', ...settings.flatMap((one) => ['-c', one])];
  // SIGQUIT ends at once, with all processes of the server: what it holds is thrown away.
  const end = { readyText: 'ready to accept connections', endSignal: 'SIGQUIT' } as const;
  const server = launchServer('postgres', args, { cwd: folder.path, ...user, ...end });
  await server.ready;
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return {
    url,
    sql: (statements) => runPsql(url, statements),
    async [Symbol.asyncDispose]() {
      server.child.kill(end.endSignal);
      await server.ended;
      folder[Symbol.dispose]();
    },
  };
}

function runPsql(url: string, statements: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const quiet = ['--no-psqlrc', '--quiet', '--tuples-only', '--no-align'];
    const args = [...quiet, '--set=ON_ERROR_STOP=1', '--single-transaction', '-f', '-', url];
    const psql = execFile('psql', args, { maxBuffer: 1 << 26 }, (error, stdout) => {
      if (error) reject(error);
      else resolve(stdout.split('\n').filter((line) => line !== ''));
    });
    psql.stdin?.end(statements);
  });
}

/** PostgreSQL refuses to run as root, so there it runs as its own user, or as nobody. */
function serverUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and there is neither a user postgres nor nobody',
  );
}
