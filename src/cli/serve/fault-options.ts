/** The options of `serve` that inject faults; each overrides the same setting of the --faults file. */
export const faultOptions = {
  faults: {
    type: 'string',
    requiresArg: true,
    describe: 'Misbehave on purpose, as this JSON file says; for tests and demonstrations',
  },
  'fault-seed': { type: 'string', requiresArg: true, describe: 'Seed of the faults' },
  'fault-latency': {
    type: 'string',
    requiresArg: true,
    describe: 'Wait before each answer: 50 or 20-80 milliseconds',
  },
  'fault-throttle': {
    type: 'string',
    requiresArg: true,
    describe: 'Share of requests that start a burst of 429',
  },
  'fault-errors': {
    type: 'string',
    requiresArg: true,
    describe: 'Share of requests answered with 500, 502 or 503',
  },
  'fault-resets': {
    type: 'string',
    requiresArg: true,
    describe: 'Share of requests whose connection is reset',
  },
  'fault-truncated': {
    type: 'string',
    requiresArg: true,
    describe: 'Share of answers that break off half-way',
  },
} as const;

export type FaultArguments = { readonly [option in keyof typeof faultOptions]: string | undefined };
