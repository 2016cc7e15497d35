import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import type { z } from 'zod';
import type { Facets, RowsPage } from '../../../../src/ui/workbench/api/answers.ts';
import type { RowsQuery } from '../../../../src/ui/workbench/api/requests.ts';
import type { Reaction } from '../../../support/hostile-server.ts';
import { type OpenUi, openUiHere } from '../../../support/open-ui.ts';
import { type RunningCommand, runDossier, startDossier } from '../../../support/run-dossier.ts';
import { openSmallService, type SmallService } from '../../../support/small-service.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** A folder with a list, and a service that has a company for each domain but those that begin with `unknown`. */
export interface WorkbenchFolder extends AsyncDisposable, Pick<SmallService, 'seen'> {
  readonly path: string;
  /** Names the service. */
  readonly env: Record<string, string>;
  write(name: string, content: string): void;
  /** Runs the command line in the folder, and throws where it does not end with 0. */
  dossier(...args: readonly string[]): Promise<string>;
  start(...args: readonly string[]): RunningCommand;
}

type React = (
  domain: string,
  index: number,
) => Reaction | undefined | Promise<Reaction | undefined>;

export async function openFolder(
  react: React = () => undefined,
  /** In place of the address and key of the service. */
  otherEnv?: Record<string, string>,
): Promise<WorkbenchFolder> {
  const folder = temporaryFolder();
  const service = await openSmallService((path, index) =>
    react(new URL(path, 'http://localhost').searchParams.get('fqdn') ?? '', index),
  );
  const { seen } = service;
  const env = otherEnv ?? service.env;
  const options = { cwd: folder.path, env };
  return {
    path: folder.path,
    seen,
    env,
    write: (name, content) => writeFileSync(join(folder.path, name), content),
    async dossier(...args) {
      const { exitCode, stdout, stderr } = await runDossier(args, options);
      if (exitCode !== 0) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`);
      return stdout;
    },
    start: (...args) => startDossier(args, options),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** A folder and a workbench over it, for all tests of a file. Both are there when the first begins. */
export function sharedWorkbench({
  react = undefined as React | undefined,
  fill = (_folder: WorkbenchFolder): void | Promise<void> => {},
  env = undefined as Record<string, string> | undefined,
}) {
  const shared = {} as { folder: WorkbenchFolder; ui: OpenUi };
  beforeAll(async () => {
    shared.folder = await openFolder(react, env);
    await fill(shared.folder);
    shared.ui = await openUiHere(shared.folder.path, shared.folder.env);
  });
  afterAll(async () => {
    await shared.ui?.[Symbol.asyncDispose]();
    await shared.folder?.[Symbol.asyncDispose]();
  });
  return shared;
}

/** The service answers with sample data, which is free. */
export const sampleData = { DOSSIER_URL: 'embedded' };

type Query = z.input<typeof RowsQuery>;

/** Asks for the rows of a run as the page does. */
export function tableOf(ui: OpenUi, job: string, run?: string) {
  const post = (path: string, body: Query) =>
    ui.ask<unknown>(path, { method: 'POST', query: { job, ...(run && { run }) }, body });
  const answer = async <Answer>(path: string, body: Query) => {
    const { status, body: answered } = await post(path, body);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(answered)}`);
    return answered as Answer;
  };
  const facets = (query: Query = {}) => answer<Facets>('facets', query);
  return {
    post,
    answer,
    facets,
    rows: (query: Query = {}) => answer<RowsPage>('rows', query),
    /** Waits until every row, or person, is in the flat table as the ledger has it. */
    async untilWhole(query: Query = {}): Promise<Facets> {
      for (;;) {
        const found = await facets(query);
        if (found.index.isWhole) return found;
        if (found.index.problem !== null) throw new Error(found.index.problem);
        await sleep(20);
      }
    },
  };
}

export const numbersOf = ({ rows }: RowsPage) => rows.map(({ number }) => number);

/** Rows by the values of a facet. */
export function countsOf({ facets }: Facets, name: string): Record<string, number> {
  const values = facets.find((facet) => facet.name === name)?.values ?? [];
  return Object.fromEntries(values.map(({ value, count }) => [value, count]));
}
