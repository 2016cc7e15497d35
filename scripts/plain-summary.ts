import type { Reporter, TestModule } from 'vitest/node';

/** Ends a test run with one plain line for scripts, `N passed, N failed`. */
export default class PlainSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const counts = { passed: 0, failed: errors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      const failedBefore = counts.failed;
      for (const test of module.children.allTests()) counts[test.result().state] += 1;
      // A file that cannot be loaded, or whose set-up throws, has no failed test to count.
      if (!module.ok() && counts.failed === failedBefore) counts.failed += 1;
    }
    const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed${skipped}\n`);
  }
}
