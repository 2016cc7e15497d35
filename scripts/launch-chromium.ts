import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Starts the Chromium of the system; undefined where there is none. */
export async function launchChromium(): Promise<Browser | undefined> {
  const executablePath = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'chromium'))
    .find(existsSync);
  if (executablePath === undefined) return undefined;
  // Its sandbox refuses to work for root, as whom containers often run.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return await chromium.launch({ executablePath, args });
}
