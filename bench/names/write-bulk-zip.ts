import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { crc32, createDeflateRaw } from 'node:zlib';
import {
  bulkEnd,
  bulkHead,
  bulkRecord,
  registerEntities,
} from '../../fixtures/generate/register/register-entities.ts';

const headerBytes = 30;
const recordsAtOnce = 2_000;

/** A zip with one file of the bulk extract, as it is published. Returns the bytes of the XML. */
export async function writeBulkZip(path: string, records: number, firstIndex = 0): Promise<number> {
  const name = Buffer.from('20260630_Public01.xml');
  const file = openSync(path, 'w');
  let stored = 0;
  let plain = 0;
  let crc = 0;
  const deflate = createDeflateRaw({ level: 1 });
  deflate.on('data', (chunk: Buffer) => {
    writeSync(file, chunk, 0, chunk.length, headerBytes + name.length + stored);
    stored += chunk.length;
  });
  const write = async (text: string) => {
    const bytes = Buffer.from(text);
    plain += bytes.length;
    crc = crc32(bytes, crc);
    if (!deflate.write(bytes)) await once(deflate, 'drain');
  };
  await write(bulkHead(1, records));
  let batch: string[] = [];
  for (const entity of registerEntities(records, { firstIndex })) {
    batch.push(bulkRecord(entity));
    if (batch.length < recordsAtOnce) continue;
    await write(batch.join(''));
    batch = [];
  }
  await write(batch.join('') + bulkEnd);
  deflate.end();
  await once(deflate, 'end');

  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(20, 0);
  facts.writeUInt16LE(8, 4);
  facts.writeUInt32LE(crc, 10);
  facts.writeUInt32LE(stored, 14);
  facts.writeUInt32LE(plain, 18);
  facts.writeUInt16LE(name.length, 22);
  writeSync(
    file,
    Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), facts, name]),
    0,
    undefined,
    0,
  );
  const entry = Buffer.concat([
    Buffer.from('PK\x01\x02\x14\0', 'latin1'),
    facts,
    Buffer.alloc(14),
    name,
  ]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entry.length, 12);
  end.writeUInt32LE(headerBytes + name.length + stored, 16);
  const directory = Buffer.concat([entry, end]);
  writeSync(file, directory, 0, directory.length, headerBytes + name.length + stored);
  closeSync(file);
  return plain;
}
