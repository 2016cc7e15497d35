import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { DossierError } from '../../errors.ts';
import { openLedgerToRead } from '../../ledger/open-ledger.ts';
import { type Run, runName } from '../../ledger/runs/runs.ts';
import { folderOfRun, heldFolderOf, otherAddresses } from '../../run/result-places.ts';
import { readManifest } from '../../sinks/export-folder.ts';
import type { RunOutputs } from '../api/outputs.ts';
import { findJob } from '../jobs/find-job.ts';
import type { RunDesk } from '../runs/run-desk.ts';
import { OfJob, OfNamedRun } from './of-run.ts';

/** The files that a run has written. */
export function addOutputRoutes(api: FastifyInstance, desk: RunDesk): void {
  api.get('/outputs', async (request): Promise<RunOutputs> => {
    const { folder, files, otherPlaces } = await outputsOf(OfNamedRun.parse(request.query));
    if (folder === undefined) return { folder: null, files: [], hasReport: false, otherPlaces };
    return {
      otherPlaces,
      folder,
      files: files.map(({ name, rows, bytes }) => ({ name, rows, bytes })),
      hasReport: hasReport(folder),
    };
  });
  api.post('/outputs', (request, reply) => {
    const { job: path } = OfJob.parse(request.query);
    desk.start(path, findJob(path), ['export', path]);
    reply.code(202).send({});
  });
  api.post('/accept', (request, reply) => {
    const { job: path } = OfJob.parse(request.query);
    desk.start(path, findJob(path), ['export', path, '--accept']);
    reply.code(202).send({});
  });
}

export async function outputsOf({ job: path, run: runId }: z.output<typeof OfNamedRun>) {
  const job = findJob(path);
  using ledger = openLedgerToRead(job.ledger);
  const run = ledger?.runs.get(runId);
  if (run?.job !== job.name) {
    throw new DossierError('RUN_MISSING', `${path} has no run r${runId}`);
  }
  const found = await findFiles(run, job.output.path);
  return { ...found, otherPlaces: otherAddresses(job, run) };
}

export function reportIn(folder: string): string {
  return join(folder, 'report.html');
}

export function hasReport(folder: string): boolean {
  return existsSync(reportIn(folder));
}

/** The files of a run, by the manifest in the folder of its job: the ledger does not know of files. */
async function findFiles(run: Run, outputPath: string) {
  for (const folder of [folderOfRun(outputPath, run), heldFolderOf(outputPath, run)]) {
    const manifest = await readManifest(folder);
    // Another job or another run may have written there since.
    const isOfRun =
      manifest?.run.id === runName(run) &&
      manifest.job.name === run.job &&
      Date.parse(manifest.run.startedAt) === run.startedAt;
    if (isOfRun) return { files: manifest.files, folder };
  }
  return { files: [], folder: undefined };
}
