import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Workers and the commands that they start find here what Node has compiled before.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compile');

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', './scripts/plain-summary.ts'],
    // Files share workers, and with them what they have imported: a start for each file would cost minutes of CPU.
    isolate: false,
    unstubEnvs: true,
    restoreMocks: true,
    // Half of the time goes into real processes that wait for each other, so a core more than we have.
    maxWorkers: 3,
    // Journeys start real processes; two cores make them slow, not wrong.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
