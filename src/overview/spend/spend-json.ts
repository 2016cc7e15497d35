import { z } from 'zod';
import { MoneyJson } from '../../sinks/manifest.ts';

const count = (about: string) => z.int().describe(about);

const SpendSum = z.strictObject({
  requests: count(
    'Requests that were charged or may have been: hits, misses, failed and unanswered together.',
  ),
  hits: count('Those that brought a company or people.'),
  misses: count('Those that brought the answer that there is none.'),
  failed: count(
    'Those that the service rejected, or that were the last attempt of a call that failed.',
  ),
  unanswered: count(
    'Those that brought nothing: attempts that were tried again, and requests that a kill or a stop has cut off. Nobody knows whether they are charged. A request before midnight that is answered after it counts on both days, so that a day may be off by some.',
  ),
  notCharged: count(
    'Further requests that cost nothing: throttled, refused or never sent, as when another run with the same key has the answer; misses, too, where only hits are charged.',
  ),
  money: z
    .array(MoneyJson)
    .describe('What the requests cost at the prices of their time; empty without a price.'),
});
export type SpendSum = z.output<typeof SpendSum>;

const SpendEntry = z.strictObject({
  day: z.string().exactOptional().describe('Such as `2026-11-16`, where grouped by day.'),
  month: z.string().exactOptional().describe('Such as `2026-11`, where grouped by month.'),
  job: z.string().exactOptional().describe('Name of the job, or `(lookups)`.'),
  operation: z.string().exactOptional().describe('`company` or `people`.'),
  ...SpendSum.shape,
});
export type SpendEntry = z.output<typeof SpendEntry>;

/** What `spend --json` prints. */
export const SpendJson = z
  .strictObject({
    ledger: z.string().describe('Path of the ledger.'),
    since: z.iso.datetime().describe('Requests from here on are counted.'),
    timezone: z.string().describe('Where days and months begin.'),
    by: z.array(z.string()).describe('What the entries are grouped by.'),
    entries: z.array(SpendEntry).describe('In the order of time and names.'),
    total: SpendSum.describe('All entries together.'),
  })
  .meta({ id: 'SpendJson' });
export type SpendJson = z.output<typeof SpendJson>;
