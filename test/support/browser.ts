import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { testWhere } from './needs.ts';

/** A page that has noted what it should not have done. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors and warnings of the console, and errors that nobody caught. */
  readonly complaints: string[];
  /** What it asked for, besides itself and what it carries. */
  readonly requests: string[];
}

export const testInBrowser = testWhere('chromium');

export async function openPage(
  browser: Browser | undefined,
  url: string,
  look: { width?: number; colorScheme?: 'light' | 'dark' } = {},
): Promise<WatchedPage & AsyncDisposable> {
  if (!browser) throw new Error('there is no browser');
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

/** What axe finds that keeps somebody from using the page; by some rules only where they are named. */
export async function seriousViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(axe.source);
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
