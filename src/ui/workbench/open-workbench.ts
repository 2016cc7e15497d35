import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { outsideFailure } from '../../platform/outside-failures.ts';
import { addDownloadRoutes } from './downloads.ts';
import { addFixRoutes } from './fixes.ts';
import { addHistoryRoutes } from './history.ts';
import { guardedServer } from './http.ts';
import { addReadRoutes } from './jobs/read-routes.ts';
import { addListRoutes } from './lists/list-routes.ts';
import { addOutputRoutes } from './outputs.ts';
import { addRowRoutes } from './rows/row-routes.ts';
import { openTables } from './rows/serve-tables.ts';
import { dossierProgram } from './runs/dossier-program.ts';
import { addRunRoutes } from './runs/run-routes.ts';
import { openRuns } from './runs/runs.ts';
import { addKeyRoutes } from './service-key.ts';
import { addServiceRoutes } from './service-routes.ts';
import { addSettingsRoutes } from './settings.ts';
import { sweepLeftovers } from './temporary-files.ts';

interface WorkbenchOptions {
  /** HTML of the built page. */
  readonly page: string;
  readonly port: number;
  /** Command line that starts `dossier`. */
  readonly program: readonly string[];
}

export async function openWorkbench(options: WorkbenchOptions) {
  const { page, port } = options;
  sweepLeftovers(process.cwd());
  // 128 bits: other users of this machine reach the port but cannot guess the path.
  const token = randomBytes(16).toString('base64url');
  const program = dossierProgram(options.program);
  const runs = openRuns(program);
  const tables = openTables();
  let downloads: Disposable | undefined;
  const app = guardedServer(token);
  app.get(`/${token}/`, (_request, reply) => reply.type('text/html; charset=utf-8').send(page));
  app.register(
    (api, _options, done) => {
      addSettingsRoutes(api, runs);
      addKeyRoutes(api);
      addServiceRoutes(api, program);
      addListRoutes(api);
      addReadRoutes(api);
      addRunRoutes(api, runs, program);
      addHistoryRoutes(api);
      addOutputRoutes(app, api, runs);
      addRowRoutes(api, tables);
      downloads = addDownloadRoutes(api, tables);
      addFixRoutes(api, tables);
      done();
    },
    { prefix: `/${token}/api` },
  );
  try {
    await app.listen({ port, host: '127.0.0.1' });
  } catch (error) {
    throw outsideFailure('port', `port ${port}`, error) ?? error;
  }
  const { port: found } = app.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${found}/${token}/`,
    async [Symbol.asyncDispose]() {
      runs[Symbol.dispose]();
      app.server.closeAllConnections();
      await app.close();
      await tables[Symbol.asyncDispose]();
      downloads?.[Symbol.dispose]();
    },
  };
}
