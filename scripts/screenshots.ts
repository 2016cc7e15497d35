import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildPage } from './build-page.ts';
import { launchChromium } from './launch-chromium.ts';

/*
 * Makes the pictures of the demo's report for the README, docs/images/report-light.png and
 * report-dark.png. It needs Chromium.
 */
const root = join(import.meta.dirname, '..');
const images = join(root, 'docs/images');
const folder = mkdtempSync(join(tmpdir(), 'dossier-screenshots-'));
const mostBytes = 300_000;

try {
  const browser = await launchChromium();
  if (!browser) throw new Error('chromium is not on PATH');
  await buildPage('report');
  const pathFlags = ['--output', join(folder, 'out'), '--ledger', join(folder, 'ledger.db')];
  const demo = ['src/main.ts', 'run', 'jobs/demo.yaml', '--url', 'embedded', '--rate', '100'];
  execFileSync(process.execPath, [...demo, ...pathFlags], { cwd: root, stdio: 'ignore' });
  mkdirSync(images, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ colorScheme, viewport: { width: 1_280, height: 1_040 } });
    await page.goto(pathToFileURL(join(folder, 'out/report.html')).href);
    const path = join(images, `report-${colorScheme}.png`);
    await page.screenshot({ path });
    const { size } = statSync(path);
    if (size > mostBytes) throw new Error(`${path} has ${size} bytes, more than ${mostBytes}`);
    process.stdout.write(`wrote ${path}\n`);
  }
  await browser.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
