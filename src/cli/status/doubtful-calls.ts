import { parseCall } from '../../contract/call.ts';

/**
 * A call as people speak of it:
 * `company?country=AU&fqdn=acme.com.au → company by fqdn acme.com.au in AU`.
 */
export function describeCall(request: string): string {
  const call = parseCall(request);
  if (call.operation === 'company') {
    return `company by ${call.identifier.kind} ${call.identifier.value} in ${call.country}`;
  }
  const { companyId, selectedCountry, from, size, ...filters } = call.body;
  const wanted = Object.entries(filters).map(([name, value]) => `${name} ${value}`);
  const start = `people of company ${companyId} in ${selectedCountry}`;
  return [start, ...wanted, `${size} from ${from}`].join(', ');
}
