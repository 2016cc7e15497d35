/**
 * Writes a ledger of this version. Run `node test/faults/ledgers/write-ledger.ts` once for every
 * release that changes the schema.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageVersion } from '../../../src/core/runtime/package-path.ts';
import { writeReleasedLedger } from '../support/released-ledger.ts';

const path = join(import.meta.dirname, `${packageVersion()}.db.gz`);
if (existsSync(path)) throw new Error(`${path} is kept already`);
await writeReleasedLedger(path);
process.stdout.write(`${path}\n`);
