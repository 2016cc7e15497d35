import type { Database } from 'better-sqlite3';
import {
  chooseEntity,
  fitsForms,
  type NamedEntity,
  type Place,
} from '../core/names/choose-entity.ts';
import { compareFolds, differences } from '../core/names/compare-names.ts';
import { foldName, foldsIn, legalFormsIn } from '../core/names/fold-name.ts';
import type { RegisterEntity, RegisterSource } from '../core/names/row-register.ts';
import { gramsIn } from './name-grams.ts';
import { firstHash, foldHash, openRegisterFile, readForgotten } from './register-file.ts';
import { type NameKind, nameKinds, type SourceKind, sourceKinds } from './sources.ts';

/** What all sources together say about an identifier. The first source that knows a fact wins. */
export interface RegisterFacts extends Omit<RegisterEntity, 'status' | 'entityType'> {
  readonly kind: string;
  readonly value: string;
  readonly isActive: boolean;
  readonly isPerson: boolean;
  readonly type: string | null;
}

/** An entity as choosing needs it, and the name by which it was found. */
export interface FoundEntity extends NamedEntity {
  readonly kind: string;
  readonly foundName: string;
  readonly nameKind: NameKind;
}

export interface Suggestion extends RegisterFacts, FoundEntity {
  readonly why: string;
  /** From 0 to 100. */
  readonly score: number;
}

export type NameResult =
  /** One entity of each kind of identifier. */
  | { readonly chosen: readonly FoundEntity[] }
  | { readonly reject: 'name_not_found' | 'name_ambiguous' };

interface NameRow {
  readonly id: number;
  readonly text: string;
}

/** As stored: making an object of each row would take SQLite's binding a third of the time. */
type StoredFacts = readonly [
  source: number,
  isPerson: 0 | 1,
  name: string,
  isActive: 0 | 1 | null,
  type: string | null,
  state: string | null,
  postcode: string | null,
  gst: string | null,
  acn: string | null,
];
type StoredName = readonly [
  text: string,
  nameKind: number,
  kind: string,
  value: string,
  isActive: 0 | 1 | null,
  isPerson: 0 | 1,
  state: string | null,
  postcode: string | null,
];

interface Close {
  readonly id: number;
  readonly why: keyof typeof differences;
  readonly share: number;
}

/** The names of all loaded sources, and what these say about their entities. */
export interface Register {
  /** Undefined if no source knows the identifier. */
  find(kind: string, value: string): RegisterFacts | undefined;
  /** Only what a name certainly means. */
  resolve(name: string, place?: Place): NameResult;
  /** The best first. Close names are only ever suggested. */
  suggest(name: string, place?: Place, most?: number): Suggestion[];
  /** Each source once, with the newest date of its parts. */
  readonly sources: RegisterSource[];
  readonly parts: readonly (Omit<SourceRow, 'id'> & Omit<RegisterSource, 'extractedAt'>)[];
  /** Types of entity, in words. */
  readonly types: string[];
  [Symbol.dispose](): void;
}

export function openRegister(path: string): Register {
  const db = openRegisterFile(path);
  const sources = db
    .prepare<[], SourceRow>(`
      select id, kind, part, file, extracted_at as extractedAt, loaded_at as loadedAt, entities, names
      from source order by kind, part`)
    .all();
  const types = new Map(
    db.prepare<[], [string, string]>('select code, words from entity_type').raw().all(),
  );
  const find = findFactsIn(db, sources, types);
  const toEntity = describeNamesIn(sources, find);
  return {
    find,
    resolve: resolveNamesIn(db, toEntity),
    suggest: suggestNamesIn(db, toEntity, find),
    sources: listSources(sources),
    parts: sources.map(({ id: _, ...source }) => ({ ...source, ...sourceKinds[source.kind] })),
    types: [...new Set(types.values())].sort(),
    [Symbol.dispose]: () => void db.close(),
  };
}

const selectNamed = `
  select name.text, name.kind, entity.kind, value, is_active, is_person, state, postcode
  from name join entity on entity.id = name.entity`;

