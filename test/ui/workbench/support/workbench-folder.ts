import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Facets, RowsPage } from '../../../../src/ui/workbench/api/rows.ts';
import { openWorkbench, type Workbench } from '../../../../src/ui/workbench/open-workbench.ts';
import {
  type HostileServer,
  openHostileServer,
  type Reaction,
} from '../../../support/hostile-server.ts';
import { runDossier } from '../../../support/run-dossier.ts';
import { type RunningCommand, startDossier } from '../../../support/start-dossier.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** A folder with a list, a service that knows its companies, and a workbench that can be opened over it. */
export interface WorkbenchFolder extends AsyncDisposable {
  readonly path: string;
  readonly seen: HostileServer['seen'];
  /** Names the service, for programs that are started elsewhere. */
  readonly env: Readonly<Record<string, string>>;
  write(name: string, content: string): void;
  /** Runs the command line in the folder, and throws where it does not end with 0. */
  dossier(...args: readonly string[]): Promise<string>;
  start(...args: readonly string[]): RunningCommand;
}

export async function openFolder(
  react: (domain: string, index: number) => Reaction | Promise<Reaction>,
): Promise<WorkbenchFolder> {
  const folder = temporaryFolder();
  const service = await openHostileServer(({ path }, index) =>
    react(new URL(path, 'http://localhost').searchParams.get('fqdn') ?? '', index),
  );
  const options = {
    cwd: folder.path,
    env: { DOSSIER_URL: service.url, DOSSIER_API_KEY: 'k_test' },
  };
  return {
    path: folder.path,
    seen: service.seen,
    env: options.env,
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

export interface OpenedPage extends AsyncDisposable {
  get<Answer>(path: string, query?: Query): Promise<Answer>;
  status(path: string, query?: Query): Promise<readonly [status: number, code: string]>;
  /** Waits until every row is in the index as the ledger has it. */
  untilWhole(query: Query): Promise<Facets>;
}

type Query = Readonly<Record<string, unknown>>;

/** Opens the workbench over a folder, in this process. */
export async function openPageOver(folder: string): Promise<OpenedPage> {
  const before = process.cwd();
  process.chdir(folder);
  let workbench: Workbench;
  try {
    workbench = await openWorkbench({ page: '', port: 0, program: [] });
  } catch (error) {
    process.chdir(before);
    throw error;
  }
  const ask = (path: string, query: Query = {}) => {
    const address = new URL(`api/${path}`, workbench.url);
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined) continue;
      address.searchParams.set(
        name,
        typeof value === 'object' ? JSON.stringify(value) : `${value}`,
      );
    }
    return fetch(address);
  };
  const get = async <Answer>(path: string, query?: Query) => {
    const answer = await ask(path, query);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as Answer;
  };
  return {
    get,
    async status(path, query) {
      const answer = await ask(path, query);
      return [answer.status, ((await answer.json()) as { code?: string }).code ?? ''];
    },
    async untilWhole(query) {
      for (;;) {
        const facets = await get<Facets>('facets', query);
        if (facets.index.isWhole) return facets;
        if (facets.index.problem !== null) throw new Error(facets.index.problem);
        await sleep(20);
      }
    },
    async [Symbol.asyncDispose]() {
      await workbench[Symbol.asyncDispose]();
      process.chdir(before);
    },
  };
}

export const numbersOf = ({ rows }: RowsPage) => rows.map(({ number }) => number);

/** Rows by the values of a facet. */
export function countsOf({ facets }: Facets, name: string): Record<string, number> {
  const values = facets.find((facet) => facet.name === name)?.values ?? [];
  return Object.fromEntries(values.map(({ value, count }) => [value, count]));
}
