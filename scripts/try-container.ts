import assert from 'node:assert/strict';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import { buildImage, callBuildah, type Image } from './container/build-image.ts';
import { installMissing } from './container/programs.ts';
import { startContainer } from './container/run-image.ts';

/*
 * Builds the image of the Dockerfile and uses it as a platform would, on a machine without a Docker
 * engine: `npm run try:container`, as root on Debian. DEBIAN_MIRROR says where packages come from.
 */
const sources = join(import.meta.dirname, '..');
const mirror = process.env.DEBIAN_MIRROR ?? 'http://deb.debian.org/debian';
const pathFlags = ['--output', '/data/out', '--ledger', '/data/ledger.db'];
const demo = ['run', '/app/jobs/demo.yaml', '--json', ...pathFlags];

if (process.getuid?.() !== 0) throw new Error('namespaces and mounts need root');
installMissing({ buildah: 'buildah', debootstrap: 'debootstrap', nsenter: 'util-linux' });
const work = mkdtempSync(join(tmpdir(), 'dossier-container-'));
try {
  const image = buildImage(sources, work, mirror);
  checkConfig(image);
  await loadOptionalPeers(image, newData('peers'));
  await runDemo(image, newData('demo'));
  await stopAndResume(image, newData('stop'));
  await serve(image, newData('serve'));
} finally {
  callBuildah(work, ['rm', '--all']);
  rmSync(work, { recursive: true, force: true });
}

function checkConfig({ config }: Image): void {
  assert.match(config.User, /^[1-9]\d*:[1-9]\d*$/);
  assert.deepEqual(Object.keys(config.Volumes), ['/data']);
  assert.equal(config.WorkingDir, '/data');
  assert.equal(config.StopSignal, 'SIGTERM');
  say(`user ${config.User}, entry ${config.Entrypoint.join(' ')}`);
}

/** What jobs on a data platform need is there, as the lock has it, and loads. */
async function loadOptionalPeers(image: Image, data: string): Promise<void> {
  const lock = JSON.parse(readFileSync(join(sources, 'package-lock.json'), 'utf8'));
  const peers = Object.keys(lock.packages[''].peerDependencies);
  for (const name of peers) {
    const place = `node_modules/${name}`;
    const file = readFileSync(join(image.root, 'app', place, 'package.json'), 'utf8');
    assert.equal(JSON.parse(file).version, lock.packages[place].version, name);
  }
  assert.ok(!readdirSync(join(image.root, 'app/node_modules')).includes('vitest'));
  const load = `const load = require('node:module').createRequire('/app/dist/main.js');
    for (const name of ${JSON.stringify(peers)}) load(name);`;
  const container = startContainer({ ...image, config: withEntry(image, 'node') }, data, [
    '-e',
    load,
  ]);
  assert.equal((await container.ended).exitCode, 0, container.said());
  say(`optional peers, as the lock has them: ${peers.join(' ')}`);
}

async function runDemo(image: Image, data: string): Promise<void> {
  const asking = startContainer({ ...image, config: withEntry(image, 'sh') }, data, [
    '-c',
    'id -u; cat /proc/1/comm; for place in /app/x /tmp/x /etc/x /data/x; do touch $place 2>/dev/null && echo $place; done',
  ]);
  const [uid, process1, ...writable] = (await asking.ended).stdout.trim().split('\n');
  assert.deepEqual(
    { uid, process1, writable },
    { uid: '10001', process1: 'sh', writable: ['/data/x'] },
  );

  const container = startContainer(image, data, demo);
  const { exitCode, stdout } = await container.ended;
  assert.equal(exitCode, 0, container.said());
  const { rows, calls } = JSON.parse(stdout);
  assert.equal(rows.total, 204);
  say(`demo: ${rows.matched} of ${rows.total} rows matched with ${calls.made} calls`);
  say(`files: ${readdirSync(join(data, 'out')).join(' ')}`);
}

async function stopAndResume(image: Image, data: string): Promise<void> {
  const slow = startContainer(image, data, [...demo, '--rate', '10', '--log-level', 'debug']);
  const attempts = () => slow.said().match(/attempt\.made/g)?.length ?? 0;
  for (let tries = 0; attempts() < 20; tries += 1) {
    assert.ok(tries < 600, 'it makes no calls');
    await delay(100);
  }
  slow.signal('SIGTERM');
  const stopped = await slow.ended;
  assert.equal(stopped.exitCode, 143, slow.said());
  say(`SIGTERM to process 1 after ${attempts()} calls: exit ${stopped.exitCode}`);

  const again = startContainer(image, data, demo);
  const resumed = await again.ended;
  assert.equal(resumed.exitCode, 0, again.said());
  const summary = JSON.parse(resumed.stdout);
  assert.equal(summary.resumed, true);
  const whole = outcomes(join(work, 'demo/out'));
  assert.deepEqual(outcomes(join(data, 'out')), whole);
  say(
    `started again: resumed, ${summary.calls.made} calls more, the same ${whole.length} outcomes`,
  );
}

async function serve(image: Image, data: string): Promise<void> {
  // The container shares the network of the machine, so the service gets a free port.
  const port = String(await freePort());
  const { services } = parse(readFileSync(join(sources, 'deploy/compose.yaml'), 'utf8'));
  const keys = { DOSSIER_SERVICE_KEYS: 'try-it', DOSSIER_API_KEY: 'try-it' };
  const service = startContainer(image, data, [...services.service.command, '--port', port], keys);
  for (let tries = 0; service.checkHealth() !== 0; tries += 1) {
    assert.ok(tries < 20, 'serve did not become healthy');
    await delay(500);
  }
  const url = `http://127.0.0.1:${port}`;
  const run = startContainer(image, data, services.run.command, { ...keys, DOSSIER_URL: url });
  assert.equal((await run.ended).exitCode, 0, run.said());

  service.signal('SIGSTOP');
  assert.notEqual(service.checkHealth(), 0, 'a service that hangs is not healthy');
  service.signal('SIGCONT');
  service.signal('SIGTERM');
  const { exitCode } = await service.ended;
  assert.equal(exitCode, 0, service.said());
  say('compose: serve is healthy, a run against it ends with 0; frozen it is not; 0 at SIGTERM');
}

/** The outcome of each row, without the times of its answer and of its record. */
function outcomes(folder: string): string[] {
  const records = readFileSync(join(folder, 'companies.jsonl'), 'utf8').trim().split('\n');
  return records.map((line) => {
    const { fetched_at: _, changed_at: __, ...record } = JSON.parse(line);
    return JSON.stringify(record);
  });
}

function withEntry({ config }: Image, ...Entrypoint: string[]): Image['config'] {
  return { ...config, Entrypoint };
}

function newData(name: string): string {
  const path = join(work, name);
  mkdirSync(path);
  chownSync(path, 10_001, 10_001);
  return path;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

function say(line: string): void {
  process.stdout.write(`ok  ${line}\n`);
}
