import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
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
import type { Runs } from './runs/runs.ts';

const reportName = 'report.html';
const ReportFile = z.object({ id: z.string(), name: z.string() });

/**
 * Shows reports and the files they link to. A changed report can send its own address anywhere, so it has an
 * address without the secret path of the page, and cannot reach the page's server.
 */
export function serveReports(app: FastifyInstance) {
  const shown = new Map<string, { readonly folder: string; readonly names: readonly string[] }>();
  app.get(`${reportPath}:id/:name`, async (request, reply) => {
    const { id, name } = ReportFile.parse(request.params);
    const { folder = '', names = [] } = shown.get(id) ?? {};
    const path = join(folder, name);
    if (!names.includes(name) || !existsSync(path)) {
      throw new DossierError('RUN_MISSING', `${name} is no longer at this address`);
    }
    const isReport = name === reportName;
    return await reply
      .type(isReport ? 'text/html; charset=utf-8' : 'application/octet-stream')
      .header('Content-Security-Policy', 'sandbox allow-scripts allow-downloads')
      .send(createReadStream(path));
  });
  return async (query: unknown): Promise<string> => {
    const { folder, files, hasReport } = await outputsOf(query);
    if (!hasReport) throw new DossierError('RUN_MISSING', 'this run has no report');
    const id = randomUUID();
    shown.set(id, { folder: folder ?? '', names: [reportName, ...files.map(({ name }) => name)] });
    return `${reportPath}${id}/${reportName}`;
  };
}

export function addOutputRoutes(
  api: FastifyInstance,
  runs: Runs,
  addressOfReport: ReturnType<typeof serveReports>,
): void {
  api.get('/outputs', (request) => outputsOf(request.query));
  api.get('/report', async ({ query }, reply) => reply.redirect(await addressOfReport(query), 303));
  const exportWith = (query: unknown, flags: readonly string[]) => {
    const path = shownPath(query);
    runs.start(path, findJob(path), 'export', flags);
    return {};
  };
  api.post('/outputs', ({ query }, reply) => reply.code(202).send(exportWith(query, [])));
  api.post('/accept', ({ query }, reply) => reply.code(202).send(exportWith(query, ['--accept'])));
}

/** The folder is null if the files were moved, replaced by a later run, or not written. */
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
    hasReport: folder !== null && existsSync(join(folder, reportName)),
    files: files.map(({ name, rows, bytes }) => ({ name, rows, bytes })),
    otherDestinations: otherAddresses(job, run),
  };
}

/** The ledger does not know files, so the manifest decides. */
async function findFiles(run: Run, outputPath: string) {
  for (const folder of [folderOfRun(outputPath, run), heldFolderOf(outputPath, run)]) {
    const manifest = await readManifest(folder);
    // Another job or run may have written there since.
    const isOfRun =
      manifest?.run === runName(run) &&
      manifest.job === run.job &&
      Date.parse(manifest.startedAt) === run.startedAt;
    if (isOfRun) return { files: manifest.files, folder };
  }
  return { files: [], folder: null };
}
