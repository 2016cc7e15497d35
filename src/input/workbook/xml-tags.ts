export interface XmlTag {
  /** Name without a namespace prefix: `x:sheet → sheet`. */
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

const openTag =
  /<(?:[\w.-]+:)?(?<name>[A-Za-z][\w.-]*)(?<attributes>(?:\s+[\w.:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*\/?>/g;
const attribute = /(?<key>[\w.:-]+)\s*=\s*(?:"(?<double>[^"]*)"|'(?<single>[^']*)')/g;
const entity = /&(?:#x(?<hex>[0-9a-f]{1,6})|#(?<decimal>\d{1,7})|(?<name>amp|lt|gt|quot|apos));/gi;
const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/**
 * Yields the opening tags of an XML part of a workbook in order. The parts that are read here keep
 * all their facts in attributes, so text and nesting are ignored and no XML parser is needed.
 */
export function* readXmlTags(xml: string): Generator<XmlTag> {
  for (const { groups } of xml.matchAll(openTag)) {
    const attributes = new Map<string, string>();
    for (const found of (groups?.attributes ?? '').matchAll(attribute)) {
      const { key = '', double, single } = found.groups ?? {};
      attributes.set(key, decodeEntities(double ?? single ?? ''));
    }
    yield { name: groups?.name ?? '', attributes };
  }
}

function decodeEntities(text: string): string {
  return text.replaceAll(entity, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
