import { expect, test } from 'vitest';
import { releaseMemory } from '../../../src/core/runtime/memory.ts';

test('bytes that are given back take no memory', () => {
  const bytes = Buffer.allocUnsafeSlow(100_000);
  releaseMemory(bytes.subarray(0, 50_000));
  expect(bytes.buffer.byteLength).toBe(0);
});

test('bytes that share their memory with others stay as they are', () => {
  const bytes = Buffer.from('small');
  releaseMemory(bytes);
  expect(bytes.toString()).toBe('small');
});
