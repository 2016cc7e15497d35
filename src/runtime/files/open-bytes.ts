import { constants, createReadStream, openSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { addAbortSignal, pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { DossierError } from '../../errors.ts';
import { outsideFailure } from '../outside-failures.ts';
import { decompressZstd } from './decompress-zstd.ts';
import { notLocal, shownPath } from './local-path.ts';
import { openFileBytes, type RandomBytes } from './random-bytes.ts';

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
    openRandom: sizeBytes === undefined ? undefined : () => openFileBytes(path),
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
    if (startsWith(head, gzipMagic)) yield* gunzip(whole);
    else if (startsWith(head, zstdMagic)) yield* decompressZstd(whole);
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

function startsWith(head: Buffer, magic: Buffer): boolean {
  return head.subarray(0, magic.length).equals(magic);
}

function gunzip(source: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  // Errors of either side reach the reader; pipeline only has to pass them on.
  return pipeline(Readable.from(source, { objectMode: false }), createGunzip(), () => {});
}
