import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPages } from './build-page.ts';
import { launchChromium } from './launch-chromium.ts';
import { saveReportPictures } from './screenshots/report-pictures.ts';
import { saveWorkbenchPictures } from './screenshots/workbench-pictures.ts';

/*
 * Makes the pictures of README and docs/workbench.md, each light and dark, in docs/images. It needs
 * Chromium.
 */
const folder = mkdtempSync(join(tmpdir(), 'dossier-'));

try {
  const browser = await launchChromium();
  mkdirSync(join(import.meta.dirname, '../docs/images'), { recursive: true });
  await buildPages();
  await saveReportPictures(browser, folder);
  await saveWorkbenchPictures(browser, folder);
  await browser.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
