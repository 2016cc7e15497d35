/**
 * Writes a ledger of this version. Run `node test/faults/ledgers/write-ledger.ts` once for every
 * release that changes the schema.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageVersion } from '../../../src/platform/package-path.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { writeReleasedLedger } from '../support/released-ledger.ts';

const path = join(import.meta.dirname, `${packageVersion()}.db.gz`);
if (existsSync(path)) throw new Error(`${path} is kept already`);
using folder = temporaryFolder();
await writeReleasedLedger(folder.path, path);
process.stdout.write(`${path}\n`);
