import { expect, test } from 'vitest';
import { siblingModule } from '../../src/runtime/sibling-module.ts';

test.each(['ts', 'js'])('beside a .%s module stands another of the same kind', (kind) => {
  const found = siblingModule(`file:///package/client/open-client.${kind}`, 'client-thread');
  expect(found.href).toBe(`file:///package/client/client-thread.${kind}`);
});
