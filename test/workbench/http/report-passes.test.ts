import { expect, test } from 'vitest';
import { openReportPasses } from '../../../src/workbench/http/report-passes.ts';

test('the address of a report holds for some minutes', () => {
  let now = 0;
  const passes = openReportPasses(() => now);
  const id = passes.issue('report.html');
  expect(passes.issue('report.html')).not.toBe(id);
  now = 9 * 60_000;
  expect(passes.pathOf(id)).toBe('report.html');
  now = 10 * 60_000;
  expect(passes.pathOf(id)).toBeUndefined();
});
