import { DossierError } from '../../core/errors.ts';
import { type ListAddress, notReadable, shownPath } from '../../core/runtime/files/local-path.ts';
import { decoded, guardAddress } from '../../core/runtime/log/known-secrets.ts';
import { isWorthRetrying, outsideFailure } from '../../core/runtime/outside-failures.ts';
import { PassingFailure, unreadable } from '../list-errors.ts';
import type { Delivery } from './open-source.ts';

const mostRedirects = 5;
const redirections = [301, 302, 303, 307, 308];

type Answer = Awaited<ReturnType<typeof requestOnce>>;

export async function fromWeb(
  address: ListAddress,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Delivery> {
  const answer = await requestWeb(address, timeoutMs, signal);
  try {
    return deliver(address, answer, signal);
  } catch (error) {
    await answer.close();
    throw error;
  }
}

function deliver(
  address: ListAddress,
  { status, header, url, body, close }: Answer,
  signal: AbortSignal | undefined,
): Delivery {
  const { shown } = address;
  if (status !== 200) throw webFailure(shown, { status });
  const length = header('content-length');
  if (length === undefined && !/\bchunked\b/i.test(header('transfer-encoding') ?? '')) {
    throw unreadable(
      `${shown} sends neither Content-Length nor chunks, so a cut download would go unnoticed: download it yourself and check that it is complete`,
    );
  }
  const encoding = (header('content-encoding') ?? 'identity').toLowerCase();
  if (!/^(?:identity|(?:x-)?gzip|zstd)$/.test(encoding)) {
    throw unreadable(
      `${shown} is sent compressed as ${JSON.stringify(encoding)}; only gzip and zstd can be read`,
    );
  }
  const sentBy = shownPath(url.href);
  return {
    sizeBytes: length === undefined ? undefined : Number(length),
    isEncoded: encoding !== 'identity',
    sentBy: sentBy === shown ? undefined : sentBy,
    bytes: received(shown, body, signal),
    close,
  };
}

async function* received(shown: string, body: AsyncIterable<Buffer>, signal?: AbortSignal) {
  try {
    yield* body;
  } catch (error) {
    signal?.throwIfAborted();
    throw webFailure(shown, error);
  }
}

/** Credentials never go to a redirect. */
async function requestWeb(
  address: ListAddress,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Answer> {
  const given = new URL(address.reveal());
  let url = given;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const headers = {
      accept: '*/*',
      'accept-encoding': 'identity',
      ...(url.origin === given.origin ? credentialsOf(given) : {}),
    };
    const answer = await requestOnce(address.shown, url, headers, timeoutMs, signal);
    if (!redirections.includes(answer.status)) return answer;
    await answer.close();
    url = redirectOf(address.shown, url, answer.header('location'));
  }
  throw unreadable(`${address.shown} is redirected more than ${mostRedirects} times`);
}

async function requestOnce(
  shown: string,
  url: URL,
  headers: Record<string, string>,
  timeoutMs: number,
  signal?: AbortSignal,
) {
  const dispatcher = await openDispatcher(shown, url, timeoutMs);
  try {
    const answer = await dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'GET',
      headers,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      ...(signal && { signal }),
    });
    const { statusCode: status, body } = answer;
    return {
      status,
      header(name: string) {
        const value = answer.headers[name];
        return typeof value === 'string' ? value : undefined;
      },
      url,
      body,
      async close() {
        // An unhandled error would end the process.
        body.on('error', () => {});
        body.destroy();
        await dispatcher.destroy();
      },
    };
  } catch (error) {
    await dispatcher.destroy();
    signal?.throwIfAborted();
    throw webFailure(shown, error);
  }
}

async function openDispatcher(name: string, url: URL, timeoutMs: number) {
  // Loaded on demand: other runs start faster.
  const { openSockets } = await import('../../core/runtime/net/open-sockets.ts');
  try {
    return openSockets(url, { concurrency: 1, timeoutMs });
  } catch (error) {
    // The original remedy is about the service's address, not the list's.
    if (!(error instanceof DossierError)) throw error;
    throw unreadable(`${name} cannot be fetched: ${error.message}`);
  }
}

function redirectOf(name: string, from: URL, location: string | undefined) {
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw unreadable(`${name} is redirected, and not said where to`);
  }
  const to = new URL(location, from);
  guardAddress(to.href);
  const where = `${name} is redirected to ${shownPath(to.href)}, which is not followed`;
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw unreadable(`${where}: it is not encrypted`);
  }
  const trouble = /^https?:$/.test(to.protocol)
    ? notReadable(to.href)
    : 'it is no address of the web';
  if (trouble !== undefined) throw unreadable(`${where}: ${trouble}`);
  return to;
}

function credentialsOf({ username, password }: URL) {
  if (`${username}${password}` === '') return {};
  const pair = `${decoded(username)}:${decoded(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function webFailure(name: string, failure: unknown) {
  const error = outsideFailure('web', name, failure);
  if (!error || error === failure || !isWorthRetrying('web', failure)) return error;
  return new PassingFailure(error);
}
