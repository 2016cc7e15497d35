import type { Country } from '../../contract/countries.ts';
import type { Identified } from '../../identify/identifier.ts';
import type { ValueVerdict } from '../../identify/judge-value.ts';
import type { CellVerdict } from '../api/mended.ts';

const countryNames = new Intl.DisplayNames('en', { type: 'region' });

/** What a value means, in a line: `57 961 803 396: ABN, check digits right`. */
export function meaningOf(
  value: string,
  verdict: ValueVerdict,
  byDefault: Country,
): Pick<CellVerdict, 'text' | 'fix'> {
  if ('reject' in verdict) {
    // A wrong value may be taken away where the row has another.
    if (value.trim() === '')
      return { text: 'Empty: the row is asked for by another cell.', fix: null };
    return { text: verdict.message, fix: verdict.fix };
  }
  if ('country' in verdict) {
    const { country } = verdict;
    const text = country
      ? `${country}: ${countryNames.of(country)}`
      : `Empty: the default applies, ${countryNames.of(byDefault)}`;
    return { text, fix: null };
  }
  return { text: identifiedText(verdict.identified), fix: null };
}

function identifiedText({ kind, value, derivedFrom }: Identified): string {
  if (derivedFrom === 'acn') return `ACN, check digits right: asked for as ABN ${grouped(value)}`;
  if (kind === 'abn') return `${grouped(value)}: ABN, check digits right`;
  return `${value}: ${kindWords[kind]}`;
}

const kindWords: Readonly<Record<Exclude<Identified['kind'], 'abn'>, string>> = {
  fqdn: 'domain',
  website: 'website',
  ln_slug: 'network page',
  ln_url: 'network address',
  id: 'id of the service',
};

/** `57961803396 → 57 961 803 396` */
function grouped(abn: string): string {
  return abn.replace(/^(\d{2})(\d{3})(\d{3})(\d{3})$/, '$1 $2 $3 $4');
}
