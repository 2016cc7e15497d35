import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'vitest';

/**
 * `test` where a program of the system is installed. Elsewhere the test is skipped with the reason
 * printed, so that a fresh machine can run the suite; under REQUIRE_SERVICES=1, which continuous
 * integration sets after installing them, a missing program is a failure.
 */
export function testWhere(program: string): typeof test {
  return testIf(isOnPath(program), `${program} is not on PATH`);
}

/** `test` where the machine meets a condition, such as a certain user; skipped elsewhere. */
export function testIf(isMet: boolean, reason: string): typeof test {
  if (isMet) return test;
  if (process.env.REQUIRE_SERVICES === '1') {
    return ((name: string) =>
      test(name, () => {
        throw new Error(`${reason}, and REQUIRE_SERVICES=1 allows no skip`);
      })) as typeof test;
  }
  process.stderr.write(`skipped: ${reason}\n`);
  // A test is skipped only where the machine lacks what it needs; REQUIRE_SERVICES=1 fails it instead.
  return test.skip as typeof test;
}

export function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .some((folder) => existsSync(join(folder, program)));
}
