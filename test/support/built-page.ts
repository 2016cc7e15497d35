import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from '../../scripts/build-page.ts';

const root = join(import.meta.dirname, '../..');
const page = join(root, 'dist/page/report.html');
const sources = join(root, 'src/report/page');

/** Builds the page of the report, unless the built page is newer than all its sources. */
export async function ensurePage(): Promise<void> {
  const paths = readdirSync(sources, { recursive: true, encoding: 'utf8' });
  const changedAt = Math.max(...paths.map((path) => statSync(join(sources, path)).mtimeMs));
  if (existsSync(page) && statSync(page).mtimeMs > changedAt) return;
  await buildPage();
}
