import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { type FastifyInstance, fastify } from 'fastify';
import { outsideFailure } from '../runtime/outside-failures.ts';
import { type DownloadDesk, openDownloadDesk } from './downloads/download-desk.ts';
import { sweepLeftovers } from './files/sweep-leftovers.ts';
import { answerErrors } from './http/answer-errors.ts';
import { guardRequests } from './http/guard-requests.ts';
import { openReportPasses } from './http/report-passes.ts';
import { type ShownJob, showOnly } from './jobs/find-job.ts';
import { addDownloadRoutes } from './routes/download-routes.ts';
import { addHistoryRoutes } from './routes/history-routes.ts';
import { addListRoutes } from './routes/list-routes.ts';
import { addMendRoutes } from './routes/mend-routes.ts';
import { addOutputRoutes } from './routes/output-routes.ts';
import { addPlaceRoute } from './routes/place-route.ts';
import { addPlanRoute } from './routes/plan-route.ts';
import { addPresetRoutes } from './routes/preset-routes.ts';
import { addReadRoutes } from './routes/read-routes.ts';
import { addReportRoute, serveReports } from './routes/report-routes.ts';
import { addRowRoutes } from './routes/row-routes.ts';
import { addRunRoutes } from './routes/run-routes.ts';
import { addSettingsRoutes } from './routes/settings-routes.ts';
import { openTableDesk, type TableDesk } from './rows/table-desk.ts';
import { type DossierProgram, dossierProgram, type ProgramWords } from './runs/dossier-program.ts';
import { openRunDesk, type RunDesk } from './runs/run-desk.ts';

export interface Workbench extends AsyncDisposable {
  readonly url: string;
  /** Whether a browser has asked for anything. */
  isSeen(): boolean;
}

export interface WorkbenchOptions {
  /** The built page. */
  readonly page: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Start `dossier`, for runs and for what takes long. */
  readonly program: ProgramWords;
  /** The job of a run that the page only shows. */
  readonly shown?: ShownJob;
}

/** Serves the workbench over the working directory, on this machine alone. */
export async function openWorkbench(options: WorkbenchOptions): Promise<Workbench> {
  const { page, port } = options;
  sweepLeftovers(process.cwd());
  showOnly(options.shown);
  // 128 bits: other users of this machine reach the port, too, but cannot guess the path.
  const token = randomBytes(16).toString('base64url');
  const program = dossierProgram(options.program);
  const desk = openRunDesk(program);
  const tables = openTableDesk();
  const downloads = openDownloadDesk();
  const app = buildWorkbench({ page, token, program, desk, tables, downloads });
  try {
    await app.listen({ port, host: '127.0.0.1' });
  } catch (error) {
    throw outsideFailure('port', `port ${port}`, error) ?? error;
  }
  let isSeen = false;
  app.server.once('request', () => {
    isSeen = true;
  });
  tables.begin();
  const { port: found } = app.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${found}/${token}/`,
    isSeen: () => isSeen,
    async [Symbol.asyncDispose]() {
      desk[Symbol.dispose]();
      // Pages that listen to a run would hold the server open.
      app.server.closeAllConnections();
      await app.close();
      await tables[Symbol.asyncDispose]();
      downloads[Symbol.dispose]();
    },
  };
}

interface WorkbenchParts {
  readonly page: string;
  readonly token: string;
  readonly program: DossierProgram;
  readonly desk: RunDesk;
  readonly tables: TableDesk;
  readonly downloads: DownloadDesk;
}

function buildWorkbench({ page, token, ...parts }: WorkbenchParts): FastifyInstance {
  const app = fastify({ bodyLimit: 1024 * 1024, forceCloseConnections: true });
  guardRequests(app, token);
  answerErrors(app);
  const passes = openReportPasses();
  serveReports(app, passes);
  app.register(
    (place, _options, done) => {
      place.get('/', (_request, reply) => reply.type('text/html; charset=utf-8').send(page));
      place.register(
        (api, _apiOptions, apiDone) => {
          addPlaceRoute(api);
          addListRoutes(api);
          addReadRoutes(api);
          addPlanRoute(api, parts.program);
          addSettingsRoutes(api);
          addRunRoutes(api, parts);
          addHistoryRoutes(api);
          addOutputRoutes(api, parts.desk);
          addReportRoute(api, passes);
          addPresetRoutes(api);
          addRowRoutes(api, parts.tables);
          addDownloadRoutes(api, parts);
          addMendRoutes(api, parts);
          apiDone();
        },
        { prefix: '/api' },
      );
      done();
    },
    { prefix: `/${token}` },
  );
  return app;
}
