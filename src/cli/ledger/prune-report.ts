import { z } from 'zod';
import { bytesText, counted, fromHere } from '../terminal/text.ts';

const count = (description: string) => z.int().nonnegative().describe(description);

/** What `ledger prune --json` prints. */
export const LedgerPruneJson = z.strictObject({
  ledger: z.string().describe('The ledger that was pruned.'),
  dryRun: z.boolean().describe('Whether nothing was changed: what follows is what would go.'),
  runs: count('Runs whose rows went.'),
  rows: count('Rows that no kept run has in its list.'),
  outcomes: count('Outcomes that no kept run shows.'),
  searches: count('People searches that no kept run shows.'),
  answers: count('Answers that no kept run shows and no job uses.'),
  calls: count('Questions without an answer that nobody asks any more.'),
  bytesBefore: count('Size of the file before.'),
  bytesAfter: count('Size of the file now; of a dry run, about what it would be.'),
});

export function pruneText(pruned: z.output<typeof LedgerPruneJson>): string {
  const { dryRun, runs, rows, searches, answers, bytesBefore, bytesAfter } = pruned;
  const parts = [
    ...(runs > 0 ? [counted(runs, 'run', 'runs')] : []),
    ...(rows > 0 ? [counted(rows, 'row', 'rows')] : []),
    ...(answers > 0 ? [counted(answers, 'answer', 'answers')] : []),
    ...(searches > 0 ? [counted(searches, 'people search', 'people searches')] : []),
  ];
  const verb = dryRun ? 'would remove' : 'removed';
  const what = parts.length === 0 ? 'nothing to remove' : `${verb} ${parts.join(', ')}`;
  const size = bytesText(bytesAfter);
  const change = `${bytesText(bytesBefore)} before, ${dryRun ? `about ${size} afterwards` : `${size} now`}`;
  return `${fromHere(pruned.ledger)}: ${what}; ${change}.\n`;
}
