import { readFileSync } from 'node:fs';
import { DossierError } from '../../errors.ts';
import { Faults } from '../../service/faults.ts';
import type { FaultArguments } from './fault-options.ts';

interface FaultFlag {
  readonly setting: keyof Faults;
  readonly read: (text: string) => unknown;
  readonly takes: string;
}

const share = { read: numberOf, takes: 'a share from 0 to 1' };
const faultFlags: Readonly<Record<Exclude<keyof FaultArguments, 'faults'>, FaultFlag>> = {
  'fault-seed': { setting: 'seed', read: numberOf, takes: 'a whole number, 0 or more' },
  'fault-latency': {
    setting: 'latencyMs',
    read: rangeOf,
    takes: 'milliseconds like 50, or from least to most like 20-80',
  },
  'fault-throttle': { setting: 'throttle', ...share },
  'fault-errors': { setting: 'errors', ...share },
  'fault-resets': { setting: 'resets', ...share },
  'fault-truncated': { setting: 'truncated', ...share },
};

/** The faults to inject; undefined when none is asked for. */
export function readFaults(args: FaultArguments): Faults | undefined {
  const given = Object.entries(faultFlags).flatMap(([flag, facts]) => {
    const text = args[flag as keyof typeof faultFlags];
    return text === undefined ? [] : [{ flag, text, ...facts }];
  });
  if (args.faults === undefined && given.length === 0) return undefined;

  const flags = Object.fromEntries(given.map(({ setting, read, text }) => [setting, read(text)]));
  const faults = Faults.safeParse({ ...readFaultFile(args.faults), ...flags });
  if (faults.success) return faults.data;
  const problems = faults.error.issues.map(({ path, message }) => {
    const wrong = given.find(({ setting }) => setting === path[0]);
    if (wrong) return `--${wrong.flag} takes ${wrong.takes}, not ${wrong.text}`;
    return [args.faults, path.join('.'), message].filter(Boolean).join(': ');
  });
  throw new DossierError('USAGE', [...new Set(problems)].join('\n'));
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

function numberOf(text: string): number {
  return Number(text || 'none');
}

/** `50` → [50, 50], `20-80` → [20, 80] */
function rangeOf(text: string): number[] {
  const [, least, most = least] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  return [Number(least), Number(most)];
}
