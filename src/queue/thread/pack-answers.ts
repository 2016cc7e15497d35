import type { CallOutcome } from '../../contract/call.ts';
import type { Answer } from '../run-queue.ts';

/** An answer whose body is given by its length in the stretch. */
type AnswerWithoutBody = Omit<Answer, 'outcome'> & {
  readonly outcome: Omit<CallOutcome, 'body'> & { readonly bodyLength?: number };
};

/**
 * Answers on their way to another thread, with all bodies in one stretch of memory. A copy of the bodies alone: a buffer as it came shares its
 * memory with others of the socket.
 */
export function packForThread(answers: readonly Answer[]) {
  const bodies: Buffer[] = [];
  const light = answers.map(({ outcome, ...answer }): AnswerWithoutBody => {
    if (!('body' in outcome)) return { ...answer, outcome };
    const { body, ...rest } = outcome;
    bodies.push(body);
    return { ...answer, outcome: { ...rest, bodyLength: body.length } };
  });
  const bytes = bodies.reduce((length, body) => length + body.length, 0);
  const memory = Buffer.allocUnsafeSlow(bytes);
  let start = 0;
  for (const body of bodies) {
    memory.set(body, start);
    start += body.length;
  }
  return { answers: light, bodies: memory.buffer };
}

/** Reads what `packForThread` has written. Bodies stay where they are. */
export function unpackInThread(
  answers: readonly AnswerWithoutBody[],
  bodies: ArrayBuffer,
): Answer[] {
  let start = 0;
  return answers.map(({ outcome, ...answer }) => {
    const { bodyLength, ...rest } = outcome;
    if (bodyLength === undefined) return { ...answer, outcome: rest as CallOutcome };
    const body = Buffer.from(bodies, start, bodyLength);
    start += bodyLength;
    return { ...answer, outcome: { ...rest, body } as CallOutcome };
  });
}
