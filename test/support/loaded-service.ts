import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { startService } from '../../src/service/build-service.ts';
import { loadFiles } from '../../src/service/load-files.ts';
import { openStore } from '../../src/service/open-store.ts';
import { companies, jsonl, people } from './store-data.ts';
import { temporaryFolder } from './temporary-folder.ts';

export type LoadedService = Awaited<ReturnType<typeof loadedService>>;

export const testKey = 'key-of-the-tests';

/** A service over HTTP, in this process, with a store that was loaded from a file. */
export async function loadedService({
  keys = [testKey],
  rate,
  register,
}: Partial<Pick<Parameters<typeof startService>[0], 'keys' | 'rate' | 'register'>> = {}) {
  const store = openStore(':memory:');
  {
    using folder = temporaryFolder();
    const file = join(folder.path, 'data.jsonl');
    writeFileSync(file, jsonl([...companies, ...people]));
    await loadFiles(store, [file], { isStrict: true });
  }
  const lines: string[] = [];
  const log = pino({ messageKey: 'event' }, { write: (line) => void lines.push(line) });
  const { url, stop } = await startService({
    store,
    keys,
    rate,
    register,
    log,
    version: '1.2.3',
    host: '127.0.0.1',
    port: 0,
  });
  const send = async (path: string, request: RequestInit) => {
    const response = await fetch(url + path, request);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const { status, headers } = response;
    return { status, headers, text, body: isJson ? (JSON.parse(text) as unknown) : undefined };
  };
  const authorization = `Bearer ${testKey}`;
  return {
    url,
    stop,
    send,
    log: () => lines.join(''),
    get: (path: string, headers: Record<string, string> = {}) =>
      send(path, { headers: { authorization, ...headers } }),
    search: (body: unknown, headers: Record<string, string> = {}) =>
      send('/people/search', {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async [Symbol.asyncDispose]() {
      await stop();
      store[Symbol.dispose]();
    },
  };
}
