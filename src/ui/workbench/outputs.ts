import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../core/errors.ts';
import { openLedgerToRead } from '../../engine/ledger/open-ledger.ts';
import { type Run, runName } from '../../engine/ledger/runs/runs.ts';
import { readManifest } from '../../results/export-folder.ts';
import { folderOfRun, heldFolderOf, otherAddresses } from '../../run/destinations.ts';
import { findJob, OfNamedRun, shownPath } from './find-job.ts';
import { reportPath } from './http.ts';
import { asArgument } from './runs/dossier-program.ts';
import type { Runs } from './runs/runs.ts';

/** The files that a run has written, and its report. */
export function addOutputRoutes(api: FastifyInstance, runs: Runs, reports: Reports): void {
  api.get('/outputs', (request) => outputsOf(request.query));
  const exportWith = (query: unknown, flags: readonly string[]) => {
    const path = shownPath(query);
    runs.start(path, findJob(path), ['export', asArgument(path), ...flags]);
    return {};
  };
  api.post('/outputs', ({ query }, reply) => reply.code(202).send(exportWith(query, [])));
  api.post('/accept', ({ query }, reply) => reply.code(202).send(exportWith(query, ['--accept'])));
  api.get('/report', async (request, reply) => {
    const { folder, hasReport } = await outputsOf(request.query);
    const report = join(folder ?? '', 'report.html');
    if (!hasReport) throw new DossierError('RUN_MISSING', 'the report of this run is not there');
    const id = randomBytes(16).toString('base64url');
    reports.set(id, report);
    return await reply.redirect(`${reportPath}${id}`, 303);
  });
}

/** The files of a run. The folder is null where they were moved, replaced by a later run, or not written. */
export async function outputsOf(query: unknown) {
  const { job: path, run: runId } = OfNamedRun.parse(query);
  const job = findJob(path);
  using ledger = openLedgerToRead(job.ledger);
  const run = ledger?.runs.get(runId);
  if (run?.job !== job.name) {
    throw new DossierError('RUN_MISSING', `${path} has no run r${runId}`);
  }
  const { folder, files } = await findFiles(run, job.output.path);
  return {
    folder,
    files: files.map(({ name, rows, bytes }) => ({ name, rows, bytes })),
    hasReport: folder !== null && existsSync(join(folder, 'report.html')),
    /** Where else the job brings its result: folders and addresses. */
    otherDestinations: otherAddresses(job, run),
  };
}

/** The files of a run, by the manifest in its folder: the ledger does not know of files. */
async function findFiles(run: Run, outputPath: string) {
  for (const folder of [folderOfRun(outputPath, run), heldFolderOf(outputPath, run)]) {
    const manifest = await readManifest(folder);
    // Another job or another run may have written there since.
    const isOfRun =
      manifest?.run === runName(run) &&
      manifest.job === run.job &&
      Date.parse(manifest.startedAt) === run.startedAt;
    if (isOfRun) return { files: manifest.files, folder };
  }
  return { files: [], folder: null };
}

/**
 * Reports by their own addresses. Anyone may have changed a report, and its script can lead the browser elsewhere: so
 * its address must not hold the secret path of the page.
 */
export type Reports = Map<string, string>;

const Pass = z.object({ id: z.string() });

export function serveReports(app: FastifyInstance, reports: Reports): void {
  app.get(`${reportPath}:id`, async (request, reply) => {
    const path = reports.get(Pass.parse(request.params).id);
    const report = path === undefined ? undefined : await readFile(path).catch(() => undefined);
    if (!report) {
      const text = 'This report is no longer at this address: open it from the workbench again.\n';
      return await reply.code(404).type('text/plain; charset=utf-8').send(text);
    }
    return await reply
      .type('text/html; charset=utf-8')
      // Anyone may have changed the file: it must not act as the workbench, nor reach another place.
      .header(
        'Content-Security-Policy',
        [
          "sandbox allow-scripts; frame-ancestors 'none'",
          "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:",
        ].join('; '),
      )
      .send(report);
  });
}
