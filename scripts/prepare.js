/*
 * Builds the page of the report after `npm ci`. In plain JavaScript, since `npm ci --omit=dev` leaves the
 * pinned Node out and runs this with that of the machine, which may be too old for the sources.
 */
import { spawnSync } from 'node:child_process';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Dossier needs Node 22.19 or newer; this is ${process.version}.\n` +
      'Without --omit=dev, npm ci brings one with it.\n',
  );
  process.exit(1);
}
const { status } = spawnSync(process.execPath, ['scripts/build-page.ts'], { stdio: 'inherit' });
process.exitCode = status ?? 1;
