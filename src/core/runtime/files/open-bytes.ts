import { randomUUID } from 'node:crypto';
import { constants, createReadStream, openSync, type Stats } from 'node:fs';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAbortSignal, pipeline, Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { DossierError } from '../../errors.ts';
import { outsideFailure } from '../outside-failures.ts';
import { notLocal, shownPath } from './local-path.ts';

export interface OpenBytes {
  /** What messages call it: the path, or "standard input". */
  readonly name: string;
  /** Size on disk before decompression; unknown for pipes. */
  readonly sizeBytes: number | undefined;
  /** Bytes taken from the disk so far, so that progress fits `sizeBytes`. */
  bytesRead(): number;
  /** The plain bytes, decompressed where the file is gzip or zstd. */
  readonly bytes: AsyncIterable<Buffer>;
  /** The bytes as they are stored, in any order; undefined for pipes, which have no other order. */
  readonly openRandom: (() => Promise<RandomBytes>) | undefined;
}

const magicBytes = 4;
const gzipMagic = Buffer.from([0x1f, 0x8b]);
const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/**
 * Opens a file, or standard input for `-`. Compression is told by the first bytes, because people
 * rename files and pipes have no name at all. An abort ends the reading with the signal's reason,
 * also where it waits for a pipe that says nothing.
 */
export async function openBytes(path: string, signal?: AbortSignal): Promise<OpenBytes> {
  const facts = path === '-' ? undefined : await factsOf(path);
  const name = facts ? path : 'standard input';
  const sizeBytes = facts?.isFile() ? facts.size : undefined;
  let bytesRead = 0;

  async function* fromSource(): AsyncGenerator<Buffer> {
    const source = facts ? openSource(path, facts) : process.stdin;
    if (signal) addAbortSignal(signal, source);
    for await (const chunk of source as AsyncIterable<Buffer>) {
      bytesRead += chunk.length;
      yield chunk;
    }
  }

  return {
    name,
    sizeBytes,
    bytesRead: () => bytesRead,
    bytes: plainBytes(fromSource(), name, signal),
    openRandom:
      sizeBytes === undefined ? undefined : async () => readableBytes(await open(path, 'r'), path),
  };
}

/**
 * Opening a named pipe waits for its writer, and reading it for every byte: done by the file system
 * calls of Node, a pipe that stops would keep even `process.exit` waiting. A socket waits for none.
 */
