import { z } from 'zod';

/** What `ledger create --json` prints. */
export const LedgerCreateJson = z.strictObject({
  ledger: z.string().describe('The ledger that was made.'),
});
