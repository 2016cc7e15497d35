import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { DossierError } from '../../errors.ts';
import { Faults } from '../../service/faults.ts';
import type { FaultArguments } from './fault-options.ts';

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
    const settings: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof settings === 'object' && settings !== null && !Array.isArray(settings)) {
      return settings;
    }
    throw new Error(`${path} holds no JSON object`);
  } catch (error) {
    const reason = (error as Error).message;
    throw new DossierError('INPUT_UNREADABLE', `cannot read the faults: ${reason}`, {
      cause: error,
    });
  }
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Number(text || 'none');
}

/** `50` → [50, 50], `20-80` → [20, 80] */
function rangeOf(text: string | undefined): number[] | undefined {
  if (text === undefined) return undefined;
  const [, least, most = least] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  return [Number(least), Number(most)];
}