function findFactsIn(
  db: Database,
  sources: readonly SourceRow[],
  types: ReadonlyMap<string, string>,
): Register['find'] {
  const kindOf = new Map(sources.map(({ id, kind }) => [id, kind]));
  const rankOf = (source: number) =>
    Object.keys(sourceKinds).indexOf(kindOf.get(source) ?? 'own') * 2 ** 32 + source;
  const select = db
    .prepare<[string, string], StoredFacts>(`
      select source, is_person, text, is_active, type, state, postcode, gst, acn
      from entity join name on name.id = first_name where value = ? and entity.kind = ?`)
    .raw();
  let last: RegisterFacts | undefined;
  return (kind, value) => {
    // A name is chosen, and then its entity described.
    if (last?.value === value && last.kind === kind) return last;
    const rows = select.all(value, kind);
    rows.sort(([one], [other]) => rankOf(one) - rankOf(other));
    const [first, ...others] = rows;
    if (!first) return undefined;
    const known = others.reduce<readonly (string | number | null)[]>(
      (facts, other) => facts.map((fact, at) => fact ?? other[at] ?? null),
      first,
    ) as StoredFacts;
    const [, isPerson, name, isActive, type, state, postcode, gst, acn] = known;
    last = {
      kind,
      value,
      name,
      state,
      postcode,
      gst,
      acn,
      type: types.get(type ?? '') ?? null,
      isActive: isActive !== 0,
      isPerson: isPerson === 1,
    };
    return last;
  };
}

type ToEntity = (stored: StoredName) => FoundEntity;

function describeNamesIn(sources: readonly SourceRow[], find: Register['find']): ToEntity {
  /** Parts of one source know different entities, so its rows are complete. */
  const isOneSource = new Set(sources.map(({ kind }) => kind)).size < 2;
  return ([foundName, kindAt, kind, value, isActive, isPerson, state, postcode]) => {
    const nameKind = nameKinds[kindAt] ?? 'other';
    const isRegistered = nameKind === 'main' || nameKind === 'business';
    const found = { kind, value, foundName, nameKind, isRegistered };
    const known = isOneSource ? undefined : find(kind, value);
    if (known) return { ...known, ...found };
    return { ...found, isActive: isActive !== 0, isPerson: isPerson === 1, state, postcode };
  };
}

function resolveNamesIn(db: Database, toEntity: ToEntity): Register['resolve'] {
  const byFold = db.prepare<[number], StoredName>(`${selectNamed} where name.fold = ?`).raw();
  const byFirstWord = db
    .prepare<[number, number], [value: string, text: string]>(
      'select value, text from name join entity on entity.id = name.entity where fold between ? and ?',
    )
    .raw();
  const { forgotten, hashOf } = readForgotten(db);

  /** Entities with this fold among their names, each by its best name. */
  const exact = (fold: string): FoundEntity[] => {
    const rows = byFold.all(foldHash(fold)).filter(([foundName]) => foldName(foundName) === fold);
    if (rows.length < 2) return rows.map(toEntity);
    rows.sort(([, one], [, other]) => one - other);
    const best = new Map(rows.toReversed().map((row) => [`${row[2]} ${row[3]}`, row]));
    return [...best.values()].map(toEntity);
  };

  /** Whether the names of other entities begin with these words. */
  const isShared = (fold: string, named: readonly FoundEntity[]) => {
    const start = firstHash(fold);
    // The first one is the word itself.
    const longer = byFirstWord.iterate(start + 1, start + 2 ** 24 - 1);
    return Iterator.from(longer).some(([value, text]) => {
      const isOther = named.every((one) => one.value !== value);
      return isOther && foldName(text).startsWith(`${fold} `);
    });
  };

  return (name, place = {}) => {
    const [fold, ...others] = foldsIn(name);
    if (fold === undefined) return { reject: 'name_not_found' };
    const all = exact(fold);
    // `Acme Pty Ltd t/a Blue Gum` is the Acme that is also called Blue Gum.
    const also = new Set(others.flatMap((other) => exact(other).map(({ value }) => value)));
    const both = all.filter(({ value }) => also.has(value));
    const forms = legalFormsIn(name);
    const named = (both.length > 0 ? both : all).filter(({ foundName, nameKind }) =>
      fitsForms(forms, foundName, nameKind !== 'business' && nameKind !== 'trading'),
    );
    const choices = [...Map.groupBy(named, ({ kind }) => kind).values()].map((ofKind) =>
      chooseEntity(fold, ofKind, place, () => isShared(fold, ofKind)),
    );
    const chosen = choices.flatMap((choice) => ('chosen' in choice ? [choice.chosen] : []));
    // The name may mean the company that was forgotten.
    const isAlone = forgotten.size === 0 || !forgotten.has(hashOf(`name ${fold}`));
    if (chosen.length > 0 && isAlone) return { chosen };
    const isAmbiguous = choices.some((one) => 'chosen' in one || one.reject === 'name_ambiguous');
    return { reject: isAmbiguous ? 'name_ambiguous' : 'name_not_found' };
  };
}

