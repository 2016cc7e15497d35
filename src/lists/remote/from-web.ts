import { type ListAddress, notReadable, shownPath } from '../../core/runtime/files/local-path.ts';
import { credentialsOf, guardAddress } from '../../core/runtime/log/known-secrets.ts';
import { outsideFailure } from '../../core/runtime/outside-failures.ts';
import { unreadable } from '../list-errors.ts';
import type { FetchedList } from './open-source.ts';

const mostRedirects = 5;
const redirections = [301, 302, 303, 307, 308];

export async function fromWeb(
  address: ListAddress,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<FetchedList> {
  const { shown } = address;
  const { status, header, body, close } = await requestWeb(address, timeoutMs, signal);
  try {
    if (status !== 200) throw outsideFailure('web', shown, { status });
    const length = header('content-length');
    if (length === undefined && !/\bchunked\b/i.test(header('transfer-encoding') ?? '')) {
      throw unreadable(
        `${shown} is sent with neither Content-Length nor chunks, so an incomplete download would go unnoticed: download it yourself and check that it is complete`,
      );
    }
    // Gzip and zstd are recognized later by their first bytes.
    const encoding = (header('content-encoding') ?? 'identity').toLowerCase();
    if (!/^(?:identity|(?:x-)?gzip|zstd)$/.test(encoding)) {
      throw unreadable(
        `${shown} is sent compressed as ${JSON.stringify(encoding)}; only gzip and zstd can be read`,
      );
    }
    const sizeBytes = length === undefined ? undefined : Number(length);
    return { sizeBytes, bytes: received(shown, body, signal), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function* received(shown: string, body: AsyncIterable<Buffer>, signal?: AbortSignal) {
  try {
    yield* body;
  } catch (error) {
    signal?.throwIfAborted();
    throw outsideFailure('web', shown, error);
  }
}

/** After a redirect, credentials are sent only to the original origin. */
async function requestWeb(address: ListAddress, timeoutMs: number, signal?: AbortSignal) {
  const given = new URL(address.reveal());
  let url = given;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const headers = {
      accept: '*/*',
      'accept-encoding': 'identity',
      ...(url.origin === given.origin && credentialsOf(given)),
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
  const { openSockets } = await import('../../core/runtime/net/open-sockets.ts');
  const dispatcher = openSockets(url, { concurrency: 1, timeoutMs });
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
      body,
      async close() {
        // Without this listener, an error after closing would end the process.
        body.on('error', () => {});
        body.destroy();
        await dispatcher.destroy();
      },
    };
  } catch (error) {
    await dispatcher.destroy();
    signal?.throwIfAborted();
    throw outsideFailure('web', shown, error);
  }
}

function redirectOf(name: string, from: URL, location: string | undefined) {
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw unreadable(`${name} is redirected without a valid target URL`);
  }
  const to = new URL(location, from);
  guardAddress(to.href);
  const where = `${name} is redirected to ${shownPath(to.href)}, which is not followed`;
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw unreadable(`${where}: that URL is not encrypted`);
  }
  const problem = /^https?:$/.test(to.protocol) ? notReadable(to.href) : 'it is not a web URL';
  if (problem !== undefined) throw unreadable(`${where}: ${problem}`);
  return to;
}
