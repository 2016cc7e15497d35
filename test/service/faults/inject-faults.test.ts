import { expect, test } from 'vitest';
import { problems } from '../../../src/core/contract/problem.ts';
import { drawFaults, Faults } from '../../../src/service/faults.ts';
import { faultyService } from '../../support/loaded-service.ts';

test('the same seed gives the same faults, another seed others', () => {
  const kinds = (seed: number) => {
    const draw = drawFaults(
      Faults.parse({ seed, throttle: 0.1, errors: 0.2, resets: 0.2, truncated: 0.2 }),
    );
    return Array.from({ length: 50 }, () => draw().fault.kind);
  };
  expect(kinds(7)).toEqual(kinds(7));
  expect(kinds(7)).not.toEqual(kinds(8));
  expect(new Set(kinds(7))).toEqual(new Set(['none', 'throttle', 'error', 'reset', 'truncate']));
});

test.each([
  ['throttle', 429, problems.TOO_MANY_REQUESTS],
  ['errors', undefined, problems.INTERNAL],
])('%s: 1 spoils every answer and logs it', async (fault, status, problem) => {
  await using served = await faultyService({ [fault]: 1 });
  const answer = await served.get('/company?id=c_full');
  expect(answer.body).toEqual(problem);
  if (status) expect(answer.status).toBe(status);
  else expect([500, 502, 503]).toContain(answer.status);
  await served.service.stop();
  expect(served.service.log()).toContain('faults.enabled');
  expect(served.service.log()).toContain('fault.injected kind=');
});

test('reset connections and truncated answers are errors for the caller', async () => {
  await using resetting = await faultyService({ resets: 1 });
  await expect(resetting.get('/company?id=c_full')).rejects.toThrow();
  await using truncating = await faultyService({ truncated: 1 });
  await expect(truncating.get('/company?id=c_full')).rejects.toThrow();
  await expect(truncating.search({ companyId: 'c_full' })).rejects.toThrow();
  expect((await truncating.send('/healthz', {})).status).toBe(200);
});
