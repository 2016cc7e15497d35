import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { findChromium, launchChromium } from '../../scripts/launch-chromium.ts';
import { packagePath } from '../../src/platform/package-path.ts';
import { atEndOfWorker } from './launch-server.ts';
import { testIf } from './needs.ts';

/** A page that records its errors and requests. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors and warnings of the console, and uncaught errors. */
  readonly complaints: string[];
  /** Requests of the page for anything but itself and its data URLs. */
  readonly requests: string[];
}

export const hasBrowser = findChromium() !== undefined;
const testIfBrowser = testIf(hasBrowser, 'chromium-headless-shell is not on PATH');
/** A browser on a crowded machine takes its time. */
export const testInBrowser = (name: string, work: () => Promise<void>) =>
  testIfBrowser(name, { timeout: 240_000 }, work);

/** The whole source is twice as long, and the browser compiles it for each page. */
const axe = readFileSync(packagePath('node_modules/axe-core/axe.min.js'), 'utf8');

let ofWorker: Promise<Browser> | undefined;

/** One browser for all files of a worker. */
function startedBrowser(): Promise<Browser> {
  if (!ofWorker) {
    ofWorker = launchChromium();
    atEndOfWorker(async () => (await ofWorker)?.close());
  }
  return ofWorker;
}

export async function openPage(
  url: string,
  look: { width?: number; colorScheme?: 'light' | 'dark' } = {},
): Promise<WatchedPage & AsyncDisposable> {
  const browser = await startedBrowser();
  const { width = 1_280, colorScheme = 'light' } = look;
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const isOwn = request.url() === url || request.url().startsWith('data:');
    if (!isOwn) requests.push(request.url());
  });
  await page.goto(url);
  return { page, complaints, requests, [Symbol.asyncDispose]: () => page.close() };
}

/** Serious accessibility violations that axe finds; with `rules`, only those of these rules. */
export async function seriousViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(axe);
  return await page.evaluate(async (only) => {
    const { axe: inPage } = globalThis as unknown as { axe: typeof import('axe-core') };
    const { violations } = await inPage.run({
      resultTypes: ['violations'],
      ...(only && { runOnly: { type: 'rule', values: [...only] } }),
    });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }, rules);
}
