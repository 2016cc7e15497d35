import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { cleanEnvironment } from '../clean-environment.ts';
import { type AskedCommand, endMark } from './asked-command.ts';

interface WarmProcess {
  readonly child: ChildProcessByStdio<null, Socket, Socket>;
  readonly ended: Promise<number | null>;
  commands: number;
}

const commandProcess = join(import.meta.dirname, 'command-process.ts');
const endOfText = new RegExp(`${endMark}(\\d+)${endMark}$`);
/** A new process from time to time, so that whatever a command leaves behind cannot pile up. */
const mostCommands = 400;
/** A start costs more than a wait, so the commands of a worker run one after the other. */
let last: Promise<unknown> = Promise.resolve();
let waiting: WarmProcess | undefined;
let program: Promise<string[]> | undefined;

/** Runs a command in a process that has loaded what commands need, for those before it. */
export function runWarm(command: AskedCommand) {
  const finished = last.then(() => runNext(command));
  last = finished;
  return finished;
}

/** A program that runs commands in the folder and environment of this worker, and plans warm. */
export function programOfWorker(): Promise<string[]> {
  program ??= serveWarm();
  return program;
}

async function serveWarm(): Promise<string[]> {
  const server = createServer({ allowHalfOpen: true }, async (asking) => {
    // The page may stop waiting for its plan, even before the command has arrived.
    asking.on('error', () => {});
    const asked = await text(asking).catch(() => '');
    if (asked === '') return;
    const args = JSON.parse(asked) as string[];
    asking.end(JSON.stringify(await runWarm({ args, cwd: process.cwd(), env: process.env })));
  });
  await once(server.listen(0, '127.0.0.1').unref(), 'listening');
  const { port } = server.address() as AddressInfo;
  return [process.execPath, join(import.meta.dirname, 'ask-warm.ts'), `${port}`];
}

async function runNext(command: AskedCommand) {
  // A process may have ended while it waited.
  const isThere = waiting?.child.connected && waiting.child.exitCode === null;
  const warm = waiting && isThere ? waiting : startProcess();
  waiting = undefined;
  holdWorker(warm, true);
  const { child, ended } = warm;
  const printed = Promise.all([readToMark(child.stdout), readToMark(child.stderr)]);
  child.send(command);
  const [stdout, stderr] = await printed;
  const hasEnded = stdout.exitCode === undefined || stderr.exitCode === undefined;
  const exitCode = hasEnded ? await ended : Number(stdout.exitCode);
  if (!hasEnded) keep(warm);
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

function startProcess(): WarmProcess {
  const child = spawn(process.execPath, [commandProcess], {
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  }) as unknown as WarmProcess['child'];
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ended, commands: 0 };
}

function keep(warm: WarmProcess): void {
  warm.commands += 1;
  holdWorker(warm, false);
  if (warm.commands < mostCommands) waiting = warm;
  else warm.child.disconnect();
}

/** A process that waits does not keep the worker of the tests alive, and ends with it. */
function holdWorker({ child }: WarmProcess, isHeld: boolean): void {
  for (const part of [child, child.channel, child.stdout, child.stderr]) {
    if (isHeld) part?.ref();
    else part?.unref();
  }
}

/** What was printed up to the mark; without an exit code where the process has ended. */
function readToMark(stream: Socket): Promise<{ text: string; exitCode?: number }> {
  const chunks: Buffer[] = [];
  let tail = '';
  return new Promise((resolve) => {
    const finish = () => {
      stream.off('data', take).off('end', finish);
      const text = Buffer.concat(chunks).toString();
      const [mark, code] = endOfText.exec(text) ?? [];
      if (mark === undefined) resolve({ text });
      else resolve({ text: text.slice(0, -mark.length), exitCode: Number(code) });
    };
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      tail = (tail + chunk.subarray(-8).toString('latin1')).slice(-8);
      if (endOfText.test(tail)) finish();
    };
    stream.on('data', take).once('end', finish);
  });
}
