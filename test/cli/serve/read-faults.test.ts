import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FaultArguments } from '../../../src/cli/serve/fault-options.ts';
import { readFaults } from '../../../src/cli/serve/read-faults.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const none: FaultArguments = {
  faults: undefined,
  'fault-seed': undefined,
  'fault-latency': undefined,
  'fault-throttle': undefined,
  'fault-errors': undefined,
  'fault-resets': undefined,
  'fault-truncated': undefined,
};

test('without fault options there are no faults', () => {
  expect(readFaults(none)).toBeUndefined();
});

test('a flag comes before the file', () => {
  using folder = temporaryFolder();
  const faults = join(folder.path, 'faults.json');
  writeFileSync(faults, '{ "seed": 4, "errors": 0.5 }');
  const args = { ...none, faults, 'fault-errors': '0.1', 'fault-latency': '20-80' };
  expect(readFaults(args)).toMatchObject({ seed: 4, errors: 0.1, latencyMs: [20, 80] });
});

test.each([
  ['fault-seed', 'x', '--fault-seed takes a whole number, 0 or more, not x'],
  ['fault-errors', '2', '--fault-errors takes a share from 0 to 1, not 2'],
  ['fault-latency', '80-20', '--fault-latency takes milliseconds like 50, or from'],
  ['fault-latency', 'fast', '--fault-latency takes milliseconds like 50, or from'],
])('--%s %s is refused in our words', (flag, text, message) => {
  expect(() => readFaults({ ...none, [flag]: text })).toThrow(message);
});

test('a setting of the file is refused with the name of both', () => {
  using folder = temporaryFolder();
  const faults = join(folder.path, 'faults.json');
  writeFileSync(faults, '{ "errors": 2 }');
  expect(() => readFaults({ ...none, faults })).toThrow(`${faults}: errors: `);
});
