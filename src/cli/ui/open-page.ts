import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../../workbench/files/temporary-folder.ts';
import { openBrowser } from './open-browser.ts';

export interface OpenedPage extends Disposable {
  /** False when the machine has no browser. */
  readonly isOpened: boolean;
}

/**
 * Opens an address whose path is a secret. Other users of the machine see the words that a browser is
 * started with, so it is given a file that only this user can read, and that leads to the address.
 */
export function openPage(url: string): OpenedPage {
  const folder = makeTemporaryFolder();
  const file = join(folder.path, 'open.html');
  const html = `<!doctype html><meta charset="utf-8"><title>Dossier</title><meta http-equiv="refresh" content="0;url=${url}">`;
  writeFileSync(file, html, { mode: 0o600 });
  return {
    isOpened: openBrowser(file),
    [Symbol.dispose]: folder[Symbol.dispose],
  };
}
