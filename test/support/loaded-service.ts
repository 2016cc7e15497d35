import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Faults } from '../../src/service/faults.ts';
import { type RunningService, runDossier, startService } from './run-dossier.ts';
import { companies, jsonl, people } from './store-data.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
  text: string;
}

export interface LoadedService extends AsyncDisposable {
  readonly service: RunningService;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  search(body: unknown, headers?: Record<string, string>): Promise<Answer>;
  send(path: string, request: RequestInit): Promise<Answer>;
}

export const testKey = 'key-of-the-tests';

/** The bytes of the store; each service gets a copy, because loading is slow. */
let loaded: Promise<Buffer> | undefined;

async function loadStore(): Promise<Buffer> {
  using folder = temporaryFolder();
  const file = join(folder.path, 'data.jsonl');
  const store = join(folder.path, 'store.db');
  writeFileSync(file, jsonl([...companies, ...people]));
  const { exitCode, stderr } = await runDossier(['load', file, '--store', store, '--strict']);
  expect(exitCode, stderr).toBe(0);
  return readFileSync(store);
}

/** A service over HTTP, with a store that `dossier load` has filled. */
export async function loadedService(...args: string[]): Promise<LoadedService> {
  const folder = temporaryFolder();
  const store = join(folder.path, 'store.db');
  loaded ??= loadStore();
  writeFileSync(store, await loaded);
  const service = await startService(['--store', store, '--key', testKey, ...args]);

  const send = async (path: string, request: RequestInit): Promise<Answer> => {
    const response = await fetch(service.url + path, request);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  };
  const authorization = `Bearer ${testKey}`;
  return {
    service,
    send,
    get: (path, headers) => send(path, { headers: { authorization, ...headers } }),
    search: (body, headers) =>
      send('/people/search', {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** The same service, which misbehaves as these settings say. */
export async function faultyService(faults: Partial<Faults>): Promise<LoadedService> {
  using folder = temporaryFolder();
  const file = join(folder.path, 'faults.json');
  writeFileSync(file, JSON.stringify(faults));
  return await loadedService('--faults', file);
}
