import type { Environment } from '../file/expand-variables.ts';
import type { ResolvedPlace } from './resolved-place.ts';

/** A place as people may see it: of a database the host and its name, and nothing that opens it. */
export function shownPlace(place: ResolvedPlace, env: Environment): string {
  if (place.kind !== 'postgres') return place.path;
  return shownDatabase(addressOf(place, env), place.schema);
}

export function shownDatabase(address: URL | undefined, schema: string): string {
  if (!address) return `PostgreSQL, schema ${schema}`;
  const { host, pathname, searchParams } = address;
  return `postgres://${host || searchParams.get('host') || ''}${pathname}, schema ${schema}`;
}

function addressOf(place: ResolvedPlace & { kind: 'postgres' }, env: Environment): URL | undefined {
  try {
    return place.address.reveal(env);
  } catch {
    return undefined;
  }
}