/** Names compared for one question. */
const mostCompared = 60;
const leastAlike = 0.4;

function suggestNamesIn(
  db: Database,
  toEntity: ToEntity,
  find: Register['find'],
): Register['suggest'] {
  const byId = db.prepare<[number], StoredName>(`${selectNamed} where name.id = ?`).raw();
  const nameOf = db.prepare<[number], NameRow>('select id, text from name where id = ?');
  const idsByFold = db.prepare<[number], NameRow>('select id, text from name where fold = ?');
  const grams = gramsIn(db);
  const findClosest = (name: string) => {
    const closest = new Map<number, Close>();
    for (const fold of foldsIn(name)) {
      const similar = grams.similar(fold, mostCompared).flatMap((id) => nameOf.get(id) ?? []);
      for (const { id, text } of [...idsByFold.all(foldHash(fold)), ...similar]) {
        const compared = compareFolds(fold, foldName(text));
        if (compared.share < (closest.get(id)?.share ?? leastAlike)) continue;
        closest.set(id, { id, ...compared });
      }
    }
    const all = [...closest.values()].sort((one, other) => other.share - one.share);
    // Names that are only similar hide the others from a person who has to choose.
    const closer = all.filter(({ why }) => why !== 'similar');
    return closer.length > 0 ? closer : all;
  };
  return (name, place = {}, most = 5) => {
    const found = findClosest(name)
      .slice(0, most * 4)
      .flatMap(({ id, why, share }) => {
        const stored = byId.get(id);
        const entity = stored && toEntity(stored);
        return entity ? [{ ...entity, ...ranked(entity, why, share, place) }] : [];
      });
    found.sort((one, other) => other.score - one.score);
    // One entity may have several close names; its best one is the first.
    const best = Map.groupBy(found, ({ kind, value }) => `${kind} ${value}`).values();
    return [...best].slice(0, most).flatMap(([first]) => {
      const known = first && find(first.kind, first.value);
      return known ? [{ ...known, ...first }] : [];
    });
  };
}

interface SourceRow {
  readonly id: number;
  readonly kind: SourceKind;
  readonly part: string;
  readonly file: string;
  readonly extractedAt: string | null;
  readonly loadedAt: string;
  readonly entities: number;
  readonly names: number;
}

function listSources(parts: readonly SourceRow[]): RegisterSource[] {
  return [...Map.groupBy(parts, ({ kind }) => kind)].map(([kind, ofKind]) => {
    const dates = ofKind.flatMap(({ extractedAt }) => extractedAt ?? []);
    return { ...sourceKinds[kind], extractedAt: dates.sort().at(-1) ?? null };
  });
}

function ranked(
  entity: FoundEntity,
  why: keyof typeof differences,
  share: number,
  { state, postcode }: Place,
) {
  const reasons: string[] = [differences[why]];
  let score = share * 90;
  if (postcode !== undefined && entity.postcode === postcode) {
    reasons.push('same postcode');
    score += 10;
  } else if (state !== undefined && entity.state === state) {
    reasons.push('same state');
    score += 5;
  }
  if (!entity.isRegistered) {
    reasons.push(`${entity.nameKind} name`);
    score -= 5;
  }
  if (!entity.isActive) {
    reasons.push('cancelled');
    score -= 10;
  }
  if (entity.isPerson) {
    reasons.push('sole trader');
    score -= 10;
  }
  return { why: reasons.join(', '), score: Math.max(0, Math.round(score)) };
}
