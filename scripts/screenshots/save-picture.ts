import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const images = join(import.meta.dirname, '../../docs/images');
/** The pictures travel with the package. */
const mostBytes = 230_000;

export const schemes = ['light', 'dark'] as const;

/** Saves what is in view as docs/images/<name>.png. */
export async function savePicture(page: Page, name: string): Promise<void> {
  const path = join(images, `${name}.png`);
  await page.screenshot({ path });
  const { size } = statSync(path);
  if (size > mostBytes) throw new Error(`${path} has ${size} bytes, more than ${mostBytes}`);
  process.stdout.write(`wrote ${path}\n`);
}
