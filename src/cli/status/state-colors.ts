import type { RunState } from '../../sinks/manifest.ts';

/** Yellow marks the states in which the user has to act. */
export const stateColors = {
  running: 'cyan',
  stopped: 'yellow',
  killed: 'yellow',
  incomplete: 'yellow',
  finished: 'green',
  undelivered: 'yellow',
  held: 'yellow',
  superseded: 'dim',
} as const satisfies Record<RunState, string>;
