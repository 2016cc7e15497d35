import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { DossierError } from '../errors.ts';
import { Faults } from '../service/faults.ts';

/** The options of `serve` that make it misbehave; each overrides the same setting of the file. */
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

/** Undefined when no fault was asked for: the service then behaves. */
export function readFaults(args: FaultArguments): Faults | undefined {
  const flags = {
    seed: numberOf(args['fault-seed']),
    latencyMs: rangeOf(args['fault-latency']),
    throttle: numberOf(args['fault-throttle']),
    errors: numberOf(args['fault-errors']),
    resets: numberOf(args['fault-resets']),
    truncated: numberOf(args['fault-truncated']),
  };
  const given = Object.entries(flags).filter(([, value]) => value !== undefined);
  if (args.faults === undefined && given.length === 0) return undefined;

  const settings = { ...readFaultFile(args.faults), ...Object.fromEntries(given) };
  const faults = Faults.safeParse(settings);
  if (faults.success) return faults.data;
  throw new DossierError('USAGE', `the faults do not fit:\n${z.prettifyError(faults.error)}`);
}

function readFaultFile(path: string | undefined): object {
  if (path === undefined) return {};
  try {
    return Object(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const reason = (error as Error).message;
    throw new DossierError('INPUT_UNREADABLE', `cannot read the faults: ${reason}`, {
      cause: error,
    });
  }
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || text === '' ? undefined : Number(text);
}

/** `50` → [50, 50], `20-80` → [20, 80] */
function rangeOf(text: string | undefined): number[] | undefined {
  if (text === undefined) return undefined;
  const [least = '', most = least] = text.split('-');
  return [Number(least || 'none'), Number(most || 'none')];
}
