import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openLedger } from '../../../../src/engine/ledger/open-ledger.ts';
import { day } from '../../../support/test-job.ts';

const begun = Date.UTC(2026, 0, 1);

/**
 * Starts one after the other, each of which buys an answer. `wrong` of them follow each other with a
 * clock that is off by `offsetDays`. Gives how many days old each answer counts at the last start.
 */
function agesAfter(pauses: readonly number[], first: number, wrong: number, offsetDays: number) {
  using ledger = openLedger(':temporary:');
  let trueDay = 0;
  let lastAt: number | undefined;
  const days = pauses.map((pause, index) => {
    trueDay += pause;
    const isWrong = index >= first && index < first + wrong;
    const at = begun + (trueDay + (isWrong ? offsetDays : 0)) * day;
    ledger.clock.begin(at, lastAt);
    lastAt = at;
    ledger.calls.putAnswers([{ ...answer, fetchedAt: at }]);
    return { trueDay, isWrong, at };
  });
  const end = lastAt ?? 0;
  const countedAt = ledger.clock.countedAt(end);
  return days.map(({ at, ...start }, index) => ({
    ...start,
    age: Math.round((end - countedAt(index + 1, at)) / day),
    trueAge: trueDay - start.trueDay,
  }));
}

const answer = {
  callId: 1,
  result: 'miss',
  status: 404,
  message: null,
  companyId: null,
  match: null,
  attempts: 1,
  durationMs: 1,
  body: null,
} as const;

const pause = fc.integer({ min: 1, max: 3 });
const pauses = fc.array(pause, { minLength: 8, maxLength: 40 });

test('after a clock that was ahead, its answers age from the first start with the right one', () => {
  const daysAhead = fc.integer({ min: 10, max: 90 });
  const property = fc.property(pauses, pause, pause, daysAhead, (...given) => {
    const ages = agesAfter(...given);
    const firstRight = ages.findIndex(({ isWrong }, at) => !isWrong && ages[at - 1]?.isWrong);
    const expected = ages.map(({ isWrong, trueAge }) =>
      isWrong ? (ages[firstRight]?.trueAge ?? 0) : trueAge,
    );
    expect(ages.map(({ age }) => age)).toEqual(expected);
  });
  fc.assert(property, { numRuns: 30 });
});

test('a clock that was days or years behind changes no age that is counted after it', () => {
  const daysBehind = fc.oneof(
    fc.integer({ min: 1, max: 60 }),
    fc.integer({ min: 60, max: 20_000 }),
  );
  const property = fc.property(pauses, pause, pause, daysBehind, (some, first, wrong, days) => {
    const rightOnes = agesAfter(some, first, wrong, -days).filter(({ isWrong }) => !isWrong);
    expect(rightOnes.map(({ age }) => age)).toEqual(rightOnes.map(({ trueAge }) => trueAge));
  });
  fc.assert(property, { numRuns: 30 });
});
