import type { CompanyCall } from '../contract/call.ts';
import type { CompanyIdentifiers, IdentifierField } from '../contract/company-identifiers.ts';
import { type IdentifierKind, identifierKinds } from '../contract/identifier-kinds.ts';
import { type Identifier, isReject } from '../identify/identifier.ts';
import { identifyCell, kindRules } from '../identify/identify-cell.ts';
import type { Match } from './outcomes.ts';

/** Bare values of a field, the most precise first: `shop.acme.com.au, acme.com.au`. */
export type ParsedIdentifiers = (field: IdentifierField) => readonly string[];

const reusedKinds = identifierKinds.filter((kind) => kindRules[kind].isReused);

/** `https://acme.com.au/ → acme.com.au` */
export function bareValue({ kind, value }: Identifier): string {
  return kindRules[kind].bare?.(value) ?? value;
}

/** Fields are parsed when they are needed, because most answers match without most of them. */
export function parseIdentifiers(
  companyId: string,
  identifiers: CompanyIdentifiers,
): ParsedIdentifiers {
  const parsed: Partial<Record<IdentifierField, readonly string[]>> = {};
  return (field) => {
    if (field === 'id') return [companyId];
    parsed[field] ??= readValues(identifiers[field], kindOf(field));
    return parsed[field];
  };
}

/** The first kind that it is compared with: `network → ln_slug`, `website → fqdn`. */
function kindOf(wanted: IdentifierField): IdentifierKind {
  const isOf = ({ field, aliasField }: (typeof kindRules)[IdentifierKind]) =>
    field === wanted || aliasField === wanted;
  return identifierKinds.find((kind) => isOf(kindRules[kind])) ?? 'id';
}

export function readValues(text: string, as: IdentifierKind): string[] {
  const result = identifyCell(text, as);
  return isReject(result) ? [] : [...(result.alternates ?? []), result].map(bareValue);
}

/** Other calls for which the same answer is valid. */
export function aliasCalls(
  company: ParsedIdentifiers,
  { identifier: asked, country }: CompanyCall,
): CompanyCall[] {
  const calls: CompanyCall[] = [];
  for (const kind of reusedKinds) {
    // The first alone: the answer for `shop.acme.com.au` must not be used for `acme.com.au`.
    const [value] = company(kindRules[kind].field);
    if (value === undefined || (kind === asked.kind && value === asked.value)) continue;
    calls.push({ operation: 'company', identifier: { kind, value }, country });
  }
  return calls;
}

/** Compares the answer with the question: the company may be renamed, bought or mixed up. */
export function matchCompany(identifier: Identifier, company: ParsedIdentifiers): Match {
  const { field, aliasField, ifDifferent = 'mismatch' } = kindRules[identifier.kind];
  const value = bareValue(identifier);
  const known = company(field);
  if (known[0] === value) return 'exact';
  const others = aliasField ? company(aliasField) : [];
  if (known.includes(value) || others.includes(value)) return 'alias';
  return known.length + others.length > 0 ? ifDifferent : 'unverified';
}
