import type { IdentifierKind } from '../contract/identifier-kinds.ts';
import type { Key, KeyColumn } from './company-keys.ts';

/** Hosts, slugs and numbers that are clean already. Short ones only, so that no limit applies. */
const word = '[a-z0-9]{1,40}(?:-[a-z0-9]{1,40}){0,8}';
const host = `(?!www\\d*\\.)(?:${word}\\.){1,3}[a-z]{2,10}`;
/** The number of a page is cleaned of zeros in front. */
const slug = `(?!0\\d)${word}`;

const plain: Record<IdentifierKind, { column: KeyColumn; pattern: RegExp }> = {
  id: { column: 'id', pattern: /^(\w+)$/ },
  abn: { column: 'abn', pattern: /^(\d{11})$/ },
  fqdn: { column: 'fqdn', pattern: new RegExp(`^(${host})$`) },
  website: { column: 'website', pattern: new RegExp(`^https?://(?:www\\.)?(${host})/?$`) },
  ln_slug: { column: 'network', pattern: new RegExp(`^(${slug})$`) },
  ln_url: {
    column: 'network',
    pattern: new RegExp(`^https://www\\.linkedin\\.com/company/(${slug})/?$`),
  },
};

const plainLength = 60;

/**
 * Where to look first when an identifier is spelled as Dossier itself spells it, which is nearly
 * always: it is what `lookupKeys` would begin with, at a tenth of its cost. Undefined when the text
 * has to be cleaned first.
 */
export function plainKey(kind: IdentifierKind, text: string): Key | undefined {
  if (text.length > plainLength) return undefined;
  const { column, pattern } = plain[kind];
  const value = pattern.exec(text)?.[1];
  return value === undefined ? undefined : { column, value };
}
