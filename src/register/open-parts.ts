import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { DossierError } from '../core/errors.ts';
import { unreadable } from '../lists/list-errors.ts';
import { openInput } from '../lists/open-input.ts';
import { isZip } from '../lists/refuse-binary.ts';
import { readXml, readZip } from '../lists/zip-xml.ts';
import { readBytes } from '../platform/files/read-bytes.ts';
import { outsideFailure } from '../platform/outside-failures.ts';
import { readBulk } from './read-bulk.ts';
import { type OwnColumns, readTable } from './read-tables.ts';
import type { SourcePart } from './sources.ts';

const headBytes = 4096;

/** A zip has one part for each of its XML files. A part is read before the next one is asked for. */
export async function* openParts(
  file: string,
  own: OwnColumns | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<SourcePart> {
  const refuse = (error: Error) => {
    throw outsideFailure('file', file, error) ?? error;
  };
  await using handle = await open(file, 'r').catch(refuse);
  const head = await headOf(handle).catch(refuse);
  const parts = isZip(head) ? await zipParts(file, handle) : undefined;
  if (parts) return yield* parts;
  if (/^\uFEFF?\s*</.test(head.toString())) {
    const { bytes, sizeBytes = 0 } = await readBytes(file, signal);
    yield readBulk(
      file,
      (onTag) => readXml(bytes, onTag),
      (read) => read / sizeBytes,
    );
    return;
  }
  await using input = await openInput(file, {}, signal && { signal });
  yield readTable(input, own);
}

async function headOf(handle: FileHandle) {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return buffer.subarray(0, bytesRead);
}

/** Undefined for a workbook, which is a list. */
async function zipParts(file: string, { fd }: FileHandle) {
  const zip = await readZip(fd).catch((cause: Error) => {
    throw unreadable(`${file} is a damaged zip file: ${cause.message}`, { cause });
  });
  if (zip.has('[Content_Types].xml')) return undefined;
  const extracts = [...zip].filter(([path]) => /\.xml$/i.test(path));
  if (extracts.length === 0) {
    throw new DossierError(
      'INPUT_INVALID',
      `${file} has no XML file; expected the ABN Bulk Extract. Unpack other files before loading them`,
    );
  }
  const total = extracts.reduce((sum, [, { plainBytes }]) => sum + plainBytes, 0);
  let before = 0;
  return extracts.map(([path, { plainBytes, read }]) => {
    const start = before;
    before += plainBytes;
    return readBulk(`${file}, ${basename(path)}`, read, (bytes) => (start + bytes) / total);
  });
}
