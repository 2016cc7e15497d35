import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { DossierError } from '../../errors.ts';
import { openLedgerToRead } from '../../ledger/open-ledger.ts';
import { findFiles } from '../../overview/follow/find-files.ts';
import { otherAddresses } from '../../run/places/result-places.ts';
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
      folder: resolve(folder),
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
