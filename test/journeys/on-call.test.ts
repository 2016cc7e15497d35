import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packagePath } from '../../src/platform/package-path.ts';
import { RunEnd } from '../../src/run/run-schemas.ts';
import { cleanEnvironment } from '../support/clean-environment.ts';
import { type HostileServer, openHostileServer, type Reaction } from '../support/hostile-server.ts';
import { runDossier, succeeded } from '../support/run-dossier.ts';
import { openSmallService } from '../support/small-service.ts';
import { openFolder } from '../support/work-folder.ts';

const token = 'xK93mQ7zLw2';
const chat = `/services/T0PQ2/${token}`;
const monitor = '/0d338dcc-a054-11ec';
const asEvents = ['--rate', 'none', '--log-format', 'json', '--json'];

/** A folder with a job that notifies a receiver. */
function folderWithJob(address: string, job: object = {}) {
  const onCall = {
    notify: { url: `\${CHAT_WEBHOOK}` },
    heartbeat: `${address}${monitor}?tag=night`,
  };
  const text = JSON.stringify({ name: 'leads', input: { path: 'leads.csv' }, ...onCall, ...job });
  const leads = 'website\nacme.com.au\nbeta.com.au\nunknown.com.au\n';
  return openFolder({ 'leads.csv': leads, 'job.yaml': text });
}

function received({ seen }: HostileServer) {
  const messages = seen.filter(({ method }) => method === 'POST');
  return {
    beats: seen.filter(({ method }) => method === 'GET').map(({ path }) => path),
    messages: messages.map(({ body }) => JSON.parse(body) as Record<string, unknown>),
  };
}

function eventsOf(stderr: string): Record<string, unknown>[] {
  const lines = stderr.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

function everything(folder: string, ...said: string[]): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'job.yaml');
  const texts = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
  return [...texts, ...said].join('\n');
}

test('a finished run is reported to chat and monitor, and their addresses are not shown', async () => {
  // As Google Chat does, the receiver takes `text` and refuses any other field.
  await using receiver = await openHostileServer(({ body }) =>
    body.includes('"event"') ? { status: 400, body: '{"error":"Unknown name"}' } : {},
  );
  await using service = await openSmallService();
  using folder = folderWithJob(receiver.url, { expect: { matchRate: '>= 60%' } });
  const env = { ...service.env, CHAT_WEBHOOK: `${receiver.url}${chat}` };
  const options = { cwd: folder.path, env };
  const args = ['run', 'job.yaml', ...asEvents, '--log-level', 'debug'];
  const { stdout, stderr } = await succeeded(runDossier(args, options));
  const { beats, messages } = received(receiver);
  expect(beats).toEqual([`${monitor}/start?tag=night`, `${monitor}?tag=night`]);
  expect(messages[0]).toMatchObject({
    event: 'finished',
    job: 'leads',
    run: 'r1',
    exitCode: 0,
    reason: null,
    rows: { total: 3, matched: 2, not_found: 1 },
    calls: { made: 3 },
    requests: 3,
    folder: join(folder.path, 'output/leads'),
    host: hostname(),
    startedAt: expect.any(String),
    endedAt: expect.any(String),
  });
  const { text } = messages[0] ?? {};
  expect(messages.slice(1)).toEqual([{ text }]);
  expect(text).toContain('Dossier: leads (r1) finished (exit 0)');
  expect(text).toContain('3 rows: 2 found, 1 not found. Calls: 3 made, 0 saved.');
  expect(eventsOf(stderr).at(-1)).toMatchObject({ event: 'run.ended', exitCode: 0 });

  const check = await runDossier(['check', 'job.yaml', '--notify'], options);
  expect(received(receiver).messages.slice(2)).toMatchObject([
    { event: 'test', job: 'leads', text: expect.stringContaining('test message from leads') },
    { text: expect.stringContaining('No action is needed') },
  ]);
  const status = await runDossier(['status', 'job.yaml', '--json'], { cwd: folder.path });
  expect([check.exitCode, status.exitCode]).toEqual([0, 0]);

  const night = async (...sites: string[]) => {
    folder.write('leads.csv', ['website', ...sites].join('\n'));
    const ran = await runDossier(['run', 'job.yaml', ...asEvents], options);
    const [message, plain] = received(receiver).messages.slice(-2);
    return { ...ran, message, lines: String(plain?.text).split('\n') };
  };
  const held = await night('acme.com.au', 'unknown.com.au');
  const words = {
    reason: 'HELD',
    message:
      'the result is not what was expected: matchRate: 50% (1 of 2 rows), 10 points below the expected >= 60%. The next run of this list will make at most 0 calls.',
    remedy: expect.stringContaining(`dossier export ${join(folder.path, 'job.yaml')} --accept`),
    held: [{ expectation: 'matchRate', expected: '>= 60%', found: '50%' }],
  };
  expect(held).toMatchObject({ exitCode: 4, message: { event: 'expectation', ...words } });
  expect(JSON.parse(held.stdout)).toMatchObject({ ...words, complete: true });
  expect(held.lines[1]).toMatch(/^The result is not .* below the expected ≥ 60%/);
  expect(held.lines[2]).toContain('No published result was changed.');

  const said = everything(folder.path, stdout, stderr, check.stdout, status.stdout);
  for (const secret of [token, chat, monitor]) expect(said).not.toContain(secret);
});

