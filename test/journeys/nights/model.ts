import type { Asked, Company, Staff } from './service.ts';

/** A row of the list. */
export interface ListRow {
  readonly id: string;
  /** A domain, or something that is none. */
  readonly website: string;
  readonly note: string;
}

const isDomain = (website: string): boolean => website.includes('.');

/** In nights. Half a night more than whole ones, so that no answer expires while a run goes on. */
export const lives = { company: 10.5, miss: 3.5, people: 6.5, stale: 16.5 };
/** A first miss of a known company is looked up again after 20 hours. */
const unprovenLife = 20 / 24;
/** The match rate may fall by so many points. */
export const mostPoints = 18;

/** What was answered, and on which night. */
interface Known<Answer> {
  readonly night: number;
  readonly answer: Answer;
}

/** The answers that the ledger has to have. */
interface Answers {
  readonly companies: ReadonlyMap<string, Known<Company | null>>;
  readonly people: ReadonlyMap<string, Known<Staff>>;
  /** Companies that rows keep, since their misses are not proven. */
  readonly kept: ReadonlyMap<string, Known<Company | null>>;
}

/** What a file has to say of a row or of a person. */
export interface ShownRow {
  readonly row_number: string;
  readonly row_key: string;
  readonly status: 'matched' | 'not_found' | 'invalid' | 'failed' | 'open';
  readonly company_id: string;
  readonly company_name: string;
  readonly stale: string;
  /** Whether the last search of the company came to its end; empty without a company. */
  readonly people_complete: string;
  /** The night of the last difference; none of a row that is open. */
  readonly changed: number | undefined;
  readonly input_note: string;
  readonly input_website: string;
}

export interface ShownPerson {
  readonly company_id: string;
  readonly person_id: string;
  readonly position: string;
  readonly row_keys: string;
  /**
   * Undefined where it may be either: a run that was stopped may not have come to the fresh people of a company
   * that a new row has led to.
   */
  readonly stale: string | undefined;
  readonly changed: number | undefined;
}

interface Shown {
  readonly rows: readonly ShownRow[];
  readonly people: readonly ShownPerson[];
}

interface Result extends Shown {
  /** `op row_key person_id`, sorted. */
  readonly changes: readonly string[];
}

/** What a night came to. `stopped`: the run did not end. */
export interface NightResult extends Result {
  readonly end: 'published' | 'held' | 'stopped';
  readonly exitCode: 0 | 3 | 4 | undefined;
}

/**
 * What thirty nights have to come to, told from what the service was asked and has answered. It knows lists,
 * answers and their age, and nothing of runs, queues or tables.
 */
