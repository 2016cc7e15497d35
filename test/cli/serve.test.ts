import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readFaults } from '../../src/cli/serve.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('faults are read from a file, and a wrong setting is refused with its name', () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'faults.json');
  const read = (text: string) => {
    writeFileSync(file, text);
    return readFaults(file);
  };
  expect(read('{"seed": 4, "errors": 0.5}')).toMatchObject({ seed: 4, errors: 0.5, resets: 0 });
  expect(() => read('{"errors": 2}')).toThrow(`${file}: errors: `);
  expect(() => read('{"latencyMs": [80, 20]}')).toThrow(
    'latencyMs: the first number must not be above',
  );
  expect(() => read('[]')).toThrow(`${file}: `);
  expect(() => read('no JSON')).toThrow('cannot read the faults');
});
