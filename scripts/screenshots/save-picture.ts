import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const images = join(import.meta.dirname, '../../docs/images');
/** The pictures travel with the package. */
const mostBytes = 230_000;

/** How each view is shown: at 1,280 px in the light and in the dark, and on a phone. */
export const looks = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1_280, height: 800 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1_280, height: 800 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 800 } },
] as const;

/** Saves what is in view as docs/images/<name>.png. */
export async function savePicture(page: Page, name: string): Promise<void> {
  const path = join(images, `${name}.png`);
  await page.screenshot({ path });
  const { size } = statSync(path);
  if (size > mostBytes) throw new Error(`${path} has ${size} bytes, more than ${mostBytes}`);
  process.stdout.write(`wrote ${path}\n`);
}
