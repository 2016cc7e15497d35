import { expect, test } from 'vitest';
import { siblingModule } from '../../src/runtime/sibling-module.ts';

test.each(['ts', 'js'])('beside a .%s module stands another of the same kind', (kind) => {
  const found = siblingModule(`file:///package/runtime/thread.${kind}`, 'serve-thread');
  expect(found.href).toBe(`file:///package/runtime/serve-thread.${kind}`);
});
