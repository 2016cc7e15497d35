import { existsSync, readFileSync } from 'node:fs';
import { packagePath } from '../runtime/package-path.ts';
import type { ReportData } from './data/report-data.ts';

/** Where the built page expects its data; scripts/build-page.ts sees to it that it is there once. */
export const dataPlace = '<script type="application/json" id="report-data">null</script>';

/** The page without data; undefined where it was not built. */
export function readPage(path = packagePath('dist/page/report.html')): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** The page with its data in it: one file that needs nothing else. */
export function renderReport(page: string, data: ReportData): string {
  const [before, after, ...more] = page.split(dataPlace);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error('the page has not exactly one place for its data');
  }
  return `${before}${dataPlace.replace('null', () => embedJson(data))}${after}`;
}

/**
 * JSON that is safe inside a script element: without `<` there is no end tag and no comment in it,
 * and the two line separators that JavaScript once did not take are escaped as well.
 */
export function embedJson(data: unknown): string {
  return JSON.stringify(data).replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
