import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtPage } from '../../scripts/build-page.ts';
import type { JobState } from '../../src/ui/workbench/api/answers.ts';
import { openWorkbench } from '../../src/ui/workbench/open-workbench.ts';
import { ensurePages } from './built-page.ts';
import { cleanEnvironment } from './clean-environment.ts';
import { programOfWorker } from './warm/run-warm.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

export interface OpenUi extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Asks as the page does. */
  ask<Answer = unknown>(path: string, asked?: Asked): Promise<{ status: number; body: Answer }>;
  /** The same, for tests that look at what is answered alone. */
  answer<Answer>(path: string, asked?: Asked): Promise<Answer>;
  /** Waits until a job stands as wanted. */
  until(job: string, isWanted: (state: JobState) => boolean): Promise<JobState>;
}

interface Asked {
  readonly method?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON; bytes are sent as they are. */
  readonly body?: object | Buffer | Readable;
}

/** Starts `dossier ui` over a folder, as a user does, and waits for its address. */
export async function openUi(
  folder: string,
  env: Readonly<Record<string, string>> = { DOSSIER_URL: 'embedded' },
  ...flags: string[]
): Promise<OpenUi> {
  await ensurePages();
  const child = spawn(process.execPath, [main, 'ui', folder, '--no-open', ...flags], {
    env: cleanEnvironment(env),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`dossier ui has ended with ${code}`)));
  });
  return {
    ...asking(url),
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Serves the workbench over a folder in this process, which becomes its working directory. Runs are processes; plans come from a warm one. */
export async function openUiHere(
  folder: string,
  env: Readonly<Record<string, string>> = { DOSSIER_URL: 'embedded' },
): Promise<OpenUi> {
  await ensurePages();
  const page = readFileSync(builtPage('workbench'), 'utf8');
  const [cwd, before] = [process.cwd(), process.env];
  const restore = () => {
    process.chdir(cwd);
    process.env = before;
  };
  process.chdir(folder);
  process.env = cleanEnvironment(env);
  try {
    const program = await programOfWorker();
    const workbench = await openWorkbench({ page, port: 0, program });
    return {
      ...asking(workbench.url),
      pid: process.pid,
      async [Symbol.asyncDispose]() {
        await workbench[Symbol.asyncDispose]();
        restore();
      },
    };
  } catch (error) {
    restore();
    throw error;
  }
}

function asking(url: string) {
  return {
    url,
    ask: <Answer>(path: string, asked?: Asked) => ask<Answer>(url, path, asked),
    answer: async <Answer>(path: string, asked?: Asked) =>
      (await ask<Answer>(url, path, asked)).body,
    async until(job: string, isWanted: (state: JobState) => boolean) {
      for (;;) {
        const { status, body } = await ask<JobState>(url, 'state', { query: { job } });
        if (status !== 200) throw new Error(JSON.stringify(body));
        if (isWanted(body)) return body;
        await sleep(50);
      }
    },
  };
}

function ask<Answer>(
  url: string,
  path: string,
  { method = 'GET', query = {}, body }: Asked = {},
): Promise<{ status: number; body: Answer }> {
  const address = new URL(`api/${path}`, url);
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  const isBytes = body instanceof Readable || Buffer.isBuffer(body);
  const type = isBytes ? 'application/octet-stream' : 'application/json';
  const headers = { origin: address.origin, ...(body && { 'content-type': type }) };
  return new Promise((resolve, reject) => {
    const asked = request(address, { method, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) as Answer }),
      );
    });
    asked.on('error', reject);
    if (body instanceof Readable) pipeline(body, asked).catch(reject);
    else asked.end(Buffer.isBuffer(body) ? body : body && JSON.stringify(body));
  });
}
