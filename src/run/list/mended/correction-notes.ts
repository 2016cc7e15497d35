import type { Correction } from '../../../job/mended/correction.ts';

/** How the corrections of a job fare with a list. */
export interface CorrectionCounts {
  readonly applied: number;
  /** Those that do not: the list has another value there, or not the row any more. */
  readonly unneeded: number;
}

/** Of the first rows of a list alone it cannot be told which corrections it needs no more. */
export function countCorrections(
  kept: readonly Correction[],
  applied: readonly Correction[],
  { isWhole }: { readonly isWhole: boolean },
): CorrectionCounts {
  return { applied: applied.length, unneeded: isWhole ? kept.length - applied.length : 0 };
}

/** Says that corrections apply, and once that the list no longer needs some. */
export function correctionNotes(
  counts: CorrectionCounts | null,
  last: CorrectionCounts | null | undefined,
): string[] {
  if (!counts) return [];
  const { applied, unneeded } = counts;
  const notes: string[] = [];
  if (applied > 0) {
    notes.push(
      `${counted(applied, 'correction')} applied; \`dossier mend <job> --list\` shows ${applied === 1 ? 'it' : 'them'}.`,
    );
  }
  if (unneeded > (last?.unneeded ?? 0)) {
    const [are, they] = unneeded === 1 ? ['is', 'it'] : ['are', 'them'];
    notes.push(
      `${counted(unneeded, 'correction')} ${are} no longer needed, as the list does not hold the rejected value any more; \`dossier mend <job> --list\` marks ${they}.`,
    );
  }
  return notes;
}

function counted(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
