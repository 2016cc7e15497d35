import { z } from 'zod';

/** An amount of money in what Dossier writes for machines. */
export const MoneyJson = z.strictObject({
  currency: z.string().describe('Code of the currency, such as `AUD`.'),
  amount: z.number().describe('In units of the currency, with its decimals.'),
});
