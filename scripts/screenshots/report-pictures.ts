import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { looks, savePicture } from './save-picture.ts';

const root = join(import.meta.dirname, '../..');

/** The report of the demo. */
export async function saveReportPictures(browser: Browser, folder: string): Promise<void> {
  const pathFlags = ['--output', join(folder, 'out'), '--ledger', join(folder, 'ledger.db')];
  const demo = ['src/main.ts', 'run', 'jobs/demo.yaml', '--url', 'embedded', '--rate', '100'];
  execFileSync(process.execPath, [...demo, ...pathFlags], { cwd: root, stdio: 'ignore' });
  for (const { name, ...look } of looks) {
    const page = await browser.newPage(look);
    await page.goto(pathToFileURL(join(folder, 'out/report.html')).href);
    await savePicture(page, `report-${name}`);
  }
}
