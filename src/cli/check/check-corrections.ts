import { dirname } from 'node:path';
import { DossierError, errorCatalog } from '../../errors.ts';
import { readCorrections } from '../../job/mended/correction.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { counted, fromHere } from '../terminal/text.ts';
import type { Check } from './check-report.ts';
import { checkWritable } from './check-writable.ts';

const code = 'CORRECTIONS_UNWRITABLE';

/**
 * Says where corrections are kept, and whether more may be. A run only reads them, so that a place that
 * cannot be written fails no check.
 */
export async function* checkCorrections({ corrections }: ResolvedJob): AsyncGenerator<Check> {
  if (corrections === undefined) return;
  const part = 'corrections';
  try {
    const kept = readCorrections(corrections).length;
    await checkWritable(dirname(corrections));
    if (kept === 0) return;
    const finding = `${fromHere(corrections)}, writable, ${counted(kept, 'correction', 'corrections')}`;
    yield { part, state: 'ok', finding };
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    const { message } = error;
    if (error.code === 'CORRECTIONS_INVALID') {
      const { remedy } = errorCatalog[error.code];
      yield { part, state: 'failed', finding: message, code: error.code, remedy };
      return;
    }
    const finding = `\`dossier mend\` has no place for corrections: ${message}`;
    const remedy = 'A run needs none. To mend, name a file with input.corrections in the job.';
    yield { part, state: 'skipped', finding, code, remedy };
  }
}
