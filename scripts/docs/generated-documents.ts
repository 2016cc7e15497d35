import { packageVersion } from '../../src/platform/package-path.ts';
import { cliPage } from './cli.ts';
import { columnsPage } from './columns.ts';
import { exitCodesPage } from './exit-codes.ts';
import { httpApiPage } from './http-api.ts';
import { identifiersPage } from './identifiers.ts';
import { jobFilePage } from './job-file.ts';
import { jsonPage } from './json.ts';
import { licencesPage } from './licences.ts';
import { manifestPage } from './manifest.ts';
import { metricsPage } from './metrics.ts';
import { describeApi } from './openapi.ts';
import { servicesFilePage } from './services-file.ts';

/** All generated documents by path; a test compares them with the files. */
export async function generatedDocuments(): Promise<Record<string, string>> {
  return {
    'docs/cli.md': await cliPage(),
    'docs/columns.md': columnsPage(),
    'docs/exit-codes.md': exitCodesPage(),
    'docs/http-api.md': httpApiPage(),
    'docs/identifiers.md': identifiersPage(),
    'docs/job-file.md': jobFilePage(),
    'docs/json.md': jsonPage(),
    'docs/manifest.md': manifestPage(),
    'docs/metrics.md': metricsPage(),
    'docs/licences.md': licencesPage(),
    'docs/services-file.md': servicesFilePage(),
    'docs/openapi.json': `${JSON.stringify(describeApi(packageVersion()), null, 2)}\n`,
  };
}
