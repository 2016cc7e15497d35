import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Running } from './world.ts';

/** Whether the system shows the state of processes, as Linux does. */
export const canLookAtProcesses = existsSync('/proc/self/stat');

/** Waits until a process has stopped itself; throws when it ends instead. */
export async function untilStopped({ process: child, ended }: Running): Promise<void> {
  while (stateOf(child.pid) !== 'T') {
    if (child.exitCode !== null || child.signalCode !== null) {
      const { by, stderr } = await ended;
      throw new Error(`ended by ${by} before it came to the point: ${stderr}`);
    }
    await delay(5);
  }
}

/** The process that a starter such as `unshare --fork` has started. */
export function childOf({ process: child }: Running): number {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  return Number(children.trim().split(' ')[0]);
}

/** The state is one letter after the process name in brackets, which may hold any character. */
function stateOf(pid: number | undefined): string | undefined {
  try {
    return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
