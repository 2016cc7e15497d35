import { posix } from 'node:path';
import { readXmlTags } from './xml-tags.ts';
import { readZipText, type ZipEntry } from './zip-directory.ts';

export interface WorkbookSheet {
  readonly name: string;
  readonly isVisible: boolean;
  /** Index among all sheets of the workbook, from 0. */
  readonly index: number;
  /** The file in the zip that holds the cells. */
  readonly part: ZipEntry;
}

const wholePart = Number.POSITIVE_INFINITY;

/** The sheets with cells, in the order of their tabs. A chart sheet has no cells. */
export function listSheets(zip: Buffer, parts: ReadonlyMap<string, ZipEntry>): WorkbookSheet[] {
  const workbook = workbookPart(zip, parts);
  if (!workbook) return [];
  const targets = readTargets(zip, parts, workbook.name);
  const sheets: WorkbookSheet[] = [];
  let index = 0;
  for (const { name: tag, attributes } of readXmlTags(readZipText(zip, workbook, wholePart))) {
    const name = attributes.get('name');
    const id = attributes.get('r:id') ?? idWithOtherPrefix(attributes);
    if (tag !== 'sheet' || !name || !id) continue;
    const target = targets.get(id);
    const part = parts.get(target?.path ?? '');
    const isVisible = (attributes.get('state') ?? 'visible') === 'visible';
    if (part && target?.type.endsWith('/worksheet')) sheets.push({ name, isVisible, index, part });
    index += 1;
  }
  return sheets;
}

/** The number formats of a workbook, by the index that a cell gives in its attribute `s`. */
export function listNumberFormats(
  zip: Buffer,
  parts: ReadonlyMap<string, ZipEntry>,
): readonly string[] {
  const workbook = workbookPart(zip, parts);
  const targets = workbook ? readTargets(zip, parts, workbook.name) : new Map();
  const styles = [...targets.values()].find(({ type }) => type.endsWith('/styles'));
  const part = parts.get(styles?.path ?? '');
  if (!part) return [];
  const codes = new Map<string, string>();
  const formats: string[] = [];
  let isCellFormat = false;
  for (const { name, attributes } of readXmlTags(readZipText(zip, part, wholePart))) {
    if (name === 'numFmt') {
      codes.set(attributes.get('numFmtId') ?? '', attributes.get('formatCode') ?? '');
    }
    // `xf` stands in two lists. Cells refer to cellXfs only; cellStyleXfs holds named styles.
    if (name === 'cellXfs' || name === 'cellStyleXfs') isCellFormat = name === 'cellXfs';
    if (name === 'cellStyles') isCellFormat = false;
    if (name === 'xf' && isCellFormat)
      formats.push(codes.get(attributes.get('numFmtId') ?? '') ?? '');
  }
  return formats;
}

/** Another part of the workbook that a part refers to. */
interface Target {
  readonly type: string;
  readonly path: string;
}

function workbookPart(zip: Buffer, parts: ReadonlyMap<string, ZipEntry>): ZipEntry | undefined {
  const targets = readTargets(zip, parts, '');
  const main = [...targets.values()].find(({ type }) => type.endsWith('/officeDocument'));
  return parts.get(main?.path ?? 'xl/workbook.xml');
}

/** The targets of the part called `name`, by the ids that the part uses for them. */
function readTargets(
  zip: Buffer,
  parts: ReadonlyMap<string, ZipEntry>,
  name: string,
): Map<string, Target> {
  const folder = posix.dirname(name);
  const list = parts.get(posix.join(folder, '_rels', `${posix.basename(name)}.rels`));
  const targets = new Map<string, Target>();
  if (!list) return targets;
  for (const { name: tag, attributes } of readXmlTags(readZipText(zip, list, wholePart))) {
    if (tag !== 'Relationship') continue;
    const target = attributes.get('Target') ?? '';
    // A target is absolute in the zip, or relative to the folder of the part.
    const path = target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
    targets.set(attributes.get('Id') ?? '', { type: attributes.get('Type') ?? '', path });
  }
  return targets;
}

/** Some programs declare another prefix than `r:` for the namespace of relationships. */
function idWithOtherPrefix(attributes: ReadonlyMap<string, string>): string | undefined {
  return [...attributes].find(
    ([key, value]) => key.endsWith(':id') && value.startsWith('rId'),
  )?.[1];
}
