import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DossierError } from '../../core/errors.ts';
import { keepSecret } from '../../core/values/known-secrets.ts';
import { isServiceUrl, readServiceUrl } from '../../engine/providers/service-url.ts';
import { readText } from '../../job/file/read-yaml-file.ts';
import { changeJobText, type JobChange } from '../../job/from-list/draft-job.ts';
import { parseJob } from '../../job/load-job.ts';
import { findServices, servicesFileName } from '../../job/services/find-services.ts';
import { loadServices } from '../../job/services/load-services.ts';
import { outputError, writeFileAtomically } from '../../platform/files/atomic-file.ts';
import { configFolder } from '../../platform/files/user-folder.ts';
import { firstFree, readJob } from '../../run/jobs/read-job.ts';
import type { MadeJob } from './api/answers.ts';
import { jobPathIn } from './find-job.ts';
import { jobFileOf } from './jobs/job-files.ts';
import { changeServices, servicesFileOf } from './service-routes.ts';

const Access = z.strictObject({
  /** The name of a service in services.yaml. */
  name: z.string().exactOptional(),
  /** Absent: the service of the job. */
  url: z.string().trim().refine(isServiceUrl, 'must be an http(s) URL').exactOptional(),
  // Its message must not repeat the key.
  key: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]{1,4000}$/, 'must be the key alone, without spaces'),
});

export function addKeyRoutes(api: FastifyInstance): void {
  api.put('/key', async (request): Promise<MadeJob> => {
    const path = jobPathIn(request.query);
    const { url, key, name } = Access.parse(request.body);
    keepSecret(key);
    const address = url ?? addressOf(path, name);
    if (!URL.canParse(address))
      throw new DossierError('SERVICE_MISSING', 'the job names no service');
    // Files name the file of the key, and never hold the key.
    const keyFile = await writeKey(new URL(address).host, key);
    const keys = (at: string[]) => [
      { path: [...at, 'key'], value: undefined },
      { path: [...at, 'keyFile'], value: keyFile },
    ];
    if (name !== undefined) {
      await changeServices(servicesFileOf(path), keys(['services', name]));
      return { job: path };
    }
    // Described once, so that the next list needs neither.
    const described = url && (await describeService(path, url, keys));
    const file = await jobFileOf(path);
    const changes = described ? [{ path: ['service'], value: described }] : keys(['service']);
    const text = changeJobText(readText(file), changes);
    parseJob(file, text, process.env);
    await writeFileAtomically(file, text);
    return { job: file };
  });
}

function addressOf(path: string, name: string | undefined) {
  const { services } = readJob(path, {});
  return (services.find((service) => service.name === name) ?? services[0]).url;
}

/** In the services.yaml that the list sees, or in that of the user. Returns the name. */
async function describeService(path: string, url: string, keys: (at: string[]) => JobChange[]) {
  const file = findServices(dirname(resolve(path)), process.env);
  const known = file === undefined ? {} : loadServices(file, process.env).services;
  const at = readServiceUrl(url).url;
  const name =
    Object.keys(known).find((one) => readServiceUrl(known[one]?.url ?? '').url === at) ??
    firstFree('main', (candidate) => !Object.hasOwn(known, candidate));
  await changeServices(file ?? join(configFolder(process.env), servicesFileName), [
    { path: ['services', name, 'url'], value: url },
    ...keys(['services', name]),
  ]);
  return name;
}

/** Only this user can read the file. The page writes nothing but this and services.yaml outside its folder. */
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
