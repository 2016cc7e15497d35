import { expect, test } from 'vitest';
import { createRedactor } from '../../../../src/core/values/redact.ts';
import { tidyText } from '../../../../src/engine/client/judge/judge-attempt.ts';

const redact = createRedactor(['secret-key-1234']);

test('foreign text becomes one line without control characters', () => {
  expect(tidyText(' Not\r\n\tfound\u0007\u001b[31m \u202Ered\u2028 ', redact)).toBe(
    'Not found [31m red',
  );
});
