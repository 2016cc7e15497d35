import { DossierError } from '../../core/errors.ts';
import { realLedgerPath } from '../../engine/ledger/file/ledger-path.ts';
import type { Run } from '../../engine/ledger/runs/runs.ts';
import { destinationsOf } from '../../job/resolve-destinations.ts';
import type { ResolvedJob } from '../../job/resolved-job.ts';
import { isObjectPath } from '../../job/schema/fields.ts';
import { fromHere } from '../../platform/files/local-path.ts';
import { pathValues, placesOf } from '../../results/destinations/places.ts';
import { namesInFolder } from '../../results/file-names.ts';

/** Call this before the first call: a result that cannot be written is paid for all the same. */
export function refuseReplacing(job: ResolvedJob, run: Run): void {
  const own = new Map<string, string>();
  for (const [name, paths] of Object.entries(ownFiles(job, run))) {
    for (const path of paths) if (path) own.set(realPath(path), `${name} ${fromHere(path)}`);
  }
  for (const destination of destinationsOf(job)) {
    if (!('path' in destination)) continue;
    const { result, held } = placesOf(destination.path, pathValues(run));
    for (const folder of [result, held]) {
      for (const name of namesInFolder(destination.formats)) {
        const path = `${folder}/${name}`;
        const ownFile = own.get(realPath(path));
        if (ownFile === undefined) continue;
        const message = `${ownFile} would be replaced by ${fromHere(path)}: choose another output.path or --output`;
        throw new DossierError('JOB_INVALID', message);
      }
    }
  }
}

function ownFiles(job: ResolvedJob, run: Run): Record<string, readonly (string | undefined)[]> {
  const [{ key }] = job.services;
  return {
    // An earlier run may have read another list, by `--input`.
    'the list': [job.list, job.input.path, run.inputPath],
    'the suppression list': job.suppress,
    'the file of corrections': [job.corrections],
    'the key file': [key.from === 'file' ? key.path : undefined],
    'the job file': [job.file],
    'the ledger': [job.ledger],
  };
}

/** A link may lead from one path to the other. */
function realPath(path: string) {
  return isObjectPath(path) ? path : realLedgerPath(path);
}