export function openModel() {
  let answers: Answers = { companies: new Map(), people: new Map(), kept: new Map() };
  /** What is known once somebody accepts the held result. */
  let accepted = answers;
  /** The answers that the last published result was made of. */
  let seen = answers.companies;
  let published: Result | undefined;
  let waiting: Result | undefined;

  /** Calls that a night has to make, as far as they are known before the first answer. */
  const dueCompanies = (list: readonly ListRow[], night: number) =>
    new Set(
      list
        .map(({ website }) => website)
        .filter((domain) => isDomain(domain) && !isFresh(answers, domain, night)),
    );

  /** The night of the last difference to what was published. What was held was never told to anybody. */
  const nightOfRow = (row: ShownRow, night: number) => {
    if (row.status === 'open') return undefined;
    const isLike = (other: ShownRow) => factsOfRow(other) === factsOfRow(row);
    return published?.rows.find(isLike)?.changed ?? night;
  };
  const nightOfPerson = (one: ShownPerson, night: number) => {
    const isLike = (other: ShownPerson) => factsOfPerson(other) === factsOfPerson(one);
    return published?.people.find(isLike)?.changed ?? night;
  };

  const resultOf = (
    list: readonly ListRow[],
    night: number,
    known: Answers,
    isEnded: boolean,
    keepsMisses: boolean,
  ) => {
    const rows = list.map((row, index) => showRow(row, index, night, known, isEnded, keepsMisses));
    const keys = new Set(published?.rows.map(({ row_key }) => row_key));
    const people = showPeople(rows, night, known).map((one) => {
      const isLedToAnew = one.row_keys.split('; ').some((key) => !keys.has(key));
      return isLedToAnew && !isEnded && one.stale === 'false' ? { ...one, stale: undefined } : one;
    });
    const dated = {
      rows: rows.map((row) => ({ ...row, changed: nightOfRow(row, night) })),
      people: people.map((one) => ({ ...one, changed: nightOfPerson(one, night) })),
    };
    return { ...dated, changes: published && isEnded ? changesSince(published, dated) : [] };
  };

  return {
    dueCompanies,

    /** Companies whose people have to be searched for, once the companies of the night are answered. */
    duePeople(list: readonly ListRow[], night: number, asked: readonly Asked[]): Set<string> {
      const known = learn(answers, asked.filter(isCompany), night);
      const found = list.flatMap(({ website }) => {
        const { answer } = known.companies.get(website) ?? {};
        return answer && isFresh(known, website, night) ? [answer.id] : [];
      });
      return new Set(found.filter((id) => !isYounger(known.people.get(id), night, lives.people)));
    },

    /** A run has ended, or was stopped before: what its files have to show. */
    end(
      list: readonly ListRow[],
      night: number,
      { asked, isStopped }: { readonly asked: readonly Asked[]; readonly isStopped: boolean },
    ): NightResult {
      const learnt = learn(answers, asked, night);
      if (isStopped) {
        answers = learnt;
        const result = resultOf(list, night, learnt, false, false);
        return { ...result, end: 'stopped', exitCode: undefined };
      }
      const { isVanished, first, settled } = judge(list, learnt, asked);
      const kept = new Map([...learnt.kept, ...first]);
      const proven = new Map([...kept].filter(([domain]) => !settled.has(domain)));
      const ended = { ...learnt, kept: proven };
      const result = resultOf(list, night, ended, true, !isVanished);
      if (isVanished || (published && rateOf(published) - rateOf(result) > mostPoints)) {
        waiting = result;
        answers = { ...learnt, kept };
        accepted = isVanished ? { ...learnt, kept: new Map() } : ended;
        return { ...result, end: 'held', exitCode: 4 };
      }
      published = result;
      waiting = undefined;
      answers = ended;
      seen = ended.companies;
      // A miss that is not proven is no failure.
      const hasFailed = result.rows.some(
        ({ status, stale, input_website: domain }) =>
          status === 'failed' || (stale === 'true' && !isFresh(ended, domain, night)),
      );
      return { ...result, end: 'published', exitCode: hasFailed ? 3 : 0 };
    },

    /** Somebody has accepted the result that was held. */
    accept(): void {
      published = waiting;
      waiting = undefined;
      answers = accepted;
      seen = accepted.companies;
    },
  };

  /** Known companies that were looked up: whether too many are gone, and what the misses prove. */
  function judge(list: readonly ListRow[], { companies }: Answers, asked: readonly Asked[]) {
    const lookups = asked.filter((one) => isCompany(one) && one.outcome === 'answered');
    const made = new Set(lookups.map(({ about }) => about));
    const hasFound = lookups.some(({ company }) => company !== null);
    const isMiss = (domain: string) => companies.get(domain)?.answer === null;
    const domains = [...new Set(list.map(({ website }) => website))].filter(isDomain);
    const counting = domains.filter((domain) => {
      const isNew =
        made.has(domain) || (isMiss(domain) && companies.get(domain) !== seen.get(domain));
      return isNew && seen.get(domain)?.answer;
    });
    const first = counting.flatMap((domain) => {
      const before = seen.get(domain);
      return before && isMiss(domain) ? [[domain, before] as const] : [];
    });
    const all = counting.length;
    const isVanished = all >= 10 ? 2 * first.length >= all : all >= 5 && first.length === all;
    const firstDomains = new Set(first.map(([domain]) => domain));
    const settled = domains.filter((domain) => {
      if (firstDomains.has(domain)) return false;
      return !isMiss(domain) || (made.has(domain) && hasFound);
    });
    return { isVanished, first, settled: new Set(settled) };
  }
}

const isCompany = ({ operation }: Asked) => operation === 'company';

function learn(known: Answers, asked: readonly Asked[], night: number): Answers {
  const companies = new Map(known.companies);
  const people = new Map(known.people);
  for (const one of asked) {
    if (one.outcome !== 'answered') continue;
    if (isCompany(one)) companies.set(one.about, { night, answer: one.company });
    else people.set(one.about, { night, answer: one.company?.staff ?? {} });
  }
  return { companies, people, kept: known.kept };
}

function isYounger(known: { night: number } | undefined, night: number, life: number): boolean {
  return known !== undefined && night - known.night < life;
}

function isFresh({ companies, kept }: Answers, domain: string, night: number): boolean {
  const known = companies.get(domain);
  const missLife = kept.has(domain) ? unprovenLife : lives.miss;
  return isYounger(known, night, known?.answer ? lives.company : missLife);
}

