import { get, type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { startLiveServer } from '../../src/report/live-server.ts';
import { dataPlace } from '../../src/report/render-report.ts';
import { sampleReport } from './sample-report.ts';

const page = `<meta content="connect-src 'none'">${dataPlace}`;

function ask(
  url: string,
  { method = 'GET', host }: { method?: string; host?: string } = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = host === undefined ? {} : { host };
    request(url, { method, headers }, resolve).on('error', reject).end();
  });
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  return text;
}

test('the page has the newest facts in it and may ask its own server, nobody else', async () => {
  await using live = await startLiveServer(page);
  live.publish(sampleReport({ people: 7 }));
  const answer = await ask(live.url);
  const text = await textOf(answer);
  expect(answer.statusCode).toBe(200);
  expect(text).toContain("connect-src 'self'");
  expect(text).toContain('data-live');
  expect(text).toContain('"people":7');
  expect(answer.headers).toMatchObject({
    'cache-control': 'no-store',
    'content-security-policy': "frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
  });
});

test('who does not know the path, calls us by another name or wants to write gets nothing', async () => {
  await using live = await startLiveServer(page);
  const { origin } = new URL(live.url);
  const statuses = await Promise.all([
    ask(`${origin}/`),
    ask(`${origin}/events`),
    ask(`${live.url}../../etc/passwd`),
    ask(live.url, { host: 'evil.example' }),
    ask(live.url, { host: '127.0.0.1.evil.example:80' }),
    ask(live.url, { method: 'POST' }),
    ask(live.url, { host: 'localhost:9000' }),
  ]);
  expect(statuses.map(({ statusCode }) => statusCode)).toEqual([
    ...[404, 404, 404, 403, 403, 405, 200],
  ]);
  for (const answer of statuses) answer.destroy();
});

test('reports come as they are published, and the last of them when the server stops', async () => {
  const live = await startLiveServer(page);
  expect(live.wasSeen()).toBe(false);
  live.publish(sampleReport({ people: 1 }));
  const answer = await new Promise<IncomingMessage>((resolve) =>
    get(new URL('events', live.url), resolve),
  );
  expect(answer.headers['content-type']).toBe('text/event-stream');
  live.publish(sampleReport({ people: 2 }));
  await live[Symbol.asyncDispose]();
  const events = (await textOf(answer)).split('\n\n').filter(Boolean);
  expect(live.wasSeen()).toBe(true);
  expect(events.map((event) => event.split('\n')[0])).toEqual([
    ...['retry: 1000', 'event: report', 'event: report', 'event: end'],
  ]);
  expect(events.at(-1)).toContain('"people":2');
});

test('a port that is taken is told', async () => {
  await using live = await startLiveServer(page);
  const port = Number(new URL(live.url).port);
  await expect(startLiveServer(page, port)).rejects.toMatchObject({ code: 'ADDRESS_IN_USE' });
});
