import { type AddressInfo, createServer as createPlainServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** The server's reaction to one request; without settings it is a normal answer. */
export interface Reaction {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Wait before the first byte. */
  readonly delayMs?: number;
  /** Sends the head or the body a byte at a time, slower than any deadline. */
  readonly drip?: 'head' | 'body';
  /** Ends the connection with a TCP reset. */
  readonly reset?: 'before head' | 'within body';
  /** Announces the whole body and closes after half of it. */
  readonly truncate?: 'content-length' | 'chunked' | 'close-delimited';
  /** Announces no length and ends the answer by closing. */
  readonly closeDelimited?: boolean;
  /** Repeats the body until the client closes the connection. */
  readonly endless?: boolean;
  /** Closes the connection without an answer. */
  readonly hangUp?: boolean;
  /** Reads the request and never answers. */
  readonly neverAnswer?: boolean;
}

interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Time of arrival by the monotonic clock of this process. */
  readonly atMs: number;
  /** Time at which the last byte had left; undefined when the client closed before. */
  readonly answeredAtMs?: number;
}

export interface HostileServer extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  connections(): number;
}

type React = (request: SeenRequest, index: number) => Reaction | Promise<Reaction>;

/**
 * A loopback server that misbehaves as told: by one reaction for every request, or by a function of
 * the request and its number. It writes HTTP to sockets, because node:http cannot break the protocol.
 */
export async function openHostileServer(
  reaction: Reaction | React,
  tls?: TlsOptions,
): Promise<HostileServer> {
  const react: React = typeof reaction === 'function' ? reaction : () => reaction;
  const seen: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;

  const serve = async (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    for await (const request of readRequests(socket)) {
      const index = seen.push(request) - 1;
      await perform(await react(request, index), socket);
      if (!socket.destroyed) seen[index] = { ...request, answeredAtMs: performance.now() };
    }
  };
  const onConnection = (socket: Socket) => {
    // A connection that the client closes is no failure of the test.
    serve(socket).catch(() => socket.destroy());
  };
  const server = tls ? createTlsServer(tls, onConnection) : createPlainServer(onConnection);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    seen,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function* readRequests(socket: Socket): AsyncGenerator<SeenRequest> {
  let pending = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    const atMs = performance.now();
    pending += chunk.toString('latin1');
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n');
      if (headEnd === -1) break;
      const [requestLine = '', ...lines] = pending.slice(0, headEnd).split('\r\n');
      const headers = Object.fromEntries(
        lines.map((line) => {
          const colon = line.indexOf(':');
          return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
        }),
      );
      const bodyEnd = headEnd + 4 + Number(headers['content-length'] ?? 0);
      if (pending.length < bodyEnd) break;
      const body = Buffer.from(pending.slice(headEnd + 4, bodyEnd), 'latin1').toString('utf8');
      pending = pending.slice(bodyEnd);
      const [method = '', path = ''] = requestLine.split(' ');
      yield { method, path, headers, body, atMs };
    }
  }
}

async function perform(reaction: Reaction, socket: Socket): Promise<void> {
  if (reaction.neverAnswer) return;
  if (reaction.delayMs) await delay(reaction.delayMs);
  if (reaction.reset === 'before head') {
    socket.resetAndDestroy();
    return;
  }
  if (reaction.hangUp) {
    socket.end();
    return;
  }
  const body = Buffer.from(reaction.body ?? '');
  const isChunked = reaction.truncate === 'chunked';
  const head = headOf(reaction, body.length);
  if (reaction.drip === 'head') return await drip(socket, head);
  if (reaction.drip === 'body') {
    socket.write(head);
    return await drip(socket, body);
  }
  if (reaction.reset === 'within body' || reaction.truncate) {
    const half = body.subarray(0, Math.ceil(body.length / 2));
    const framed = isChunked
      ? `${half.length.toString(16)}\r\n${half.toString('latin1')}\r\n`
      : half;
    await write(socket, Buffer.concat([Buffer.from(head), Buffer.from(framed)]));
    // A reset drops bytes in transit, so the half has to arrive before it.
    await delay(20);
    if (reaction.reset) socket.resetAndDestroy();
    else socket.end();
    return;
  }
  await write(socket, Buffer.concat([Buffer.from(head), body]));
  while (reaction.endless && !socket.destroyed) await write(socket, body);
  if (reaction.closeDelimited) socket.end();
}

function headOf(reaction: Reaction, bytes: number) {
  const { status = 200, headers, truncate } = reaction;
  const closeDelimited = reaction.closeDelimited || reaction.endless;
  const lengths: Record<string, string> = {};
  if (truncate === 'chunked') lengths['transfer-encoding'] = 'chunked';
  else if (closeDelimited || truncate === 'close-delimited') lengths.connection = 'close';
  else if (status !== 204) lengths['content-length'] = String(bytes);
  const lines = Object.entries({ 'content-type': 'application/json', ...lengths, ...headers });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} Whatever\r\n${text}\r\n`;
}

async function drip(socket: Socket, data: string | Buffer): Promise<void> {
  for (const byte of Buffer.from(data)) {
    if (socket.destroyed) return;
    socket.write(Buffer.from([byte]));
    await delay(15);
  }
}

/** Waits until the data has left, so that a client that does not read blocks the server. */
function write(socket: Socket, data: Buffer): Promise<void> {
  return new Promise((resolve) => {
    socket.once('close', resolve);
    socket.write(data, () => {
      socket.off('close', resolve);
      resolve();
    });
  });
}
