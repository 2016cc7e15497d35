import {
  type HostileServer,
  openHostileServer,
  type Reaction,
} from '../../support/hostile-server.ts';

/** Who works at a company: positions by the ids of people. */
export type Staff = Readonly<Record<string, string>>;

export interface Company {
  readonly id: string;
  readonly name: string;
  readonly staff: Staff;
}

/** What the service knows, by domain. */
export type Truth = ReadonlyMap<string, Company>;

/** What befalls the service on a night. */
export type Mood =
  | 'well'
  /** It fails every request. */
  | 'down'
  /** It refuses the key. */
  | 'key revoked'
  /** It has lost its data, and answers as if nobody had ever been there. */
  | 'emptied'
  /** It fails for some domains. */
  | { readonly fails: ReadonlySet<string> };

/** A request and what became of it. */
export interface Asked {
  readonly operation: 'company' | 'people';
  /** The domain, or the id of the company. */
  readonly about: string;
  readonly outcome: 'answered' | 'failed' | 'refused';
  /** What was answered: a company or the people of one; null for a miss. */
  readonly company: Company | null;
}

export interface NightService extends Pick<HostileServer, 'url'>, AsyncDisposable {
  /** Requests since the last night began. */
  readonly asked: readonly Asked[];
  begin(truth: Truth, mood: Mood, delayMs?: number): void;
}

/** A service on loopback whose data and health a test sets anew for each night. */
export async function openNightService(): Promise<NightService> {
  let truth: Truth = new Map();
  let mood: Mood = 'well';
  let delayMs = 0;
  let asked: Asked[] = [];

  const server = await openHostileServer(({ method, path, body }) => {
    const isSearch = method === 'POST';
    const about = isSearch
      ? (JSON.parse(body) as { companyId: string }).companyId
      : (new URL(path, 'http://localhost').searchParams.get('fqdn') ?? '');
    const operation = isSearch ? 'people' : 'company';
    const note = (outcome: Asked['outcome'], company: Company | null = null) =>
      void asked.push({ operation, about, outcome, company });
    if (mood === 'key revoked') {
      note('refused');
      return { status: 401, body: '{"error":401,"message":"Invalid key"}' };
    }
    if (mood === 'down' || (typeof mood === 'object' && mood.fails.has(about))) {
      note('failed');
      return { status: 500, body: '{"error":500,"message":"Internal error"}' };
    }
    const known: Truth = mood === 'emptied' ? new Map() : truth;
    const company = isSearch
      ? ([...known.values()].find(({ id }) => id === about) ?? null)
      : (known.get(about) ?? null);
    note('answered', company);
    return { ...(isSearch ? peopleOf(company) : companyOf(about, company)), delayMs };
  });
  return {
    url: server.url,
    get asked() {
      return asked;
    },
    begin(known, how, slowly = 0) {
      truth = known;
      mood = how;
      delayMs = slowly;
      asked = [];
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function companyOf(domain: string, company: Company | null): Reaction {
  if (!company) return { status: 404, body: '{"error":404,"message":"Company not found"}' };
  return { body: JSON.stringify({ id: company.id, name: company.name, fqdn: domain }) };
}

function peopleOf(company: Company | null): Reaction {
  const records = Object.entries(company?.staff ?? {}).map(([person_id, position]) => ({
    ...{ person_id, position },
  }));
  return { body: JSON.stringify({ total: records.length, records }) };
}
