import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { helpOf } from '../../src/cli/program.ts';
import { flagsIn, readSource } from './deploy-files.ts';

/** The part of the Compose specification that the example uses; another word is a slip. */
const Service = z.strictObject({
  image: z.string(),
  build: z.strictObject({ context: z.literal('..') }).optional(),
  command: z.tuple([z.enum(['serve', 'run'])], z.string()),
  environment: z.record(z.string(), z.string()),
  read_only: z.literal(true),
  cap_drop: z.tuple([z.literal('ALL')]),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
  depends_on: z
    .strictObject({ service: z.strictObject({ condition: z.literal('service_healthy') }) })
    .optional(),
  volumes: z.tuple([z.literal('data:/data')]).optional(),
  stop_grace_period: z.literal('60s').optional(),
});
const Compose = z.strictObject({
  name: z.string(),
  'x-hardened': z.unknown(),
  services: z.strictObject({ service: Service, run: Service }),
  volumes: z.strictObject({ data: z.null() }),
});

const compose = Compose.parse(parse(readSource('deploy/compose.yaml'), { merge: true }));

test('the run waits for the service, finds it, and keeps its ledger on the volume', () => {
  const { service, run } = compose.services;
  expect(run.depends_on).toBeDefined();
  expect(run.image).toBe(service.image);
  expect(run.environment.DOSSIER_URL).toBe('http://service:8787');
  expect(run.environment.DOSSIER_API_KEY).toBe(service.environment.DOSSIER_SERVICE_KEYS);
  expect(service.command).toContain('0.0.0.0');
  const [, job, ...places] = run.command;
  expect(readSource(String(job).replace('/app/', ''))).toContain('name: lead-list');
  expect(
    places.filter((word) => word.startsWith('/')).every((path) => path.startsWith('/data/')),
  ).toBe(true);
});

test.each(Object.values(compose.services))('%# uses flags that there are', async ({ command }) => {
  const help = await helpOf([command[0]]);
  const flags = flagsIn(command.join(' '));
  expect(flags.length).toBeGreaterThan(0);
  for (const flag of flags) expect(help).toContain(`${flag} `);
});
