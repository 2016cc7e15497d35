import type { ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { launchServer, type ServerProcess } from './launch-server.ts';
import { testWhere } from './needs.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** `test` where redis-server is installed. */
export const testWithRedis = testWhere('redis-server');

export interface RedisOptions {
  /** Lines of redis.conf by their name: `{ requirepass: 'secret' }`. */
  readonly config?: Readonly<Record<string, string>>;
  /** Makes the port speak TLS only; `makeCertificate` makes one. */
  readonly certificate?: { readonly key: Buffer; readonly cert: Buffer };
}

export interface RunningRedis extends AsyncDisposable {
  readonly port: number;
  /** Without user name and password. */
  readonly url: string;
  /** The process that runs now, for signals such as SIGSTOP. */
  readonly process: ChildProcess;
  /** Ends the server as a crash does. What it has answered is in its append-only file. */
  kill(): Promise<void>;
  /** Ends the server where it runs, and starts it on the same port. */
  restart(data: 'kept' | 'lost'): Promise<void>;
}

/** Starts a redis-server on loopback and waits until it takes connections. */
export async function startRedis(options: RedisOptions = {}): Promise<RunningRedis> {
  const port = await freePort();
  const folder = temporaryFolder();
  const data = join(folder.path, 'appendonlydir');
  writeConfig(folder.path, port, options);
  let server = launch(folder.path);
  const kill = async () => {
    server.child.kill('SIGKILL');
    await server.ended;
  };
  await server.ready;
  return {
    port,
    url: `${options.certificate ? 'rediss' : 'redis'}://127.0.0.1:${port}`,
    get process() {
      return server.child;
    },
    kill,
    async restart(wanted) {
      await kill();
      if (wanted !== 'kept') rmSync(data, { recursive: true, force: true });
      server = launch(folder.path);
      await server.ready;
    },
    async [Symbol.asyncDispose]() {
      await kill();
      folder[Symbol.dispose]();
    },
  };
}

function writeConfig(folder: string, port: number, { config, certificate }: RedisOptions): void {
  const tls = certificate && {
    port: '0',
    'tls-port': String(port),
    'tls-cert-file': join(folder, 'cert.pem'),
    'tls-key-file': join(folder, 'key.pem'),
    'tls-auth-clients': 'no',
  };
  if (certificate) {
    writeFileSync(join(folder, 'cert.pem'), certificate.cert);
    writeFileSync(join(folder, 'key.pem'), certificate.key);
  }
  const all = {
    bind: '127.0.0.1',
    port: String(port),
    dir: folder,
    save: '""',
    appendonly: 'yes',
    ...tls,
    ...config,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} ${value}\n`);
  writeFileSync(join(folder, 'redis.conf'), lines.join(''));
}

function launch(folder: string): ServerProcess {
  return launchServer('redis-server', [join(folder, 'redis.conf')], {
    readyText: 'Ready to accept connections',
    endSignal: 'SIGKILL',
  });
}
