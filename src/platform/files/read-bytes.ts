import { randomUUID } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAbortSignal, pipeline, Readable, type Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { DossierError } from '../../core/errors.ts';
import { outsideFailure } from '../outside-failures.ts';
import { notLocal, shownPath } from './local-path.ts';
import { missingFile } from './missing-file.ts';

export interface ByteSource {
  readonly name: string;
  /** Before decompression; undefined for a pipe. */
  readonly sizeBytes: number | undefined;
  /** Before decompression. */
  bytesRead(): number;
  readonly bytes: AsyncIterable<Buffer>;
  /** Reads bytes before decompression; undefined for a pipe. */
  readonly openRandom: (() => Promise<RandomBytes>) | undefined;
}

const magicBytes = 4;
const gzipMagic = Buffer.from([0x1f, 0x8b]);
const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** `-` is standard input. The first bytes decide the compression, because pipes have no name. */
export async function readBytes(path: string, signal?: AbortSignal): Promise<ByteSource> {
  const stats = path === '-' ? undefined : await statsOf(path);
  const name = stats ? path : 'standard input';
  const sizeBytes = stats?.isFile() ? stats.size : undefined;
  let bytesRead = 0;

  async function* fromSource(): AsyncGenerator<Buffer> {
    const source = stats ? createReadStream(path, { highWaterMark: 256 * 1024 }) : process.stdin;
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

async function statsOf(path: string): Promise<Stats> {
  const problem = notLocal(path);
  if (problem !== undefined) {
    throw new DossierError('INPUT_UNREADABLE', `${shownPath(path)}: ${problem}`);
  }
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) {
      throw new DossierError('INPUT_UNREADABLE', `${path} is a folder, not a file`);
    }
    return stats;
  } catch (error) {
    throw missingFile('file', path, error);
  }
}

export async function* plainBytes(
  source: AsyncGenerator<Buffer>,
  name: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  try {
    const { head, bytes } = await peekBytes(source, magicBytes);
    if (head.indexOf(gzipMagic) === 0) yield* through(bytes, createGunzip());
    else if (head.indexOf(zstdMagic) === 0) yield* decompressZstd(bytes);
    else yield* bytes;
  } catch (error) {
    signal?.throwIfAborted();
    throw outsideFailure('file', name, error);
  } finally {
    await source.return(undefined);
  }
}

export interface PeekedBytes {
  readonly head: Buffer;
  /** The head is all there is. */
  readonly isWhole: boolean;
  /** Ending this iterator early does not close the source. */
  readonly bytes: AsyncGenerator<Buffer>;
}

export async function peekBytes(
  source: AsyncIterable<Buffer>,
  wantedBytes: number,
): Promise<PeekedBytes> {
  const iterator = source[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  let headBytes = 0;
  let isWhole = false;
  while (headBytes < wantedBytes) {
    const next = await iterator.next();
    if (next.done) {
      isWhole = true;
      break;
    }
    chunks.push(next.value);
    headBytes += next.value.length;
  }
  return {
    head: Buffer.concat(chunks),
    isWhole,
    bytes: replay(chunks, iterator),
  };
}

async function* replay(
  chunks: readonly Buffer[],
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer> {
  yield* chunks;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

export interface RandomBytes {
  readonly fd: number;
  readonly size: number;
  read(position: number, length: number): Promise<Buffer>;
  bytesRead(): number;
  close(): Promise<void>;
}

/** The copy is unlinked at once, so a killed process leaves nothing behind. */
export async function spoolBytes(
  name: string,
  source: AsyncIterable<Uint8Array>,
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
    fd: handle.fd,
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
            `${name} became shorter while it was being read`,
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

function noRoom(name: string, cause: Error) {
  return new DossierError(
    'INPUT_UNREADABLE',
    `${name} could not be copied to ${tmpdir()} for reading: ${cause.message}; set TMPDIR to use another folder`,
    { cause },
  );
}

/** Node reads only the first frame of `cat a.zst b.zst`, and drops the rest of its last chunk. */
export async function* decompressZstd(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decompressor = createZstdDecompress();
  let fedBytes = 0;
  async function* fed() {
    for await (const chunk of source) {
      fedBytes += chunk.length;
      yield chunk;
    }
  }
  yield* through(fed(), decompressor);
  if (fedBytes === decompressor.bytesWritten) return;
  throw new Error('it consists of several zstd files; unpack it with `zstd -d` first');
}

function through(source: AsyncIterable<Buffer>, decompressor: Transform): AsyncIterable<Buffer> {
  // Ignored here, because errors reach the reader of the stream.
  return pipeline(Readable.from(source, { objectMode: false }), decompressor, () => {});
}
