import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { SlowFirst } from './scripts/slow-first.ts';

// Workers and the commands that they start find here what Node has compiled before.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compile');

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', './scripts/plain-summary.ts'],
    // Files share workers, and with them what they have imported: a start for each costs half a second.
    isolate: false,
    unstubEnvs: true,
    restoreMocks: true,
    sequence: { sequencer: SlowFirst },
    // Real processes wait for each other and for answers, so there are more workers than cores.
    maxWorkers: availableParallelism() + 2,
    // Tests that start processes have 60 s: see the set-up.
    testTimeout: 20_000,
    setupFiles: ['./scripts/allow-slow-tests.ts'],
    hookTimeout: 90_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
