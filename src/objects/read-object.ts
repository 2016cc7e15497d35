import { setTimeout as delay } from 'node:timers/promises';
import { factsOf } from './head-object.ts';
import type { ObjectAddress, ReadObject } from './object-store.ts';
import type { S3Connection } from './s3-client.ts';
import { attempt, nameOf, statusOf, storeTrouble } from './store-trouble.ts';

/** Connections that may be cut in a row without a byte between them. */
const mostCuts = 5;
const pauseMs = 200;

/** Streams an object. The SDK repeats requests, but not the reading of their bodies: that is done here. */
export async function readObject(
  store: S3Connection,
  at: ObjectAddress,
  signal?: AbortSignal,
): Promise<ReadObject | undefined> {
  const { sdk, client } = store;
  const request = { Bucket: at.bucket, Key: at.key };
  const ask = (rest: { Range?: string; IfMatch?: string }) =>
    client.send(
      new sdk.GetObjectCommand({ ...request, ...rest }),
      signal ? { abortSignal: signal } : {},
    );
  const first = await attempt(store, at, () => ask({}).catch(orUndefined), signal);
  if (!first) return undefined;
  const facts = factsOf(first);
  const openFrom = async (offset: number) => {
    const answer = await ask({ Range: `bytes=${offset}-`, IfMatch: facts.etag });
    if (!answer.ContentRange?.startsWith(`bytes ${offset}-`)) throw cutShort();
    return answer.Body;
  };

  async function* bytes(): AsyncGenerator<Uint8Array> {
    let body = first?.Body;
    let received = 0;
    for (let cuts = 0; ; ) {
      try {
        body ??= await openFrom(received);
        for await (const chunk of body as AsyncIterable<Uint8Array>) {
          received += chunk.length;
          cuts = 0;
          yield chunk;
        }
        if (received === facts.size) return;
        throw cutShort();
      } catch (error) {
        signal?.throwIfAborted();
        cuts += 1;
        if (cuts > mostCuts || !isCut(error)) throw storeTrouble(store, at, error);
        body = undefined;
        await delay(pauseMs * cuts, undefined, { signal });
      }
    }
  }
  return { facts, bytes: bytes() };
}

function orUndefined(error: unknown): undefined {
  if (statusOf(error) !== 404 || nameOf(error) === 'NoSuchBucket') throw error;
}

function cutShort(): Error {
  return Object.assign(new Error('the object came cut short'), { code: 'ECONNRESET' });
}

/** Whether the connection has failed; an answer of the store has been repeated by the SDK. */
function isCut(error: unknown): boolean {
  const { code, name, message } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || name === 'TimeoutError' || message === 'aborted';
}
