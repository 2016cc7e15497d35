import { type Run, runName } from '../../ledger/runs/runs.ts';

const shown = 5;

/** Which runs a job has, newest first, for a message about one that it does not have. */
export function nameRuns(runs: readonly Run[]): string {
  const names = runs.filter(({ state }) => state !== 'ingesting').map(runName);
  if (names.length === 0) return 'it has none yet';
  if (names.length === 1) return `its only run is ${names[0]}`;
  const older = names.length > shown ? ` and ${names.length - shown} older` : '';
  return `its runs are ${names.slice(0, shown).join(', ')}${older}`;
}
