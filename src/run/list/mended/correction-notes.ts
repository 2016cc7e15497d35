import type { Correction } from '../../../job/mended/correction.ts';
import type { CorrectionCounts } from '../../../rules/outcomes.ts';

/** Of the first rows of a list alone it cannot be told which corrections it needs no more. */
export function countCorrections(
  kept: readonly Correction[],
  { applied, missing }: Record<'applied' | 'missing', readonly Correction[]>,
  { isWhole }: { readonly isWhole: boolean },
): CorrectionCounts {
  if (!isWhole) return { applied: applied.length, unneeded: 0, missing: 0 };
  const unneeded = kept.length - applied.length - missing.length;
  return { applied: applied.length, unneeded, missing: missing.length };
}

/** Says that corrections apply, and once that the list no longer needs some, or lacks their rows. */
export function correctionNotes(
  counts: CorrectionCounts | null,
  last: CorrectionCounts | null | undefined,
): string[] {
  if (!counts) return [];
  const { applied, unneeded, missing } = counts;
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
  if (missing > (last?.missing ?? 0)) {
    const [are, they] = missing === 1 ? ['is for a row key', 'it'] : ['are for row keys', 'them'];
    notes.push(
      `${counted(missing, 'correction')} ${are} that the list does not have; \`dossier mend <job> --list\` marks ${they}.`,
    );
  }
  return notes;
}

function counted(number: number, noun: string): string {
  return `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;
}
