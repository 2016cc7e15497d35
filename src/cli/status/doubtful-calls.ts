import { styleText } from 'node:util';
import { type CallRequest, parseCall } from '../../contract/call.ts';
import { counted, shortened } from '../terminal/text.ts';

const indent = '      ';
/** Ten calls show what kind of calls they are; --json lists all of them. */
const callsShown = 10;

/** Lists the doubtful calls of a run, so that a user can compare them with the bill. */
export function doubtfulLines(
  start: string,
  requests: readonly string[],
  width: number,
  stream: NodeJS.WriteStream,
): string[] {
  if (requests.length === 0) return [];
  const calls = counted(requests.length, 'call', 'calls');
  const title = `${start}${calls} may have been charged without an answer:`;
  const more = requests.length - callsShown;
  return [
    styleText('yellow', title, { stream }),
    ...requests
      .slice(0, callsShown)
      .map(
        (request) => indent + shortened(describeCall(parseCall(request)), width - indent.length),
      ),
    ...(more > 0 ? [`${indent}and ${more.toLocaleString('en')} more; --json lists them all`] : []),
  ];
}

/** `company by fqdn acme.com.au in AU` */
export function describeCall(call: CallRequest): string {
  if (call.operation === 'company') {
    return `company by ${call.identifier.kind} ${call.identifier.value} in ${call.country}`;
  }
  const { companyId, selectedCountry, from, size, ...filters } = call.body;
  const wanted = Object.entries(filters).map(([name, value]) => `${name} ${value}`);
  const start = `people of company ${companyId} in ${selectedCountry}`;
  return [start, ...wanted, `${size} from ${from}`].join(', ');
}
