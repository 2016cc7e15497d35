import type { IncomingHttpHeaders } from 'node:http';
import { credentialsOf, guardAddress } from '../../core/values/known-secrets.ts';
import { type ListAddress, notReadable, shownPath } from '../../platform/files/local-path.ts';
import { outsideFailure } from '../../platform/outside-failures.ts';
import { unreadable } from '../list-errors.ts';
import type { FetchedList } from './open-source.ts';

const mostRedirects = 5;

/** After a redirect, credentials are sent only to the original origin. */
export async function fromWeb(
  address: ListAddress,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<FetchedList> {
  const { openSockets, redirections } = await import('../../platform/net/open-sockets.ts');
  const { shown } = address;
  const given = new URL(address.reveal());
  let url = given;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const sockets = openSockets(url, { concurrency: 1, timeoutMs });
    const close = () => sockets.destroy();
    try {
      const {
        statusCode: status,
        headers,
        body,
      } = await sockets.request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'GET',
        headers: {
          accept: '*/*',
          'accept-encoding': 'identity',
          ...(url.origin === given.origin && credentialsOf(given)),
        },
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        ...(signal && { signal }),
      });
      // Without this listener, closing would end the process.
      body.on('error', () => {});
      if (!redirections.includes(status)) {
        if (status !== 200) throw outsideFailure('web', shown, { status });
        const sizeBytes = sizeOf(shown, headers);
        return { sizeBytes, bytes: received(shown, body, signal), close };
      }
      url = redirectOf(shown, url, headers.location?.toString());
    } catch (error) {
      await close();
      signal?.throwIfAborted();
      throw outsideFailure('web', shown, error);
    }
    await close();
  }
  throw unreadable(`${shown} is redirected more than ${mostRedirects} times`);
}

/** Undefined for a chunked response. */
function sizeOf(shown: string, headers: IncomingHttpHeaders) {
  const length = headers['content-length'];
  if (length === undefined && headers['transfer-encoding'] === undefined) {
    throw unreadable(
      `${shown} is sent with neither Content-Length nor chunks, so an incomplete download would go unnoticed: download it yourself and check that it is complete`,
    );
  }
  return length === undefined ? undefined : Number(length);
}

async function* received(shown: string, body: AsyncIterable<Buffer>, signal?: AbortSignal) {
  try {
    yield* body;
  } catch (error) {
    signal?.throwIfAborted();
    throw outsideFailure('web', shown, error);
  }
}

function redirectOf(name: string, from: URL, location = '//') {
  const to = URL.parse(location, from.href);
  if (!to) throw unreadable(`${name} is redirected without a valid target URL`);
  guardAddress(to.href);
  const isDowngrade = from.protocol === 'https:' && to.protocol === 'http:';
  const problem = isDowngrade ? 'that URL is not encrypted' : notReadable(to.href);
  if (problem === undefined) return to;
  throw unreadable(
    `${name} is redirected to ${shownPath(to.href)}, which is not followed: ${problem}`,
  );
}
