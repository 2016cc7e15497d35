import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildPages } from './build-page.ts';

const root = join(import.meta.dirname, '..');

// Files of an earlier build would be published as well.
rmSync(join(root, 'dist'), { recursive: true, force: true });
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
for (const folder of ['engine/ledger/migrations', 'service/migrations', 'register/sql']) {
  cpSync(join(root, 'src', folder), join(root, 'dist', folder), { recursive: true });
}
await buildPages();
