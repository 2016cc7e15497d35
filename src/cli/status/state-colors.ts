import type { RunStatus } from './status-json.ts';

/** Green needs nothing, yellow needs somebody. */
export const stateColors = {
  running: 'cyan',
  interrupted: 'yellow',
  finished: 'green',
  superseded: 'dim',
} as const satisfies Record<RunStatus['state'], string>;
