import { expect, test } from 'vitest';
import { printable } from '../../../src/core/values/printable.ts';

test.each([
  ['a clear screen', '\u001b[2Jx', '\\u001b[2Jx'],
  ['a title of the window', '\u001b]0;x\u0007', '\\u001b]0;x\\u0007'],
  ['the same in one byte', '\u009b31m', '\\u009b31m'],
  ['a return to the beginning of the line', 'a\rb', 'a\\u000db'],
  ['a deletion', 'a\u0008\u007f', 'a\\u0008\\u007f'],
  ['text turned around', 'a\u202eb\u2066c\u200f', 'a\\u202eb\\u2066c\\u200f'],
  ["a line end of Unicode's own", 'a\u2028b\u0085c', 'a\\u2028b\\u0085c'],
])('%s is shown, not obeyed', (_, text, shown) => expect(printable(text)).toBe(shown));

test('text of any language stays unchanged, with its lines and tabs', () => {
  const text = 'Zoë\tمرحبا\nשלום 会社 👩‍👩‍👧 می‌خواهم';
  expect(printable(text)).toBe(text);
});
