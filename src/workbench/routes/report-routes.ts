import { readFile } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../errors.ts';
import { type ReportPasses, reportPath } from '../http/report-passes.ts';
import { OfNamedRun } from './of-run.ts';
import { hasReport, outputsOf, reportIn } from './output-routes.ts';

/** Leads to the report of a run, under an address that opens nothing else. */
export function addReportRoute(api: FastifyInstance, passes: ReportPasses): void {
  api.get('/report', async (request, reply) => {
    const { folder } = await outputsOf(OfNamedRun.parse(request.query));
    if (folder === undefined || !hasReport(folder)) {
      throw new DossierError('RUN_MISSING', 'the report of this run is not there');
    }
    return await reply.redirect(`${reportPath}${passes.issue(reportIn(folder))}`, 303);
  });
}

const Pass = z.object({ id: z.string() });

/** Serves the reports that `addReportRoute` leads to. */
export function serveReports(app: FastifyInstance, passes: ReportPasses): void {
  app.get(`${reportPath}:id`, async (request, reply) => {
    const path = passes.pathOf(Pass.parse(request.params).id);
    const report = path === undefined ? undefined : await readFile(path).catch(() => undefined);
    if (!report) {
      const text = 'This report is no longer at this address: open it from the workbench again.\n';
      return await reply.code(404).type('text/plain; charset=utf-8').send(text);
    }
    return await reply
      .type('text/html; charset=utf-8')
      // A file of the folder may have been changed by anyone: it must not act as the workbench does.
      .header(
        'Content-Security-Policy',
        [
          "sandbox allow-scripts; frame-ancestors 'none'",
          // Nothing of it may reach another place.
          "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:",
        ].join('; '),
      )
      .send(report);
  });
}
