import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launchChromium } from '../../scripts/launch-chromium.ts';
import { type OpenUi, openUi } from './open-ui.ts';
import { openSmallService, type SmallService } from './small-service.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** What the tests of a file share. All but the folder is there when they begin, if there is a browser. */
export interface WorkbenchInBrowser {
  readonly folder: string;
  browser: Browser | undefined;
  service: SmallService;
  ui: OpenUi;
}

/**
 * Opens a browser, a service and `dossier ui` over a folder for the tests of a file. An answer comes when
 * `wait` is over, so that some are on the wire when a run is stopped.
 */
export function workbenchInBrowser(
  wait: () => Promise<unknown>,
  fill: (folder: string) => void = () => {},
): WorkbenchInBrowser {
  const folder = temporaryFolder();
  const opened = { folder: folder.path } as WorkbenchInBrowser;
  beforeAll(async () => {
    opened.browser = await launchChromium();
    if (!opened.browser) return;
    opened.service = await openSmallService(async () => {
      await wait();
      return undefined;
    });
    fill(folder.path);
    opened.ui = await openUi(folder.path, opened.service.env);
  });
  afterAll(async () => {
    await opened.browser?.close();
    await opened.ui?.[Symbol.asyncDispose]();
    await opened.service?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
  return opened;
}
