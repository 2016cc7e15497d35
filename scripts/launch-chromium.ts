import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Starts the Chromium of the system; undefined when none is installed. */
export async function launchChromium(): Promise<Browser | undefined> {
  const executablePath = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'chromium'))
    .find(existsSync);
  if (executablePath === undefined) return undefined;
  // Chromium's sandbox does not work for root, the usual user in containers.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return await chromium.launch({ executablePath, args });
}
