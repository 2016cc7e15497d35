import { writeSync } from 'node:fs';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { packagePath } from '../../../src/platform/package-path.ts';
import { skipUnusedModules } from '../../../src/platform/skip-unused-modules.ts';
import { type AskedCommand, endMark } from './asked-command.ts';

/** Events of the process that a command listens to, and that end with it. */
const events = ['uncaughtException', 'SIGINT', 'SIGTERM', 'SIGHUP', 'warning', 'exit'] as const;

/** Longer than any command takes to end after its last word, sockets that are kept open included. */
const patienceMs = 60_000;

// As main.ts does.
skipUnusedModules();
const { runProgram } = await import('../../../src/cli/program.ts');

process.on('disconnect', () => process.exit());
const own = new Map(events.map((event) => [event, process.rawListeners(event)]));
const idle = countResources();

process.on('message', async (asked: AskedCommand) => {
  process.chdir(asked.cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, asked.env);
  process.argv.splice(1, Number.POSITIVE_INFINITY, packagePath('src/main.ts'), ...asked.args);
  process.exitCode = undefined;
  const exitCode = await runProgram(asked.args);
  process.exitCode = exitCode;
  const hasEnded = await untilNothingRuns();
  leaveNothing(exitCode);
  // What is left behind is not to be met by the next command: this process ends as the command would.
  if (!hasEnded) process.exit(exitCode);
  for (const stream of [1, 2]) writeSync(stream, `${endMark}${exitCode}${endMark}`);
});

/** A process ends when nothing keeps it alive, and so does a command here. */
async function untilNothingRuns(): Promise<boolean> {
  await nextTurn();
  const endsAt = performance.now() + patienceMs;
  while ([...countResources()].some(([kind, count]) => count > (idle.get(kind) ?? 0))) {
    if (performance.now() > endsAt) return false;
    // A timer of this loop is not counted: it has fired before the resources are looked at.
    await sleep(1);
  }
  return true;
}

function countResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** Takes back what the command has changed of its process, as if that had ended. */
function leaveNothing(exitCode: number): void {
  for (const [event, before] of own) {
    for (const listener of process.rawListeners(event)) {
      if (before.includes(listener)) continue;
      if (event === 'exit') Reflect.apply(listener, process, [exitCode]);
      process.removeListener(event, listener as () => void);
    }
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners('error');
    Reflect.deleteProperty(stream, 'write');
  }
  process.chdir('/');
}
