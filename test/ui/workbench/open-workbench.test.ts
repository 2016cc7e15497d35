import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { keepSecret } from '../../../src/core/values/known-secrets.ts';
import { openWorkbench } from '../../../src/ui/workbench/open-workbench.ts';

const secret = 'k_secret_of_the_service';
let workbench: Awaited<ReturnType<typeof openWorkbench>>;
beforeAll(async () => {
  const program = ['/no/such/program', secret];
  workbench = await openWorkbench({ page: '<p>the page</p>', port: 0, program });
});
afterAll(() => workbench[Symbol.asyncDispose]());

/** Asks with whatever headers, which a program can set and a page in a browser cannot. */
function ask(
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number | undefined; text: string; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, workbench.url), { method, headers }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode, text, headers: answer.headers }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('who reaches the workbench', () => {
  test('its page is at a path that cannot be guessed, on the loopback address', async () => {
    expect(workbench.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/$/);
    expect(await ask('./')).toMatchObject({ status: 200, text: '<p>the page</p>' });
    expect((await ask('/')).status).toBe(404);
    expect((await ask('/AAAAAAAAAAAAAAAAAAAAAA/')).status).toBe(404);
    expect((await ask('/AAAAAAAAAAAAAAAAAAAAAA/api/folder')).status).toBe(404);
    // The router cannot decode these, and would answer them before the guard.
    for (const path of ['/%f/', '/%/']) {
      const { status, text, headers } = await ask(path);
      expect([status, text, headers['cache-control']], path).toEqual([404, '', 'no-store']);
    }
    expect((await ask('/%f/', { headers: { host: 'evil.example' } })).status).toBe(403);
  });

  test('a name that was bent to this machine is refused', async () => {
    for (const host of ['evil.example', 'evil.example:80', '127.0.0.1', 'localhost:1', '[::1]']) {
      expect((await ask('./', { headers: { host } })).status, host).toBe(403);
      expect((await ask('./api/folder', { headers: { host } })).status, host).toBe(403);
    }
  });

  test.each<[method: string, headers: Record<string, string>]>([
    ['GET', { origin: 'https://evil.example' }],
    ['GET', { 'sec-fetch-site': 'cross-site' }],
    ['POST', { origin: 'https://evil.example' }],
    ['POST', { origin: 'null' }],
    // What changes something has to say that it comes from the page.
    ['POST', {}],
  ])('a %s of another site is refused, even with the right path: %j', async (method, headers) => {
    const path = method === 'GET' ? './api/folder' : './api/stop?job=a.csv';
    expect((await ask(path, { method, headers })).status).toBe(403);
  });

  test('the page may change something', async () => {
    const headers = { origin: new URL(workbench.url).origin };
    expect((await ask('./api/stop?job=a.csv', { method: 'POST', headers })).status).toBe(422);
  });

  test('the browser keeps nothing, frames nothing and tells nobody the address', async () => {
    const { headers } = await ask('./api/folder');
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    });
  });
});

test('a file outside the folder is not shown, whatever its path', async () => {
  for (const path of ['/etc/passwd', '../package.json', 'src/../package.json']) {
    const { status, text } = await ask(`./api/state?job=${encodeURIComponent(path)}`);
    expect(status).toBe(422);
    expect(JSON.parse(text)).toMatchObject({ code: 'RUN_MISSING' });
  }
});

test('an error is a sentence with a remedy', async () => {
  const { status, text } = await ask('./api/state');
  expect(status).toBe(400);
  expect(JSON.parse(text)).toMatchObject({ code: 'USAGE', remedy: 'Reload the page.' });
});

test('of a bug the terminal gets the trace, without secrets and without the address of the page', async () => {
  keepSecret(secret);
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  const { status, text } = await ask('./api/plan?job=jobs%2Fdemo.yaml');
  expect(status).toBe(500);
  expect(JSON.parse(text)).toMatchObject({ code: 'BUG' });
  const printed = written.join('');
  expect(printed).toContain('caused by GET api/plan; please report it.\nError: ');
  expect(printed).toContain('/no/such/program');
  for (const hidden of [secret, new URL(workbench.url).pathname.slice(1, -1)]) {
    expect(`${printed}${text}`).not.toContain(hidden);
  }
});
