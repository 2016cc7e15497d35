import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach } from 'vitest';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { type Backend, startS3rver, type UnfinishedUpload } from './objects/backend.ts';
import { refusalOf, type SeenRequest, uploadsXml } from './objects/lacking-answers.ts';

/** What the store does to a request instead of answering it as it should. */
export type Misdeed =
  /** Answers with an error of S3: `{ status: 503, code: 'SlowDown' }`. */
  | { readonly status: number; readonly code: string }
  /** Answers later. */
  | { readonly delayMs: number }
  /** Takes half of what is sent and closes; does as asked and closes without a word; closes within its answer. */
  | { readonly cut: 'request' | 'answer' | 'body' }
  /** Never answers. */
  | { readonly hangs: true };

export const slowDown: Misdeed = { status: 503, code: 'SlowDown' };
export const accessDenied: Misdeed = { status: 403, code: 'AccessDenied' };

export interface TestObjectStore extends AsyncDisposable {
  readonly bucket: string;
  readonly secretKey: string;
  /** For `openObjectStore` and for child processes. */
  readonly env: Readonly<Record<string, string>>;
  /** Every request since the start; clear it by `length = 0`. */
  readonly requests: SeenRequest[];
  /** Asked at each request, before it is answered; undefined for a good answer, and so from the start. */
  misbehave: (seen: SeenRequest) => Misdeed | undefined;
  unfinishedUploads(): Promise<readonly UnfinishedUpload[]>;
}

/** Misbehaves at the next requests that fit: `store.misbehave = nextRequests(2, slowDown)`. */
export function nextRequests(
  count: number,
  misdeed: Misdeed,
  fits: (seen: SeenRequest) => boolean = () => true,
): TestObjectStore['misbehave'] {
  let left = count;
  return (seen) => {
    if (left === 0 || !fits(seen)) return undefined;
    left -= 1;
    return misdeed;
  };
}

/**
 * Starts a store of objects on loopback, in this process: s3rver behind a front that heeds conditions,
 * shows no half object, and misbehaves as told.
 */
export async function startObjectStore({
  heedsConditions = true,
}: {
  heedsConditions?: boolean;
} = {}): Promise<TestObjectStore> {
  const backend = await startS3rver();
  const requests: SeenRequest[] = [];
  const front = createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy());
  });
  const inTurn = createTurns();

  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const seen = readRequest(incoming);
    requests.push(seen);
    const misdeed = store.misbehave(seen);
    if (misdeed && 'hangs' in misdeed) return;
    if (misdeed && 'cut' in misdeed && misdeed.cut === 'request') {
      const hasBody = Number(incoming.headers['content-length'] ?? 0) > 0;
      if (hasBody) incoming.once('data', () => incoming.socket.destroy());
      else incoming.socket.destroy();
      return;
    }
    const body = await readWhole(incoming);
    if (misdeed && 'delayMs' in misdeed) await delay(misdeed.delayMs);
    if (misdeed && 'status' in misdeed) {
      sendError(response, misdeed.status, misdeed.code);
      return;
    }
    const cut = misdeed && 'cut' in misdeed ? misdeed.cut : undefined;
    await inTurn(`${seen.bucket}/${seen.key}`, async () => {
      const refusal = await refusalOf(backend.lacks, seen, incoming, heedsConditions);
      if (seen.query.has('uploads') && seen.method === 'GET') {
        sendXml(
          response,
          200,
          uploadsXml(await backend.unfinishedUploads(seen.bucket), seen.query),
        );
      } else if (refusal) sendError(response, refusal.status, refusal.code);
      else await passOn(backend, incoming, seen, { body, response, cut });
    });
  };
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const { port } = front.address() as AddressInfo;
  const store: TestObjectStore = {
    bucket: backend.bucket,
    secretKey: backend.secretKey,
    env: {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: backend.accessKey,
      AWS_SECRET_ACCESS_KEY: backend.secretKey,
      // Nothing is looked for on the network or in the home of whoever runs the tests.
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    },
    requests,
    misbehave: () => undefined,
    unfinishedUploads: () => backend.unfinishedUploads(backend.bucket),
    async [Symbol.asyncDispose]() {
      front.closeAllConnections();
      await new Promise((resolve) => front.close(resolve));
      await backend[Symbol.asyncDispose]();
    },
  };
  return store;
}

/** A store for the tests of one file, with a client. Each test begins with a store that behaves. */
export async function startSharedStore(env: Readonly<Record<string, string>> = {}) {
  const service = await startObjectStore();
  const store = await openObjectStore({ ...service.env, ...env });
  afterEach(() => {
    service.misbehave = () => undefined;
    service.requests.length = 0;
  });
  afterAll(async () => {
    await store[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });
  return { service, store };
}

function readRequest({ method = '', url = '' }: IncomingMessage): SeenRequest {
  const { pathname, searchParams } = new URL(url, 'http://front');
  const [, bucket = '', ...rest] = pathname.split('/');
  return { method, bucket, key: decodeURIComponent(rest.join('/')), query: searchParams };
}

/** A store takes an object whole or not at all; s3rver would keep the half that came. */
async function readWhole(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function sendError(response: ServerResponse, status: number, code: string): void {
  const text = `<Error><Code>${code}</Code><Message>${code} of the test</Message></Error>`;
  sendXml(response, status, text);
}

function sendXml(response: ServerResponse, status: number, xml: string): void {
  const text = `<?xml version="1.0" encoding="UTF-8"?>${xml}`;
  response.writeHead(status, { 'Content-Type': 'application/xml' });
  response.end(status === 204 || response.req.method === 'HEAD' ? undefined : text);
}

/** Resolves when the answer has left, so that the next request for the object sees what this one did. */
async function passOn(
  { origin }: Backend,
  incoming: IncomingMessage,
  { key }: SeenRequest,
  {
    body,
    response,
    cut,
  }: { body: Buffer; response: ServerResponse; cut: 'request' | 'answer' | 'body' | undefined },
): Promise<void> {
  const { method, url } = incoming;
  // For requests about a bucket s3rver expects the signature of another path than the SDK signs.
  const { authorization, ...unsigned } = incoming.headers;
  const headers = key === '' ? unsigned : incoming.headers;
  const outgoing = request(new URL(url ?? '', origin), { method, headers, setHost: false });
  outgoing.end(body);
  const answered = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  const bytes = await readWhole(answered);
  if (cut === 'answer') response.destroy();
  // Nobody may be there any more who could take it.
  if (response.destroyed) return;
  response.writeHead(answered.statusCode ?? 500, answered.headers);
  if (cut === 'body') {
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
    return;
  }
  await new Promise<void>((resolve) => {
    response.once('close', resolve);
    response.end(bytes, resolve);
  });
}

/** Does one thing at a time for each name. */
function createTurns() {
  const last = new Map<string, Promise<void>>();
  return async (name: string, act: () => Promise<void>): Promise<void> => {
    const turn = (last.get(name) ?? Promise.resolve()).then(act);
    last.set(
      name,
      turn.catch(() => {}),
    );
    await turn;
  };
}
