import { DossierError } from '../../errors.ts';
import type { ListAddress } from '../../runtime/files/list-address.ts';
import { notReadable, shownPath } from '../../runtime/files/local-path.ts';
import { guardAddress, isDecodable } from '../../runtime/net/guard-address.ts';
import { type Headers, headerOf } from './web-stamp.ts';
import { lostList } from './web-trouble.ts';

/** The beginning of an answer. */
export interface WebAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The address that has answered, after redirects. */
  readonly url: URL;
  readonly body: AsyncIterable<Buffer>;
  /** Gives the connection up, with what is unread. */
  close(): Promise<void>;
}

const mostRedirects = 5;
const redirections = [301, 302, 303, 307, 308];

/** Asks for a list and follows redirects. User and password go to the host that they are for, and to no other. */
export async function requestWeb(
  address: ListAddress,
  conditions: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<WebAnswer> {
  const given = new URL(address.reveal());
  let url = given;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const credentials = url.origin === given.origin ? credentialsOf(given) : {};
    const headers = {
      accept: '*/*',
      // A list that is compressed on the way has another ETag, or none.
      'accept-encoding': 'identity',
      ...conditions,
      ...credentials,
    };
    const answer = await requestOnce(address, url, headers, signal);
    if (!redirections.includes(answer.status)) return answer;
    await answer.close();
    url = redirectOf(address.shown, url, headerOf(answer.headers, 'location'));
  }
  throw unreadable(`${address.shown} is redirected more than ${mostRedirects} times`);
}

async function requestOnce(
  { shown, timeoutMs }: ListAddress,
  url: URL,
  headers: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<WebAnswer> {
  const dispatcher = await openDispatcher(shown, url, timeoutMs);
  try {
    const { statusCode, body, ...answer } = await dispatcher.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method: 'GET',
      headers,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      ...(signal && { signal }),
    });
    const close = async () => {
      // Its end is awaited by nobody any more, and an error without a listener would end the process.
      body.on('error', () => {});
      body.destroy();
      await dispatcher.destroy();
    };
    return { status: statusCode, headers: answer.headers, url, body, close };
  } catch (error) {
    await dispatcher.destroy();
    signal?.throwIfAborted();
    throw lostList(shown, error);
  }
}

async function openDispatcher(name: string, url: URL, timeoutMs: number) {
  // Only a list at an address needs the network, so other runs start without loading it.
  const { openSockets } = await import('../../runtime/net/open-sockets.ts');
  try {
    return openSockets(url, { concurrency: 1, timeoutMs }).dispatcher;
  } catch (error) {
    // Its remedy is one for the address of the service.
    if (!(error instanceof DossierError)) throw error;
    throw unreadable(`${name} cannot be asked for: ${error.message}`);
  }
}

/** Where an answer sends us; an address that was safe to ask never leads to one that is not. */
function redirectOf(name: string, from: URL, location: string | undefined): URL {
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw unreadable(`${name} is redirected, and not said where to`);
  }
  const to = new URL(location, from);
  guardAddress(to.href);
  const where = `${name} is redirected to ${shownPath(to.href)}`;
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw unreadable(`${where}, which is not followed: it is not encrypted`);
  }
  const trouble = /^https?:$/.test(to.protocol)
    ? notReadable(to.href)
    : 'it is no address of the web';
  if (trouble !== undefined) throw unreadable(`${where}, which is not followed: ${trouble}`);
  return to;
}

/** `https://user:password@host` asks for them in a header. */
function credentialsOf({ username, password }: URL): Record<string, string> {
  if (`${username}${password}` === '') return {};
  const [user, pass] = [username, password].map((part) =>
    isDecodable(part) ? decodeURIComponent(part) : part,
  );
  return { authorization: `Basic ${Buffer.from(`${user}:${pass}`).toString('base64')}` };
}

function unreadable(message: string): DossierError {
  return new DossierError('INPUT_UNREADABLE', message);
}
