import type Database from 'better-sqlite3';
import type { IdentifierKind } from '../core/contract/identifier-kinds.ts';
import { DossierError } from '../core/errors.ts';
import { foldName } from '../core/names/fold-name.ts';
import { keyOf } from '../core/rules/suppression.ts';
import { openGramWriter } from './name-grams.ts';
import { foldHash, readForgotten } from './register-file.ts';
import { nameKinds, type SourceEntity, type SourceKind, type SourcePart } from './sources.ts';

export interface LoadedPart {
  readonly source: SourceKind;
  readonly part: string;
  readonly file: string;
  readonly records: number;
  readonly entities: number;
  readonly names: number;
  /** Sole traders, unless they were asked for. */
  readonly individuals: number;
  readonly forgotten: number;
  /** Business names whose entity is not loaded. */
  readonly unknown: number;
}

type Value = string | number | null;

/** The sources of the old register that are not loaded again are kept. */
export function openRegisterWriter(db: Database.Database, oldPath: string | undefined) {
  if (oldPath !== undefined) attachOld(db, oldPath);
  const addSource = db.prepare<Value[]>(
    `insert into source (id, kind, part, file, extracted_at, loaded_at, entities, names)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const next = nextIds(db, oldPath);
  const { forgotten, hashOf } = readForgotten(db);
  const isForgotten = ({ kind, value }: SourceEntity) =>
    forgotten.size > 0 && forgotten.has(hashOf(keyOf({ kind: kind as IdentifierKind, value })));
  const insertFor = insertEntitiesIn(db, next);
  const written = new Set<string>();
  db.exec('begin');

  return {
    openSource(part: SourcePart, withIndividuals: boolean) {
      const source = next.source++;
      const grams = openGramWriter(db, source);
      const insert = insertFor(source, grams.add);
      const isKnown =
        part.kind === 'business'
          ? db.prepare<[string, string], 1>(
              `select 1 from entity where value = ? and kind = ? limit 1`,
            )
          : undefined;
      const counts = {
        records: 0,
        entities: 0,
        names: 0,
        individuals: 0,
        forgotten: 0,
        unknown: 0,
      };
      const reasonToSkip = (entity: SourceEntity) => {
        if (entity.isPerson && !withIndividuals) return 'individuals';
        if (isForgotten(entity)) return 'forgotten';
        return isKnown && !isKnown.get(entity.value, entity.kind) ? 'unknown' : undefined;
      };
      return {
        entities(batch: readonly SourceEntity[]) {
          for (const entity of batch) {
            counts.records += 1;
            const skipped = reasonToSkip(entity);
            const names = skipped ? 0 : insert(entity);
            if (skipped) counts[skipped] += 1;
            if (names > 0) counts.entities += 1;
            counts.names += names;
          }
          return counts.records;
        },
        end(): LoadedPart {
          grams.flush();
          const { kind, file, facts } = part;
          const key = `${kind} ${facts.part}`;
          if (written.has(key)) {
            throw new DossierError('USAGE', `${file} is a part that this load already has`);
          }
          written.add(key);
          addSource.run(
            ...[source, kind, facts.part, file, facts.extractedAt, new Date().toISOString()],
            ...[counts.entities, counts.names],
          );
          return { source: kind, part: facts.part, file, ...counts };
        },
      };
    },
    copyOthers(replacesBusiness: boolean) {
      if (oldPath !== undefined) {
        copyOld(
          db,
          (kind, part) =>
            !written.has(`${kind} ${part}`) && !(kind === 'business' && replacesBusiness),
        );
      }
      db.exec('create index entity_by_value on entity (value, kind)');
    },
    finish() {
      endLoad(db);
      if (oldPath !== undefined) db.exec('detach old');
    },
  };
}

function attachOld(db: Database.Database, oldPath: string) {
  db.prepare('attach ? as old').run(oldPath);
  db.exec(`
    delete from salt;
    insert into salt select * from old.salt;
    insert into forgotten select * from old.forgotten;`);
}

/** After those of the old register, because its rows keep their ids. */
function nextIds(db: Database.Database, oldPath: string | undefined) {
  const next = { source: 1, entity: 1, name: 1 };
  for (const table of ['source', 'entity', 'name'] as const) {
    if (oldPath === undefined) continue;
    const last = db.prepare<[], number>(`select coalesce(max(id), 0) from old.${table}`).pluck();
    next[table] += last.get() ?? 0;
  }
  return next;
}

/** The returned function gives the number of names; without one, an entity is left out. */
function insertEntitiesIn(db: Database.Database, next: { entity: number; name: number }) {
  const addEntity = db.prepare<Value[]>(
    `insert into entity values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const addName = db.prepare<Value[]>(`insert into name values (?, ?, ?, ?, ?)`);
  const addType = db.prepare<string[]>(`insert or ignore into entity_type values (?, ?)`);
  const types = new Set<string>();
  return (source: number, addGrams: (id: number, fold: string) => void) => {
    const addNames = (entity: number, names: SourceEntity['names']) => {
      const folds = new Set<string>();
      for (const [kind, text] of names) {
        const fold = foldName(text);
        // The same name twice, or a trading name that is the main name.
        if (fold === '' || folds.has(fold)) continue;
        folds.add(fold);
        addName.run(next.name, entity, nameKinds.indexOf(kind), foldHash(fold), text);
        addGrams(next.name++, fold);
      }
      return folds.size;
    };
    return (entity: SourceEntity): number => {
      const { kind, value, isActive, isPerson = false, type, state, postcode, gst, acn } = entity;
      const firstName = next.name;
      const names = addNames(next.entity, entity.names);
      if (names === 0) return 0;
      if (type && !types.has(type.code)) addType.run(type.code, type.words);
      if (type) types.add(type.code);
      addEntity.run(
        ...[next.entity++, source, kind, value, firstName],
        ...[isActive === undefined ? null : Number(isActive), Number(isPerson)],
        ...[type?.code ?? null, state ?? null, postcode ?? null, gst ?? null, acn ?? null],
      );
      return names;
    };
  };
}

function copyOld(db: Database.Database, isKept: (kind: string, part: string) => boolean) {
  const old = db
    .prepare<[], { id: number; kind: string; part: string }>('select * from old.source')
    .all();
  const kept = old.filter(({ kind, part }) => isKept(kind, part));
  const ids = JSON.stringify(kept.map(({ id }) => id));
  const among = 'in (select value from json_each(?))';
  db.prepare(`insert into source select * from old.source where id ${among}`).run(ids);
  db.prepare(`insert into entity select * from old.entity where source ${among}`).run(ids);
  db.prepare(`insert into gram select * from old.gram where source ${among}`).run(ids);
  db.prepare(
    `insert into name select name.* from old.entity join old.name
     on name.entity = entity.id where entity.source ${among}`,
  ).run(ids);
  db.exec('insert or ignore into entity_type select * from old.entity_type');
}

function endLoad(db: Database.Database) {
  // Their entity left the register, so they may be names of persons.
  const orphans = `from entity where source in (select id from source where kind = 'business')
    and not exists (select 1 from entity other where other.value = entity.value
      and other.kind = entity.kind and other.source <> entity.source)`;
  db.exec(`
    delete from name where id in (select first_name ${orphans});
    delete ${orphans};
    create index name_by_fold on name (fold);
    analyze main;
    commit;`);
}
