import type { StartedBy } from '../../ledger/runs/starts.ts';
import { startedByVariable } from '../../runtime/terms.ts';

/** How the command was given: by the workbench, by a user at a terminal, or by a program. */
export function startedBy(env: NodeJS.ProcessEnv, stream: NodeJS.WriteStream): StartedBy {
  if (env[startedByVariable] === 'page') return 'page';
  return stream.isTTY ? 'terminal' : 'script';
}
