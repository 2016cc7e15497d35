import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is removed at the end of its scope: `using folder = temporaryFolder()`. */
export function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'dossier-test-'));
  // A process that is about to end may still write into it.
  const options = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };
  return { path, [Symbol.dispose]: () => rmSync(path, options) };
}
