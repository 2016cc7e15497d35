import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** The shell first: it starts without the windows of a whole browser, which nobody sees. */
const programs = ['chromium-headless-shell', 'chromium'];

/** Where the Chromium of the system is; undefined when none is installed. */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return programs
    .flatMap((program) => folders.map((folder) => join(folder, program)))
    .find((path) => existsSync(path));
}

export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(`none of ${programs.join(', ')} is on PATH`);
  // Chromium's sandbox does not work for root, the usual user in containers.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return await chromium.launch({ executablePath, args });
}
