import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DossierError, isErrorCode, remedyOnPage } from '../../core/errors.ts';
import { keepSecret } from '../../core/values/known-secrets.ts';
import { isServiceUrl } from '../../engine/providers/service-url.ts';
import { readText } from '../../job/file/read-yaml-file.ts';
import { changeJobText } from '../../job/from-list/draft-job.ts';
import { parseJob } from '../../job/load-job.ts';
import { keyVariable } from '../../job/read-address.ts';
import { outputError, writeFileAtomically } from '../../platform/files/atomic-file.ts';
import { configFolder } from '../../platform/files/user-folder.ts';
import { readJob } from '../../run/read-job.ts';
import type { MadeJob } from './api.ts';
import { jobPathIn } from './find-job.ts';
import { untilGone } from './http.ts';
import { jobFileOf } from './jobs/job-files.ts';
import type { DossierProgram } from './runs/dossier-program.ts';

const Access = z.strictObject({
  /** Absent: the service of the job. */
  url: z.string().trim().refine(isServiceUrl, 'must be an http(s) URL').exactOptional(),
  // Its message must not repeat the key.
  key: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,4000}$/, 'must be the key alone, without spaces'),
});

const Checked = z.object({
  checks: z.array(
    z.object({
      part: z.string(),
      state: z.enum(['ok', 'warning', 'failed', 'skipped']),
      finding: z.string(),
      code: z.string().optional(),
    }),
  ),
});

export type ServiceCheck = readonly {
  readonly part: string;
  readonly isFailed: boolean;
  readonly finding: string;
  readonly remedy: string | null;
}[];

const enterAgain = 'Enter it again above and press Save key.';

export function addKeyRoutes(api: FastifyInstance, program: DossierProgram): void {
  api.put('/key', async (request): Promise<MadeJob> => {
    const path = jobPathIn(request.query);
    const { url, key } = Access.parse(request.body);
    keepSecret(key);
    const file = await jobFileOf(path);
    const address = url ?? readJob(file, {}).services[0].url;
    if (!URL.canParse(address))
      throw new DossierError('SERVICE_MISSING', 'the job names no service');
    // The job names the file of the key, and never holds the key.
    const keyFile = await writeKey(new URL(address).host, key);
    const text = changeJobText(readText(file), [
      ...(url === undefined ? [] : [{ path: ['service', 'url'], value: url }]),
      { path: ['service', 'key'], value: undefined },
      { path: ['service', 'keyFile'], value: keyFile },
    ]);
    parseJob(file, text, process.env);
    await writeFileAtomically(file, text);
    return { job: file };
  });
  api.post('/check', async (request, reply): Promise<ServiceCheck> => {
    const found = await program.ask('check', jobPathIn(request.query), [], untilGone(reply));
    const { checks } = Checked.parse(found);
    return checks
      .filter(({ part }) => part === 'job' || part === 'key' || part === 'service')
      .map(({ part, state, finding, code = '' }) => {
        // Entering it again cures nothing if the terminal sets another one.
        const isEntered = code === 'KEY_REFUSED' && !process.env[keyVariable];
        const remedy = isErrorCode(code) ? remedyOnPage(code) : null;
        return {
          part,
          isFailed: state === 'failed',
          finding,
          remedy: isEntered ? enterAgain : remedy,
        };
      });
  });
}

/** Only this user can read the file. The page writes nothing else outside its folder. */
async function writeKey(host: string, key: string) {
  const folder = join(configFolder(process.env), 'keys');
  const path = join(folder, `${host.replace(/[^\w.-]/g, '-')}.key`);
  const next = `${path}.${randomUUID()}`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(next, `${key}\n`, { mode: 0o600, flag: 'wx' });
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw outputError(path, error);
  }
  return path;
}
