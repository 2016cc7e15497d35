import type { FacetName } from '../../../../workbench/api/rows.ts';
import { countryName, kindName, reasonName, statusNames } from '../../../parts/text/labels.ts';

/** What the value of a facet is called: `AU → Australia`, `not_found → Not found`. */
export function facetWords(name: FacetName, value: string, label: string): string {
  switch (name) {
    case 'status':
      return value in statusNames ? statusNames[value as keyof typeof statusNames] : label;
    case 'foundBy':
      return kindName(value);
    case 'country':
      return countryName(value);
    case 'reason':
      return reasonName(value);
    default:
      return label;
  }
}