test('a dead or silent receiver changes neither result nor exit code', async () => {
  await using slow = await openHostileServer({ neverAnswer: true });
  await using service = await openSmallService();
  using folder = folderWithJob(slow.url);
  // Nothing listens on port 1.
  const env = { ...service.env, CHAT_WEBHOOK: `http://127.0.0.1:1${chat}` };
  const finished = await succeeded(
    runDossier(['run', 'job.yaml', ...asEvents], { cwd: folder.path, env }),
  );
  const events = eventsOf(finished.stderr);
  expect(events.filter(({ event }) => event === 'oncall.lost')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ level: 'warn', to: 'notify', reason: 'connection refused' }),
      expect.objectContaining({ level: 'warn', to: 'heartbeat', reason: 'no answer in time' }),
    ]),
  );
  expect(events.at(-1)).toMatchObject({ event: 'run.ended', exitCode: 0 });
  const check = await runDossier(['check', 'job.yaml', '--notify'], { cwd: folder.path, env });
  expect(check.exitCode).toBe(69);
  expect(check.stdout).toContain('the test message did not arrive: connection refused');
  const said = `${finished.stderr} ${check.stdout}`;
  for (const secret of [token, monitor]) expect(said).not.toContain(secret);
});

const crashAtSignal = `data:text/javascript,${encodeURIComponent(
  `process.on('SIGUSR2', () => setTimeout(() => { throw new TypeError('odd state at ' + process.env.CHAT_WEBHOOK) }));`,
)}`;

test('a busy job is reported to the chat only, a signal to both, and a crash to the log', async () => {
  await using receiver = await openHostileServer({});
  const answers = Promise.withResolvers<Reaction>();
  await using service = await openSmallService(() => answers.promise);
  using folder = folderWithJob(receiver.url);
  const env = { ...service.env, CHAT_WEBHOOK: `${receiver.url}${chat}` };
  const start = () => {
    const node = ['--import', crashAtSignal, packagePath('src/main.ts')];
    const child = spawn(process.execPath, [...node, 'run', 'job.yaml', ...asEvents], {
      cwd: folder.path,
      env: cleanEnvironment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
      // The run waits for the answers on the wire.
      if (stderr.includes('run.stopping')) answers.resolve({ status: 404, body: '' });
    });
    const ended = once(child, 'close').then(([code]) => ({
      code,
      object: RunEnd.parse(JSON.parse(stdout)),
      events: eventsOf(stderr),
    }));
    return { child, ended };
  };
  const crashing = start();
  await service.untilSeen(3);
  const busy = await runDossier(['run', 'job.yaml'], { cwd: folder.path, env });
  expect(busy.exitCode).toBe(75);
  crashing.child.kill('SIGUSR2');
  const crash = await crashing.ended;
  expect(crash.code).toBe(1);
  // An error may hold the address.
  expect(JSON.stringify(crash)).not.toContain(token);
  expect(crash.object).toMatchObject({ exitCode: 1, reason: 'BUG', rows: { open: 3 } });
  expect(crash.events.slice(-2)).toMatchObject([
    { event: 'run.failed', code: 'BUG', message: expect.stringContaining('odd state') },
    { event: 'run.ended', exitCode: 1, reason: 'BUG', rows: { open: 3 } },
  ]);
  const before = service.seen.length;
  const stopping = start();
  await service.untilSeen(before + 3);
  stopping.child.kill('SIGTERM');
  const stop = await stopping.ended;
  expect(stop.object).toMatchObject({ exitCode: 143, reason: 'TERMINATED', run: 'r1' });

  const { beats, messages } = received(receiver);
  const path = (ending: string) => `${monitor}${ending}?tag=night`;
  expect(beats).toEqual([path('/start'), path('/start'), path('/143')]);
  expect(messages.map(({ exitCode, reason }) => [exitCode, reason])).toEqual([
    [75, 'JOB_BUSY'],
    [143, 'TERMINATED'],
  ]);
});
