import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildPages, builtPage, pageNames } from '../../scripts/build-page.ts';

const sources = join(import.meta.dirname, '../../src/ui/pages');

/** Builds the pages, unless all that are built are newer than every source. */
export async function ensurePages(): Promise<void> {
  const paths = readdirSync(sources, { recursive: true, encoding: 'utf8' });
  const changedAt = Math.max(...paths.map((path) => statSync(join(sources, path)).mtimeMs));
  const isNew = (path: string) => existsSync(path) && statSync(path).mtimeMs > changedAt;
  if (!pageNames().map(builtPage).every(isNew)) await buildPages();
}
