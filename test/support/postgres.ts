import { execFile } from 'node:child_process';
import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll } from 'vitest';
import { freePort } from './free-port.ts';
import { atEndOfWorker, launchServer } from './launch-server.ts';
import { isOnPath, testIf } from './needs.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** What a PostgreSQL of the tests needs. */
export const programs = ['postgres', 'initdb', 'psql', 'openssl'];

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
  /** Ends the server as a crash does; `start` starts it again, with what was committed. */
  crash(): Promise<void>;
  start(): Promise<void>;
}

export interface PostgresOptions {
  /** Lines of pg_hba.conf that come before the one that trusts everybody. */
  readonly access?: readonly string[];
  /** Makes the server offer TLS; `makeCertificate` makes one. */
  readonly certificate?: { readonly key: Buffer; readonly cert: Buffer };
}

/** Starts a PostgreSQL of its own on loopback and waits until it takes connections. */
export async function startPostgres(options: PostgresOptions = {}): Promise<RunningPostgres> {
  const folder = temporaryFolder();
  const user = serverUser();
  giveToPostgres(folder.path);
  const data = join(folder.path, 'data');
  const how = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  await promisify(execFile)('initdb', ['-D', data, ...how], { cwd: folder.path, ...user });
  const port = await freePort();
  const settings = [
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder.path}`,
    ...configure(data, options),
  ];
  const args = ['-D', data, '-p', String(port), '-F', ...settings.flatMap((one) => ['-c', one])];
  // SIGQUIT ends at once, with all processes of the server: what it holds is thrown away.
  const end = { readyText: 'ready to accept connections', endSignal: 'SIGQUIT' } as const;
  const launch = () => launchServer('postgres', args, { cwd: folder.path, ...user, ...end });
  let server = launch();
  await server.ready;
  const crash = async () => {
    server.child.kill(end.endSignal);
    await server.ended;
  };
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return {
    url,
    sql: (statements) => runPsql(url, statements),
    crash,
    async start() {
      server = launch();
      await server.ready;
    },
    async [Symbol.asyncDispose]() {
      await crash();
      folder[Symbol.dispose]();
    },
  };
}

/** One server for all tests of a file, each in a schema of its own. */
export function sharedPostgres(start: () => Promise<RunningPostgres> = startPostgres) {
  let started: Promise<RunningPostgres> | undefined;
  afterAll(async () => (await started)?.[Symbol.asyncDispose]());
  return () => {
    started ??= start();
    return started;
  };
}

let ofWorker: Promise<RunningPostgres> | undefined;
let databases = 0;

/** An empty database on a server that all files of a worker share. */
export async function emptyDatabase(): Promise<RunningPostgres> {
  if (!ofWorker) {
    ofWorker = startPostgres();
    atEndOfWorker(async () => (await ofWorker)?.[Symbol.asyncDispose]());
  }
  const server = await ofWorker;
  databases += 1;
  const name = `empty${databases}`;
  await runPsql(server.url, `create database ${name}`, []);
  const url = new URL(name, server.url).href;
  const sql = (statements: string) => runPsql(url, statements);
  return { ...server, url, sql, async [Symbol.asyncDispose]() {} };
}

/** Writes the files that the options ask for, and gives the settings. */
function configure(data: string, { access = [], certificate }: PostgresOptions): string[] {
  const rules = join(data, 'pg_hba.conf');
  writeFileSync(rules, [...access, readFileSync(rules, 'utf8')].join('\n'));
  if (!certificate) return [];
  for (const [name, bytes] of Object.entries(certificate)) {
    const path = join(data, `${name}.pem`);
    writeFileSync(path, bytes, { mode: 0o600 });
    giveToPostgres(path);
  }
  return ['ssl=on', 'ssl_cert_file=cert.pem', 'ssl_key_file=key.pem'];
}

function runPsql(
  url: string,
  statements: string,
  how = ['--single-transaction'],
): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const quiet = ['--no-psqlrc', '--quiet', '--tuples-only', '--no-align'];
    const args = [...quiet, '--set=ON_ERROR_STOP=1', ...how, '-f', '-', url];
    const psql = execFile('psql', args, { maxBuffer: 1 << 26 }, (error, stdout) => {
      if (error) reject(error);
      else resolve(stdout.split('\n').filter((line) => line !== ''));
    });
    psql.stdin?.end(statements);
  });
}

/** Makes a file or folder one of the user that the server runs as. */
export function giveToPostgres(path: string): void {
  const { uid, gid = uid } = serverUser();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** PostgreSQL refuses to run as root, so there it runs as its own user, or as nobody. */
function serverUser(): ServerUser {
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
