import { randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { DossierError } from '../../core/errors.ts';
import { openLedgerToRead } from '../../engine/ledger/open-ledger.ts';
import { type Run, runName } from '../../engine/ledger/runs/runs.ts';
import { lookupUse } from '../../facts/lookup-use.ts';
import { openInput } from '../../lists/open-input.ts';
import { readManifest } from '../../results/destinations/folder/export-folder.ts';
import { pathValues, placesOf } from '../../results/destinations/places.ts';
import { type CsvOptions, csvHead, csvLine, withoutProtection } from '../../results/lines.ts';
import { otherDestinations } from '../../run/export/destinations.ts';
import { storedTally } from '../../run/export/export-run.ts';
import { readDeliveries } from '../../run/run-facts.ts';
import type { RunOutputs } from './api/answers.ts';
import { findJob, jobPathIn, OfNamedRun } from './find-job.ts';
import { reportPath } from './http.ts';
import type { Runs } from './runs/runs.ts';

const reportName = 'report.html';
/** Applies in addition to the policy in the file itself. */
const reportPolicy = "sandbox allow-scripts allow-downloads; frame-ancestors 'none'";

export function addOutputRoutes(app: FastifyInstance, api: FastifyInstance, runs: Runs): void {
  api.get('/outputs', (request) => outputsOf(request.query));
  const shown = new Map<string, Awaited<ReturnType<typeof outputsOf>> & { csv: CsvOptions }>();
  api.get('/report', async ({ query }, reply) => {
    const id = randomUUID();
    shown.set(id, { ...(await outputsOf(query)), csv: findJob(jobPathIn(query)).output });
    return await reply.redirect(`${reportPath}${id}/${reportName}`, 303);
  });
  // A manipulated report could send its URL anywhere, so the URL lacks the page's token.
  app.get<{ Params: { id: string; name: string } }>(
    `${reportPath}:id/:name`,
    async ({ params: { id, name } }, reply) => {
      const { folder, files = [], csv } = shown.get(id) ?? {};
      const path = join(folder ?? '', name);
      const isReport = name === reportName;
      const isOfRun = isReport || files.some((file) => file.name === name);
      if (!folder || !isOfRun || !existsSync(path)) {
        throw new DossierError('RUN_MISSING', `${name} is no longer available at this address`);
      }
      return await reply
        .type(isReport ? 'text/html; charset=utf-8' : 'application/octet-stream')
        .header('Content-Security-Policy', reportPolicy)
        .send(
          csv && name.endsWith('.csv')
            ? Readable.from(protectedCsv(path, csv))
            : createReadStream(path),
        );
    },
  );
  for (const [route, flags] of Object.entries({ outputs: [], accept: ['--accept'] })) {
    api.post(`/${route}`, ({ query }, reply) => {
      const path = jobPathIn(query);
      runs.start(path, findJob(path), 'export', flags);
      reply.code(202).send({});
    });
  }
}

/** Spreadsheets run formulas, and the page cannot know who opens its files. */
async function* protectedCsv(path: string, form: CsvOptions) {
  const options = { ...form, excelSafe: true };
  const toLine = csvLine(options);
  const reading = { header: true, maxRecordLength: Number.POSITIVE_INFINITY };
  await using input = await openInput(path, reading);
  yield csvHead(
    input.columns.map((name) => ({ name: withoutProtection(name) })),
    options,
  );
  for await (const { cells } of input.rows) {
    yield toLine(cells.map((cell = '') => withoutProtection(cell)));
  }
}

/** The folder is null if the files were moved, replaced by a later run, or not written. */
async function outputsOf(query: unknown): Promise<RunOutputs> {
  const { job: path, run: runId } = OfNamedRun.parse(query);
  const job = findJob(path);
  using ledger = openLedgerToRead(job.ledger);
  const run = ledger?.runs.get(runId);
  if (!ledger || run?.job !== job.name) {
    throw new DossierError('RUN_MISSING', `${path} has no run r${runId}`);
  }
  const { folder, files } = await findFiles(run, job.output.path);
  const lookups = storedTally(ledger, run)?.lookups;
  return {
    folder,
    lookups: lookupUse(ledger, run, lookups),
    hasReport: folder !== null && existsSync(join(folder, reportName)),
    files: files.map(({ name, rows, bytes }) => ({ name, rows, bytes })),
    otherDestinations: otherDestinations(job, run, readDeliveries(ledger, job.name)),
  };
}

/** Tries both folders, because the ledger does not store where files are. */
async function findFiles(run: Run, outputPath: string) {
  const { result, held } = placesOf(outputPath, pathValues(run));
  for (const folder of [result, held]) {
    const manifest = await readManifest(folder);
    // A different job or run may have written there since.
    const isOfRun =
      manifest?.run === runName(run) &&
      manifest.job === run.job &&
      Date.parse(manifest.startedAt) === run.startedAt;
    if (isOfRun) return { files: manifest.files, folder };
  }
  return { files: [], folder: null };
}