function showRow(
  { id, website, note }: ListRow,
  index: number,
  night: number,
  known: Answers,
  isEnded: boolean,
  keepsMisses: boolean,
): ShownRow {
  const newest = known.companies.get(website);
  const isAnswered = isFresh(known, website, night);
  const kept = newest?.answer === null ? known.kept.get(website) : undefined;
  const isKept = kept && (!isAnswered || (keepsMisses && isYounger(kept, night, lives.stale)));
  const shown = isKept ? kept : newest;
  const isStale = (isKept || !isAnswered) && isYounger(shown, night, lives.stale);
  const company = isStale || (isAnswered && !isKept) ? (shown?.answer ?? null) : undefined;
  const status = () => {
    if (!isDomain(website)) return 'invalid';
    if (company === undefined) return isEnded ? 'failed' : 'open';
    return company ? 'matched' : 'not_found';
  };
  const isSearched =
    company && (isStale || isYounger(known.people.get(company.id), night, lives.people));
  return {
    row_number: String(index + 1),
    row_key: id,
    status: status(),
    company_id: company?.id ?? '',
    company_name: company?.name ?? '',
    stale: String(isStale),
    people_complete: company ? String(isSearched) : '',
    changed: undefined,
    input_note: note,
    input_website: website,
  };
}

function showPeople(
  rows: readonly ShownRow[],
  night: number,
  { people }: Answers,
): readonly ShownPerson[] {
  const found = rows.filter(({ status }) => status === 'matched');
  return [...new Set(found.map(({ company_id }) => company_id))].flatMap((company_id) => {
    const known = people.get(company_id);
    if (!isYounger(known, night, lives.stale)) return [];
    const own = found.filter((row) => row.company_id === company_id);
    const isStale = !isYounger(known, night, lives.people) || own.every(hasStale);
    return Object.entries(known?.answer ?? {}).map(([person_id, position]) => ({
      ...{ company_id, person_id, position, stale: String(isStale), changed: undefined },
      row_keys: own.map(({ row_key }) => row_key).join('; '),
    }));
  });
}

const hasStale = ({ stale }: { stale: string | undefined }) => stale === 'true';

const factsOfRow = ({ row_number: _, stale: __, changed: ___, ...facts }: ShownRow) =>
  JSON.stringify(facts);
const factsOfPerson = ({ company_id, person_id, position }: ShownPerson) =>
  JSON.stringify([company_id, person_id, position]);
const nameOfPerson = ({ company_id, person_id }: ShownPerson) => `${company_id} ${person_id}`;

function changesSince(before: Shown, after: Shown): string[] {
  const earlier = new Map(before.rows.map((row) => [row.row_key, row]));
  const later = new Set(after.rows.map((row) => row.row_key));
  const ofRows = after.rows.flatMap((row) => {
    const op = opOf(earlier.get(row.row_key), row);
    return op ? [`${op} ${row.row_key} `] : [];
  });
  const removed = before.rows
    .filter(({ row_key }) => !later.has(row_key))
    .map(({ row_key }) => `row_removed ${row_key} `);
  return [...ofRows, ...removed, ...changesOfPeople(before, after)].sort();
}

function opOf(was: ShownRow | undefined, is: ShownRow): string | undefined {
  if (!was) return 'row_added';
  if (is.status === 'failed' || hasStale(is)) return undefined;
  const [had, has] = [was.status === 'matched', is.status === 'matched'];
  if (had !== has) return has ? 'company_found' : 'company_lost';
  if (was.status === 'failed') return undefined;
  if (was.company_id !== is.company_id) return 'company_replaced';
  const facts = ({ status, company_name, input_website }: ShownRow) =>
    // Of a row that asks for nothing, its cell is no fact about a company.
    `${status} ${company_name} ${isDomain(input_website) ? input_website : ''}`;
  return facts(was) === facts(is) ? undefined : 'company_changed';
}

/** Who has come and gone at companies that both results have. */
function changesOfPeople(before: Shown, after: Shown): string[] {
  const companiesIn = ({ rows }: Shown) =>
    new Set(rows.filter(({ status }) => status === 'matched').map(({ company_id }) => company_id));
  const [had, has] = [companiesIn(before), companiesIn(after)];
  const inBoth = ({ company_id }: ShownPerson) => had.has(company_id) && has.has(company_id);
  const firstKey = (company: string) =>
    after.rows.find((row) => row.status === 'matched' && row.company_id === company)?.row_key;
  const earlier = new Map(before.people.map((one) => [nameOfPerson(one), one]));
  const later = new Set(after.people.map(nameOfPerson));
  const line = (op: string, one: ShownPerson) =>
    `${op} ${firstKey(one.company_id)} ${one.person_id}`;
  const here = after.people.filter(inBoth).flatMap((one) => {
    if (hasStale(one)) return [];
    const was = earlier.get(nameOfPerson(one));
    if (!was) return [line('person_joined', one)];
    return was.position === one.position ? [] : [line('person_changed', one)];
  });
  const left = before.people.filter((one) => inBoth(one) && !later.has(nameOfPerson(one)));
  return [...here, ...left.map((one) => line('person_left', one))];
}

function rateOf({ rows }: Result): number {
  return (100 * rows.filter(({ status }) => status === 'matched').length) / rows.length;
}
