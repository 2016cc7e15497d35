import { DossierError } from '../../errors.ts';

/** What the directory of a zip says of a file in it. */
export interface PackedFacts {
  readonly crc: number;
  readonly packedBytes: number;
  readonly plainBytes: number;
}

/** A zip that is written from its beginning to its end, one file after the other. */
export interface ZipFile {
  begin(name: string): Promise<void>;
  /** The next bytes of the file that was begun, deflated. */
  write(packed: Uint8Array): Promise<void>;
  end(facts: PackedFacts): Promise<void>;
  /** Writes the directory. */
  close(): Promise<void>;
}

/** Beyond it sizes need Zip64, some forms of which Excel takes for damage. */
const maxZipBytes = 0xffff_ffff;

const version = 20;
/** Sizes stand behind the file, as they are not known before it. */
const sizesFollow = 8;
const deflated = 8;
/** 1980-01-01, the first day of zip: the same content gives the same bytes on any day. */
const fixedDay = 0x21;

interface DirectoryEntry extends PackedFacts {
  readonly name: string;
  readonly headerAt: number;
}

export function openZipFile(write: (bytes: Uint8Array) => Promise<void>): ZipFile {
  const entries: DirectoryEntry[] = [];
  let offset = 0;
  let begun = { name: '', headerAt: 0 };
  const pass = async (bytes: Uint8Array) => {
    offset += bytes.length;
    if (offset > maxZipBytes) {
      throw new DossierError(
        'OUTPUT_TROUBLE',
        'the workbook grows over 4 GB, which no spreadsheet opens; write another format, or fewer columns (output.columns)',
      );
    }
    await write(bytes);
  };
  return {
    async begin(name) {
      begun = { name, headerAt: offset };
      await pass(localHeader(name));
    },
    write: pass,
    async end(facts) {
      entries.push({ ...begun, ...facts });
      await pass(fields(['u32', 0x08074b50], ...sizes(facts)));
    },
    async close() {
      const directoryAt = offset;
      for (const entry of entries) await pass(directoryEntry(entry));
      const directoryBytes = offset - directoryAt;
      await pass(directoryEnd(entries.length, directoryBytes, directoryAt));
    },
  };
}

type Field = readonly ['u16' | 'u32', number];

/** The fields that a file has in its header and in the directory alike. */
const commonFields: readonly Field[] = [
  ['u16', version],
  ['u16', sizesFollow],
  ['u16', deflated],
  ['u16', 0],
  ['u16', fixedDay],
];

function localHeader(name: string): Buffer {
  const unknown = sizes({ crc: 0, packedBytes: 0, plainBytes: 0 });
  return Buffer.concat([
    fields(['u32', 0x04034b50], ...commonFields, ...unknown, ['u16', name.length], ['u16', 0]),
    Buffer.from(name),
  ]);
}

function directoryEntry({ name, headerAt, ...facts }: DirectoryEntry): Buffer {
  return Buffer.concat([
    fields(
      ['u32', 0x02014b50],
      ['u16', version],
      ...commonFields,
      ...sizes(facts),
      ['u16', name.length],
      // No extra field, comment, disk number or attributes.
      ...Array.from({ length: 4 }, (): Field => ['u16', 0]),
      ['u32', 0],
      ['u32', headerAt],
    ),
    Buffer.from(name),
  ]);
}

function directoryEnd(entries: number, bytes: number, at: number): Buffer {
  const disks: Field[] = [
    ['u16', 0],
    ['u16', 0],
  ];
  return fields(
    ['u32', 0x06054b50],
    ...disks,
    ['u16', entries],
    ['u16', entries],
    ['u32', bytes],
    ['u32', at],
    ['u16', 0],
  );
}

function sizes({ crc, packedBytes, plainBytes }: PackedFacts): Field[] {
  return [
    ['u32', crc],
    ['u32', packedBytes],
    ['u32', plainBytes],
  ];
}

function fields(...values: readonly Field[]): Buffer {
  return Buffer.concat(
    values.map(([size, value]) => {
      const bytes = Buffer.alloc(size === 'u16' ? 2 : 4);
      bytes.writeUIntLE(value, 0, bytes.length);
      return bytes;
    }),
  );
}