function openSource(path: string, facts: Stats): Readable {
  if (!facts.isFIFO()) return createReadStream(path, { highWaterMark: 256 * 1024 });
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

async function factsOf(path: string): Promise<Stats> {
  const trouble = notLocal(path);
  if (trouble !== undefined) {
    throw new DossierError('INPUT_UNREADABLE', `${shownPath(path)}: ${trouble}`);
  }
  try {
    const facts = await stat(path);
    if (facts.isDirectory()) {
      throw new DossierError('INPUT_UNREADABLE', `${path} is a folder, not a file`);
    }
    return facts;
  } catch (error) {
    throw outsideFailure('file', path, error);
  }
}

/** The bytes of a source, decompressed where its first ones are those of gzip or zstd. */
export async function* plainBytes(
  source: AsyncGenerator<Buffer>,
  name: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  try {
    const head = await readHead(source);
    const whole = chain(head, source);
    if (head.indexOf(gzipMagic) === 0) {
      // Errors of either side reach the reader; pipeline only has to pass them on.
      yield* pipeline(Readable.from(whole, { objectMode: false }), createGunzip(), () => {});
    } else if (head.indexOf(zstdMagic) === 0) yield* decompressZstd(whole);
    else yield* whole;
  } catch (error) {
    signal?.throwIfAborted();
    throw outsideFailure('file', name, error);
  }
}

/** A pipe may deliver its first bytes one by one, so this reads until the magic number is whole. */
async function readHead(source: AsyncGenerator<Buffer>): Promise<Buffer> {
  let head = Buffer.alloc(0);
  while (head.length < magicBytes) {
    const next = await source.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  return head;
}

async function* chain(head: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    if (head.length > 0) yield head;
    yield* rest;
  } finally {
    // A reader that leaves after the head must not leave the file open.
    await rest.return(undefined);
  }
}

/** A file that is read in any order. */
export interface RandomBytes {
  readonly size: number;
  /** Exactly these bytes; a file that ends before them is an error. */
  read(position: number, length: number): Promise<Buffer>;
  bytesRead(): number;
  close(): Promise<void>;
}

/**
 * Copies a stream to a temporary file, which nobody else may read. The file has no name from the first
 * byte on, so that a process that is killed leaves nothing behind.
 */
export async function spoolBytes(
  name: string,
  source: AsyncIterable<Buffer>,
): Promise<RandomBytes> {
  const path = join(tmpdir(), `dossier-${randomUUID()}`);
  const handle = await open(path, 'wx+', 0o600).catch((error: Error) => {
    throw noRoom(name, error);
  });
  try {
    await rm(path, { force: true });
    for await (const chunk of source) {
      await handle.writeFile(chunk).catch((error: Error) => {
        throw noRoom(name, error);
      });
    }
    return await readableBytes(handle, name);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readableBytes(handle: FileHandle, name: string): Promise<RandomBytes> {
  const { size } = await handle.stat();
  let bytesRead = 0;
  return {
    size,
    bytesRead: () => bytesRead,
    async read(position, length) {
      const bytes = Buffer.alloc(length);
      let filled = 0;
      while (filled < length) {
        const read = await handle.read(bytes, filled, length - filled, position + filled);
        if (read.bytesRead === 0) {
          throw new DossierError(
            'INPUT_UNREADABLE',
            `${name} has become shorter while it was read`,
          );
        }
        filled += read.bytesRead;
      }
      bytesRead += length;
      return bytes;
    },
    close: () => handle.close(),
  };
}

function noRoom(name: string, cause: Error): DossierError {
  return new DossierError(
    'INPUT_UNREADABLE',
    `${name} cannot be copied to ${tmpdir()}, which reading it needs: ${cause.message}; TMPDIR names another folder`,
    { cause },
  );
}

/**
 * Decompresses zstd of one or more frames. Node's own stream ends after a frame that is followed
 * by another in the same chunk and drops the rest without an error (pzstd and `cat a.zst b.zst`
 * make such files), so what it left over is given to a fresh stream.
 */
export async function* decompressZstd(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const input = source[Symbol.asyncIterator]();
  let leftOver: Buffer[] = [];
  // A chunk that was asked for when a stream ended belongs to the next one.
  let asked: Promise<IteratorResult<Buffer>> | undefined;
  do {
    const decompressor = createZstdDecompress();
    const fed: { chunk: Buffer; startsAt: number }[] = [];
    let fedBytes = 0;
    let isOver = false;

    const remember = (chunk: Buffer): Buffer => {
      while (fed[0] && fed[0].startsAt + fed[0].chunk.length <= decompressor.bytesWritten) {
        fed.shift();
      }
      fed.push({ chunk, startsAt: fedBytes });
      fedBytes += chunk.length;
      return chunk;
    };
    const unread = leftOver;
    async function* feed(): AsyncGenerator<Buffer> {
      for (const chunk of unread) yield remember(chunk);
      for (;;) {
        asked ??= input.next();
        const next = await asked;
        if (next.done || isOver) return;
        asked = undefined;
        yield remember(next.value);
      }
    }

    // Errors of either side reach the reader below; pipeline only has to pass them on.
    pipeline(Readable.from(feed(), { objectMode: false }), decompressor, () => {});
    yield* decompressor as AsyncIterable<Buffer>;
    isOver = true;

    leftOver = fed
      .map(({ chunk, startsAt }) =>
        chunk.subarray(Math.max(0, decompressor.bytesWritten - startsAt)),
      )
      .filter((chunk) => chunk.length > 0);
  } while (leftOver.length > 0);
}
