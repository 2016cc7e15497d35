import { DossierError } from '../../errors.ts';
import type { ListAddress } from '../../runtime/files/list-address.ts';
import { shownPath } from '../../runtime/files/local-path.ts';
import { type Delivery, PassingTrouble } from './delivery.ts';
import { requestWeb, type WebAnswer } from './request-web.ts';
import { headerOf, stampOfTag, tagOfStamp, webStamp } from './web-stamp.ts';
import { lostList, refusedList } from './web-trouble.ts';

/** Slower than any line that a list is worth waiting for. */
const leastBytesPerSecond = 1_024;

/** Asks a server for a list. */
export async function fromWeb(
  address: ListAddress,
  signal: AbortSignal | undefined,
): Promise<Delivery> {
  const answer = await requestWeb(address, {}, signal);
  try {
    return deliver(address, answer, signal);
  } catch (error) {
    await answer.close();
    throw error;
  }
}

/**
 * The stamp of the list that lies at an address now, without reading it: a GET with a condition, since an
 * address may be signed for GET alone, and one that is answered in spite of it is given up after its head.
 */
export async function webStampNow(
  address: ListAddress,
  known: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const tag = tagOfStamp(address.shown, known);
  const condition = tag === undefined ? {} : { 'if-none-match': tag };
  const answer = await requestWeb(address, condition, signal);
  await answer.close();
  const { status, headers } = answer;
  if (status === 304 && tag !== undefined) return stampOfTag(address.shown, tag);
  if (status !== 200) throw refusedList(address.shown, status, undefined);
  return webStamp(address.shown, headers);
}

function deliver(
  address: ListAddress,
  { status, headers, url, body, close }: WebAnswer,
  signal: AbortSignal | undefined,
): Delivery {
  const { shown } = address;
  if (status !== 200) throw refusedList(shown, status, headerOf(headers, 'retry-after'));
  const length = headerOf(headers, 'content-length');
  const isChunked = /\bchunked\b/i.test(headerOf(headers, 'transfer-encoding') ?? '');
  if (length === undefined && !isChunked) {
    throw new DossierError(
      'INPUT_UNREADABLE',
      `${shown} does not say where it ends (neither Content-Length nor chunks), so that half of it could not be told from the whole: download it and look whether it is whole`,
    );
  }
  const encoding = (headerOf(headers, 'content-encoding') ?? 'identity').toLowerCase();
  if (!/^(?:identity|(?:x-)?gzip|zstd)$/.test(encoding)) {
    throw new DossierError(
      'INPUT_UNREADABLE',
      `${shown} is sent compressed as ${JSON.stringify(encoding)}, which was not asked for; gzip and zstd can be read`,
    );
  }
  const sentBy = shownPath(url.href);
  return {
    stamp: webStamp(shown, headers),
    sizeBytes: length === undefined ? undefined : Number(length),
    isEncoded: encoding !== 'identity',
    sentBy: sentBy === shown ? undefined : sentBy,
    bytes: received(address, body, signal),
    close,
  };
}

/** A server that drips never exceeds the time between two bytes, so the speed counts, too. */
async function* received(
  { shown, timeoutMs }: ListAddress,
  body: AsyncIterable<Buffer>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  let since = performance.now();
  try {
    for await (const chunk of body) {
      yield chunk;
      bytes += chunk.length;
      const seconds = (performance.now() - since) / 1_000;
      if (seconds * 1_000 < timeoutMs) continue;
      if (bytes / seconds < leastBytesPerSecond) throw tooSlow(shown);
      bytes = 0;
      since = performance.now();
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw lostList(shown, error);
  }
}

function tooSlow(name: string): PassingTrouble {
  const message = `${name} comes at less than ${leastBytesPerSecond / 1_024} KB a second`;
  return new PassingTrouble(new DossierError('INPUT_DOWN', message));
}
