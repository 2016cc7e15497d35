import { readAnswerJson } from '../../runtime/json/parse-json.ts';
import type { Bodies, BodyPlace } from '../calls/bodies.ts';

/** What an answer says; undefined where it is damaged or there is none. */
export type ReadJson = (stored: BodyPlace & { answerId: number | null }) => unknown;

/** `onDamage` hears of each answer whose bytes have changed. */
export function jsonReader(bodies: Bodies, onDamage: (answerId: number) => void): ReadJson {
  return (stored) => {
    const body = bodies.read(stored);
    if (body) return readAnswerJson(body);
    if (stored.answerId !== null) onDamage(stored.answerId);
    return undefined;
  };
}
