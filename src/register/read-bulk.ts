import { DossierError } from '../core/errors.ts';
import { counted } from '../core/values/format.ts';
import { unreadable } from '../lists/list-errors.ts';
import type { OnTag } from '../lists/zip-xml.ts';
import type { NameKind, SourceEntity, SourcePart } from './sources.ts';

const nameKindOf: Readonly<Record<string, NameKind>> = {
  MN: 'main',
  LGL: 'person',
  BN: 'business',
  TRD: 'trading',
};
const gstWords: Readonly<Record<string, string>> = { ACT: 'active', CAN: 'cancelled', NON: 'none' };

/** One XML file of the ABN Bulk Extract. */
export function readBulk(
  file: string,
  read: (onTag: OnTag) => AsyncIterable<number>,
  share: (bytesRead: number) => number,
): SourcePart {
  const facts = { part: '', extractedAt: null as string | null };
  let batch: SourceEntity[] = [];
  let entity: { -readonly [Field in keyof SourceEntity]: SourceEntity[Field] } | undefined;
  let names: [NameKind, string][] = [];
  let nameKind: NameKind = 'other';
  let givenNames: string[] = [];
  let typeCode = '';
  let hasRoot = false;
  let expected: number | undefined;
  let records = 0;
  let bytesRead = 0;

  function startTag(name: string, attributes: Readonly<Record<string, string>>) {
    if (!hasRoot && name !== 'Transfer') {
      throw new Error(`it starts with <${name}>; the ABN Bulk Extract starts with <Transfer>`);
    }
    hasRoot = true;
    if (name === 'ABR') {
      names = [];
      entity = { kind: 'abn', value: '', names };
    }
    if (!entity) return;
    if (name === 'ABN') entity.isActive = attributes.status === 'ACT';
    else if (name === 'GST') entity.gst = gstWords[attributes.status ?? ''];
    else if (name === 'NonIndividualName' || name === 'IndividualName') {
      nameKind = nameKindOf[attributes.type ?? ''] ?? 'other';
      givenNames = [];
    }
  }
  function endTag(name: string, text: string) {
    if (name === 'RecordCount') expected = Number(text);
    else if (name === 'FileSequenceNumber') facts.part = text.trim().padStart(2, '0');
    else if (name === 'ExtractTime') facts.extractedAt = text.trim();
    if (!entity) return;
    if (name === 'ABN') entity.value = text.trim();
    else if (name === 'EntityTypeInd') typeCode = text.trim();
    else if (name === 'EntityTypeText') {
      entity.type = { code: typeCode, words: text.trim() };
      entity.isPerson = typeCode === 'IND';
    } else if (name === 'State') entity.state = text.trim();
    else if (name === 'Postcode') entity.postcode = text.trim();
    else if (name === 'ASICNumber') entity.acn = text.trim();
    else if (name === 'NonIndividualNameText') names.push([nameKind, text.trim()]);
    else if (name === 'GivenName' || name === 'FamilyName') givenNames.push(text.trim());
    else if (name === 'IndividualName') names.push(['person', givenNames.join(' ')]);
    else if (name === 'ABR') endRecord(entity);
  }
  function endRecord(ended: SourceEntity) {
    records += 1;
    if (!/^\d{11}$/.test(ended.value)) throw new Error(`record ${records} has no ABN`);
    batch.push(ended);
    entity = undefined;
  }

  async function* batches() {
    try {
      const chunks = read((name, isEnd, attributes, text) => {
        if (isEnd) endTag(name, text);
        else startTag(name, attributes);
      });
      for await (const bytes of chunks) {
        bytesRead += bytes;
        if (batch.length > 0) yield batch;
        batch = [];
      }
      if (expected !== undefined && expected !== records) {
        throw new Error(`it has ${counted(records, 'record')}, but says that it has ${expected}`);
      }
      if (batch.length > 0) yield batch;
    } catch (error) {
      if (error instanceof DossierError) throw error;
      const { message } = error as Error;
      throw unreadable(
        `${file} is damaged or not an ABN Bulk Extract (after ${counted(records, 'record')}, byte ${bytesRead}): ${message}`,
        { cause: error },
      );
    }
  }
  return { kind: 'abn', file, facts, batches: batches(), share: () => share(bytesRead) };
}
