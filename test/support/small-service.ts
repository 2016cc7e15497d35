import { setTimeout as delay } from 'node:timers/promises';
import { type HostileServer, openHostileServer, type Reaction } from './hostile-server.ts';

export interface SmallService extends HostileServer {
  /** Address and key of the service, for the environment of a command. */
  readonly env: Record<string, string>;
  /** Waits until this many requests have arrived. */
  untilSeen(requests: number): Promise<void>;
}

/** A company that carries the domain it is asked for. */
function companyOf(domain: string) {
  return { id: `c_${domain}`, name: `Company of ${domain}`, fqdn: domain, linkedin: 'page' };
}

/**
 * A service in this process, so that a test can count requests and delay answers. It has a company
 * for every domain that does not begin with `unknown`.
 */
export async function openSmallService(
  special: (
    path: string,
    index: number,
  ) => Reaction | undefined | Promise<Reaction | undefined> = () => undefined,
): Promise<SmallService> {
  const server = await openHostileServer(async ({ method, path }, index) => {
    const reaction = await special(path, index);
    if (reaction) return reaction;
    if (method === 'POST') return { body: JSON.stringify([{ person_id: 'p_1', position: 'CEO' }]) };
    const domain = new URL(path, 'http://localhost').searchParams.get('fqdn') ?? '';
    if (domain === '' || domain.startsWith('unknown')) {
      return { status: 404, body: '{"error":404,"message":"Company not found"}' };
    }
    return { body: JSON.stringify(companyOf(domain)) };
  });
  return {
    ...server,
    env: { DOSSIER_URL: server.url, DOSSIER_API_KEY: 'k_test' },
    async untilSeen(requests) {
      while (server.seen.length < requests) await delay(10);
    },
  };
}
