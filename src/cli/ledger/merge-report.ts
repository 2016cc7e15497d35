import { z } from 'zod';
import { counted, fromHere } from '../terminal/text.ts';

const count = (description: string) => z.int().nonnegative().describe(description);

/** What `ledger merge --json` prints. */
export const LedgerMergeJson = z.strictObject({
  ledger: z.string().describe('The ledger that has the answers now.'),
  from: z.string().describe('The other ledger.'),
  taken: count('Answers that are new here.'),
  known: count('Answers that both ledgers had.'),
  mended: count('Answers that were damaged here and are whole again.'),
  damaged: count('Damaged answers of the other ledger, which were left there.'),
});

export function mergeText(merged: z.output<typeof LedgerMergeJson>): string {
  const { ledger, from, taken, known, mended, damaged } = merged;
  const others = [
    ...(known > 0 ? [`${counted(known, 'was', 'were')} known`] : []),
    ...(mended > 0 ? [`${counted(mended, 'damaged one is', 'damaged ones are')} whole again`] : []),
    ...(damaged > 0
      ? [`${counted(damaged, 'is damaged there and was', 'are damaged there and were')} left out`]
      : []),
  ].map((part) => `; ${part}`);
  const answers = counted(taken, 'answer', 'answers');
  const source = from.startsWith('s3://') ? from : fromHere(from);
  return `${fromHere(ledger)}: ${answers} taken over from ${source}${others.join('')}.\n`;
}
