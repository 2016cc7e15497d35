import type { RunStatus } from './status-json.ts';

/** Yellow marks the only state in which the user has to act. */
export const stateColors = {
  running: 'cyan',
  interrupted: 'yellow',
  finished: 'green',
  superseded: 'dim',
} as const satisfies Record<RunStatus['state'], string>;
