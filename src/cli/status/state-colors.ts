import type { RunStatus } from '../../overview/status/status-json.ts';

/** Yellow marks the states in which the user has to act. */
export const stateColors = {
  running: 'cyan',
  interrupted: 'yellow',
  finished: 'green',
  held: 'yellow',
  superseded: 'dim',
} as const satisfies Record<RunStatus['state'] | 'held', string>;
