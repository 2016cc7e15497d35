import { type CellResult, isReject } from '../../src/core/identify/identifier.ts';

/** A result in one short line, so that tables of cases stay readable: `fqdn acme.com`. */
export function outcome(result: CellResult): string {
  if (isReject(result)) return result.reject;
  const derived = result.derivedFrom ? ` from ${result.derivedFrom}` : '';
  const alternates = (result.alternates ?? []).map(({ value }) => ` or ${value}`).join('');
  return `${result.kind} ${result.value}${derived}${alternates}`;
}
