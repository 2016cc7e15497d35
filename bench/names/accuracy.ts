import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quickRandomFor } from '../../fixtures/generate/random.ts';
import { disturbed } from '../../fixtures/generate/register/disturb-name.ts';
import {
  bulkEnd,
  bulkHead,
  bulkRecord,
  type RegisterEntity,
  registerEntities,
} from '../../fixtures/generate/register/register-entities.ts';
import { foldName } from '../../src/core/names/fold-name.ts';
import { loadRegister } from '../../src/register/load-register.ts';
import { openRegister } from '../../src/register/open-register.ts';
import { kindsOfDisturbance } from './list-of-names.ts';

/** One name in ten is of a company that the register lacks, although it has lookalikes of it. */
const missingShare = 0.1;

export interface Wrong {
  readonly how: string;
  readonly asked: string;
  readonly meant: string;
  readonly took: string;
}

/** Names with known truth, disturbed as people disturb them, in a register full of lookalikes. */
export async function measureAccuracy(folder: string, entityCount: number, questions: number) {
  const random = quickRandomFor('accuracy');
  const all = [...registerEntities(entityCount, { topic: 'accuracy', individuals: 0.1 })];
  const companies = all.filter(({ type, isActive }) => type !== 'IND' && isActive);
  const meant = Array.from({ length: questions }, () => random.pick(companies));
  const missing = new Set(meant.filter(() => random.chance(missingShare)));
  const loaded = all.filter((entity) => !missing.has(entity));
  const file = join(folder, 'accuracy.xml');
  writeFileSync(file, [bulkHead(1, loaded.length), ...loaded.map(bulkRecord), bulkEnd].join(''));
  const path = join(folder, 'accuracy.db');
  await loadRegister(path, [file], {});
  using register = openRegister(path);
  const folds = new Set(
    loaded.flatMap(({ name, others }) => [name, ...others.map(([, text]) => text)].map(foldName)),
  );

  const counts = new Map<
    string,
    Record<'asked' | 'right' | 'wrong' | 'suggested' | 'missed', number>
  >();
  const wrong: Wrong[] = [];
  const askAbout = (entity: RegisterEntity) => {
    const { name, state, postcode, abn } = entity;
    const how = random.weighted(kindsOfDisturbance);
    const asked = disturbed(name, how, random);
    // `Acme Group` without its `Group` is the name of another company, and not disturbed any more.
    if (how !== 'spelling' && folds.has(foldName(asked))) return;
    const isMissing = missing.has(entity);
    const kind = isMissing ? `not in the register, ${how}` : how;
    const count = counts.get(kind) ?? { asked: 0, right: 0, wrong: 0, suggested: 0, missed: 0 };
    counts.set(kind, count);
    count.asked += 1;
    const place = {
      state: random.chance(0.6) ? state : undefined,
      postcode: random.chance(0.3) ? postcode : undefined,
    };
    const result = register.resolve(asked, place);
    if ('chosen' in result) {
      const [taken] = result.chosen;
      if (taken?.value === abn) count.right += 1;
      else {
        count.wrong += 1;
        wrong.push({ how: kind, asked, meant: name, took: taken?.foundName ?? '' });
      }
      return;
    }
    const first = register.suggest(asked, place).slice(0, 3);
    if (first.some(({ value }) => value === abn)) count.suggested += 1;
    else count.missed += 1;
  };
  for (const entity of meant) askAbout(entity);
  return { counts, wrong };
}
