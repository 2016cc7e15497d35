import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildPage } from '../../scripts/build-page.ts';

const root = join(import.meta.dirname, '../..');
const page = join(root, 'dist/page/report.html');
const sources = join(root, 'src/report/page');

/** Builds the page of the report unless that was done since its sources changed. */
export async function ensurePage(): Promise<void> {
  const changedAt = Math.max(
    ...readdirSync(sources).map((name) => statSync(join(sources, name)).mtimeMs),
  );
  if (existsSync(page) && statSync(page).mtimeMs > changedAt) return;
  await buildPage();
}
