import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DossierError } from '../../src/core/errors.ts';
import { parseJob } from '../../src/job/load-job.ts';
import { packagePath } from '../../src/platform/package-path.ts';

const reference = readFileSync(packagePath('docs/job-file.md'), 'utf8');
const [, whole = ''] = /```yaml\n(name: [\s\S]*?)```/.exec(reference) ?? [];

test('the job in the reference is a job', () => {
  expect(parseJob('job.yaml', whole, {}).job.name).toBe('lead-list');
});

test('a damaged file is a job or a problem with a position, never a crash', () => {
  const damages = ['', ' ', '\t', '\n', ':', '"', "'", '{', ']', '&a ', '*a', '- ', '$', '%'];
  const anyDamage = fc.constantFrom(...damages, '!x ', '---\n', '|', '\u0085', 'x');
  fc.assert(
    fc.property(fc.nat(whole.length), anyDamage, fc.nat(4), (at, damage, lost) => {
      const text = `${whole.slice(0, at)}${damage}${whole.slice(at + lost)}`;
      try {
        parseJob('job.yaml', text, {});
      } catch (error) {
        expect(error).toBeInstanceOf(DossierError);
        expectPlacesInside((error as DossierError).message, text);
      }
    }),
    { numRuns: 100 },
  );
});

function expectPlacesInside(message: string, text: string): void {
  const lines = text.split('\n');
  const places = [...message.matchAll(/^job\.yaml:(\d+):(\d+): /gm)];
  expect(places.length, message).toBeGreaterThan(0);
  for (const [, line, column] of places) {
    const length = lines[Number(line) - 1]?.length ?? -1;
    expect(Number(column), `${message}\n${text}`).toBeLessThanOrEqual(length + 1);
  }
}
