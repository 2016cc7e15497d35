import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { quickRandomFor } from '../../fixtures/generate/random.ts';
import { type Disturbance, disturbed } from '../../fixtures/generate/register/disturb-name.ts';
import { registerEntities } from '../../fixtures/generate/register/register-entities.ts';

/** What people do to names, and how often. */
export const kindsOfDisturbance: readonly { weight: number; value: Disturbance }[] = [
  { weight: 55, value: 'spelling' },
  { weight: 15, value: 'letter' },
  { weight: 10, value: 'missing word' },
  { weight: 8, value: 'extra word' },
  { weight: 6, value: 'word order' },
  { weight: 6, value: 'spacing' },
];

/** Disturbed names of a register of so many records, most with their place. */
export async function writeListOfNames(path: string, records: number, rows: number) {
  const random = quickRandomFor('list of names');
  function* lines() {
    yield 'Company,State,Postcode\n';
    let written = 0;
    for (const { name, type, state, postcode } of registerEntities(records)) {
      if (type === 'IND' || !random.chance((2.2 * rows) / records)) continue;
      const text = disturbed(name, random.weighted(kindsOfDisturbance), random);
      const place = [random.chance(0.6) ? state : '', random.chance(0.3) ? postcode : ''];
      yield `${text},${place.join(',')}\n`;
      written += 1;
      if (written === rows) return;
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(path));
}
