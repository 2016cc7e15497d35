import { existsSync, realpathSync, statSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import pLimit from 'p-limit';
import { z } from 'zod';
import { DossierError } from '../../core/errors.ts';
import { microsPerUnit, priceText } from '../../core/values/money.ts';
import { providerOf } from '../../engine/providers/providers.ts';
import { readText } from '../../job/file/read-yaml-file.ts';
import { changeJobText, type JobChange } from '../../job/from-list/draft-job.ts';
import { describeKey, hasKey } from '../../job/read-address.ts';
import type { ResolvedService } from '../../job/resolved-job.ts';
import { findServices } from '../../job/services/find-services.ts';
import {
  type LoadedServices,
  loadServices,
  parseServices,
} from '../../job/services/load-services.ts';
import { resolveNamed } from '../../job/services/resolve-services.ts';
import { writeFileAtomically } from '../../platform/files/atomic-file.ts';
import { fromHere } from '../../platform/files/local-path.ts';
import { readJob } from '../../run/jobs/read-job.ts';
import { ServiceAnswer, type Services, type ServiceTest, ServiceUsages } from './api/answers.ts';
import { ServiceChoices } from './api/requests.ts';
import { jobPathIn, OfJob } from './find-job.ts';
import { untilGone } from './http.ts';
import type { DossierProgram } from './runs/dossier-program.ts';

const Named = z.object({ name: z.string() });

export function addServiceRoutes(api: FastifyInstance, program: DossierProgram): void {
  const writeInTurn = pLimit(1);
  api.get('/services', (request) => servicesOf(pathIn(request.query)));
  api.patch('/services', (request) => {
    const path = pathIn(request.query);
    const { name, ...choices } = ServiceChoices.parse(request.body);
    return writeInTurn(() => changeService(path, name, choices));
  });
  api.post('/services/check', async (request, reply) => {
    const path = pathIn(request.query);
    const { name } = Named.parse(request.body);
    serviceIn(fileOf(path), name);
    const words = ['check', name];
    const flags = path === undefined ? [] : ['--job', path];
    return ServiceAnswer.parse(await program.ask('services', words, flags, untilGone(reply)));
  });
  api.get('/services/usage', async (request, reply) => {
    const path = pathIn(request.query);
    const flags = path === undefined ? [] : ['--job', path];
    return ServiceUsages.parse(await program.ask('services', [], flags, untilGone(reply))).services;
  });
}

/** Absent: the services of the folder. */
function pathIn(query: unknown): string | undefined {
  const { job } = OfJob.partial().parse(query);
  return job === undefined ? undefined : jobPathIn(query);
}

/** Null if no file describes services for this list. */
function servicesOf(path: string | undefined): Services | null {
  const file = findServices(folderOf(path), process.env);
  if (file === undefined) return null;
  const loaded = loadServices(file, process.env);
  const used = path === undefined ? [] : readJob(path, {}).services.map(({ name }) => name);
  return {
    file: fromHere(file),
    services: Object.keys(loaded.services).map((name) => ({
      name,
      isUsed: used.includes(name),
      ...termsOf(loaded, name),
      ...testOf(loaded, name),
    })),
  };
}

function termsOf({ services }: LoadedServices, name: string) {
  const { price, rate = null, budget = {} } = services[name] ?? {};
  const written = Object.entries(budget).flatMap(([period, limit]) =>
    limit === undefined ? [] : [[period, limitText(limit)]],
  );
  return {
    price: price
      ? {
          company: amount(price.company),
          people: amount(price.people),
          currency: price.currency,
        }
      : null,
    rate,
    budget: Object.fromEntries(written) as Partial<
      Record<'perStart' | 'perDay' | 'perMonth', string>
    >,
  };
}

function limitText(limit: { requests: number } | { micros: number; currency: string }) {
  if ('requests' in limit) return String(limit.requests);
  return `${limit.micros / microsPerUnit} ${limit.currency}`;
}

function amount(micros: number | undefined) {
  return micros === undefined ? null : micros / microsPerUnit;
}

function testOf(loaded: LoadedServices, name: string): ServiceTest {
  try {
    const service = serviceIn(loaded, name);
    const { key } = service;
    const facts = {
      key: describeKey(key),
      hasKey: hasKey(key, process.env),
      isKeyEntered: key.from === 'file',
      problem: null,
    };
    if (service.isSample) return { ...facts, host: null, test: null };
    const baseUrl = new URL(service.url);
    const access = { baseUrl, key: shownKey, headers: {} };
    const { request, mayBeCharged } = providerOf(service).requests(access).probe();
    const asked = `${request.method} ${request.origin}${request.path}`;
    return {
      ...facts,
      host: baseUrl.host,
      test: {
        request: asked.replaceAll(encodeURIComponent(shownKey), shownKey),
        cost: mayBeCharged ? priceText(service.price) : null,
      },
    };
  } catch (error) {
    if (!(error instanceof DossierError)) throw error;
    return {
      key: '',
      hasKey: false,
      isKeyEntered: false,
      problem: error.message,
      host: null,
      test: null,
    };
  }
}

const shownKey = '(key)';

function folderOf(path: string | undefined) {
  return path === undefined ? process.cwd() : dirname(resolve(path));
}

function fileOf(path: string | undefined) {
  return loadServices(servicesFileOf(path), process.env);
}

export function servicesFileOf(path: string | undefined): string {
  const file = findServices(folderOf(path), process.env);
  if (file !== undefined) return file;
  throw new DossierError('SERVICE_MISSING', 'there is no services.yaml any more');
}

function serviceIn(loaded: LoadedServices, name: string): ResolvedService {
  return resolveNamed(name, loaded, undefined, 'SERVICE_MISSING');
}

async function changeService(
  path: string | undefined,
  name: string,
  choices: Omit<ServiceChoices, 'name'>,
) {
  const { path: file, services } = fileOf(path);
  if (!Object.hasOwn(services, name)) {
    throw new DossierError('SERVICE_MISSING', `${fromHere(file)} has no service ${name}`);
  }
  const at = ['services', name];
  const change = (keys: readonly string[], value: string | number | null): JobChange => ({
    path: [...at, ...keys],
    value: value ?? undefined,
  });
  const { price, rate, budget = {} } = choices;
  await changeServices(file, [
    ...(rate === undefined ? [] : [change(['rate'], rate)]),
    ...(price === null ? [change(['price'], null)] : []),
    ...Object.entries(price ?? {}).map(([key, value]) => change(['price', key], value)),
    ...Object.entries(budget).map(([period, limit]) =>
      change(['budget', period], /^\d+$/.test(limit) ? Number(limit) : limit || null),
    ),
  ]);
  return { file: fromHere(file) };
}

/** Comments and order stay. The file is read back before it is written. */
export async function changeServices(file: string, changes: readonly JobChange[]) {
  const isNew = !existsSync(file);
  if (isNew) await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // A link stays one, and a private file private.
  const written = isNew ? file : realpathSync(file);
  const mode = isNew ? 0o600 : statSync(written).mode;
  const before = isNew ? '' : readText(written);
  const text = changeJobText(before, changes);
  parseServices(file, text, process.env);
  if (text === before) return;
  await writeFileAtomically(written, text);
  await chmod(written, mode & 0o777);
}
