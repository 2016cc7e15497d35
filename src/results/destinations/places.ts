import { type Run, runName } from '../../engine/ledger/runs/runs.ts';
import type { ManifestHead } from '../manifest.ts';
import type { ExistingResult, WriteOptions } from './destination.ts';

export interface PathValues {
  readonly job: string;
  /** `r7` */
  readonly run: string;
  /** Day of the last start: `2026-08-22` */
  readonly date: string;
  readonly isTrial: boolean;
}

export function pathValues(run: Run): PathValues {
  const { job, kind, lastStartedAt } = run;
  const date = new Date(lastStartedAt).toISOString().slice(0, 10);
  return { job, run: runName(run), date, isTrial: kind === 'trial' };
}

/** See `placesOf`. */
export type Places = Readonly<Record<'fixed' | 'result' | 'held', string>>;

const placeholder = /\{(date|run)\}/g;

/**
 * Only a published result lies at the path itself. Others lie in `try` or `held-r7`, before the
 * parts of the path that vary, where programs that read results do not look.
 */
export function placesOf(path: string, { job, isTrial, ...values }: PathValues): Places {
  const fixed = fixedPart(path, job);
  const filled = path
    .replaceAll('{job}', job)
    .slice(fixed.length)
    .replaceAll(/^\/+|\/+$/g, '');
  const varying = filled.replaceAll(placeholder, (_, name: 'run' | 'date') => values[name]);
  const rest = varying === '' ? [] : [varying];
  const inside = (...folders: string[]) => [fixed, ...folders, ...rest].join('/');
  const aside = isTrial ? ['try'] : [];
  return { fixed, result: inside(...aside), held: inside(...aside, `held-${values.run}`) };
}

/** `out/{job}/{date} → out/leads` */
export function fixedPart(path: string, job: string): string {
  const filled = path.replaceAll('{job}', job);
  const varies = filled.search(placeholder);
  return varies === -1 ? filled : filled.slice(0, filled.lastIndexOf('/', varies));
}

/** A held or incomplete result must not replace a complete one. */
export async function choosePlace(
  { result, held }: Pick<Places, 'result' | 'held'>,
  facts: Pick<ManifestHead, 'held' | 'complete'>,
  whenIncomplete: 'hold' | 'publish',
  holdsComplete: (place: string) => Promise<boolean>,
): Promise<string> {
  if (facts.held) return held;
  const mayReplace = facts.complete || whenIncomplete === 'publish';
  return mayReplace || !(await holdsComplete(result)) ? result : held;
}

export function isAside(place: string): boolean {
  return /\/held-r\d+(?:\/|$)/.test(place);
}

/** Call after a complete result is published. `dossier export --run` can write these results again. */
export async function removeHeld(
  results: AsyncIterable<ExistingResult>,
  { isLater }: Pick<WriteOptions, 'isLater'>,
): Promise<void> {
  try {
    for await (const held of results) if (!isLater(held.received)) await held.remove();
  } catch {
    // Held results that stay do no harm.
  }
}

export function isOfPublishedRun({ complete, held, limit }: ManifestHead): boolean {
  return complete && held === null && limit === null;
}
