import { expect, test } from 'vitest';
import { openRequestsOnWire } from '../../src/client/requests-on-wire.ts';
import { companyCall, peopleCall } from '../support/client-under-test.ts';
import { openFakeClock } from '../support/fake-clock.ts';

test('the last request to leave decides how long answers can take', () => {
  const clock = openFakeClock();
  const onWire = openRequestsOnWire(30_000, clock);
  expect(onWire.list()).toEqual({ calls: [], atMostMs: 0 });
  const isFirstOver = onWire.add(companyCall);
  clock.advance(10_000);
  const isSecondOver = onWire.add(peopleCall);
  clock.advance(8_000);
  expect(onWire.list()).toEqual({ calls: [companyCall, peopleCall], atMostMs: 22_000 });
  isFirstOver();
  isFirstOver();
  expect(onWire.list()).toEqual({ calls: [peopleCall], atMostMs: 22_000 });
  isSecondOver();
  expect(onWire.list()).toEqual({ calls: [], atMostMs: 0 });
});
