import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', './scripts/plain-summary.ts'],
    // Half of the time goes into real processes that wait for each other, so a core more than we have.
    maxWorkers: 3,
    // Journeys start real processes; two cores make them slow, not wrong.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
