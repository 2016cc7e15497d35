import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', './scripts/plain-summary.ts'],
    // Journeys start real processes; two cores make them slow, not wrong.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
