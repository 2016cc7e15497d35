import { defaultStaleOnFailure } from '../../runtime/terms/default-retention.ts';
import { group, maxAge, percent } from './fields.ts';

export const Reuse = group({
  companies: maxAge()
    .default('30d')
    .describe('Companies found within this time are not paid for again. `0`: never, or `forever`.'),
  misses: maxAge()
    .default('7d')
    .describe('Companies not found within this time are not asked for again.'),
  people: maxAge()
    .default('30d')
    .describe('People searches answered within this time are not paid for again.'),
  spread: percent({ min: 0, max: 50 })
    .default('20%')
    .describe(
      'Answers live up to this share shorter than they may, each by its call, so that those of one night do not all expire on one night; 0% for none.',
    ),
  staleOnFailure: maxAge()
    .default(defaultStaleOnFailure)
    .describe(
      'How old an answer may be that a row keeps, marked as stale, where the call for a newer one failed or could not be made; 0 keeps none.',
    ),
});
