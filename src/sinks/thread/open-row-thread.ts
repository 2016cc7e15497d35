import type { RowRange } from '../../ledger/run-records.ts';
import { siblingModule } from '../../runtime/sibling-module.ts';
import type { SideThread } from '../../runtime/side-thread.ts';
import { unpackError } from '../../runtime/thread-error.ts';
import type { RunTally } from '../tally/run-tally.ts';
import type { RangeText } from './range-text.ts';
import type { FromRowThread, RowThreadData, ToRowThread } from './row-thread.ts';

export interface RowThread extends AsyncDisposable {
  /** The text of a range. Ranges are made one after the other, in the order of asking. */
  textOf(range: RowRange): Promise<RangeText>;
  /** What the rows of all its ranges come to. */
  tally(): Promise<RunTally>;
}

export function openRowThread(
  sideThread: SideThread,
  data: RowThreadData,
  onDamage: (answerId: number) => void,
): RowThread {
  const module = siblingModule(import.meta.url, 'row-thread');
  const { port, broken, closed } = sideThread.begin(module, data);
  const waiting: PromiseWithResolvers<Answer>[] = [];
  let brokenBy: unknown;
  const breakDown = (error: unknown) => {
    brokenBy ??= error;
    for (const { reject } of waiting.splice(0)) reject(brokenBy);
  };
  port.on('message', (answer: FromRowThread) => {
    const asked = waiting.shift();
    if ('failure' in answer) asked?.reject(unpackError(answer.failure));
    else asked?.resolve(answer);
  });
  void broken.then(breakDown);
  const ask = (message: ToRowThread): Promise<Answer> => {
    if (brokenBy !== undefined) return Promise.reject(brokenBy);
    const asked = Promise.withResolvers<Answer>();
    waiting.push(asked);
    port.postMessage(message);
    return asked.promise;
  };
  return {
    textOf: (range) => {
      const text = ask(range).then((answer) => {
        if (!('text' in answer)) throw unexpected();
        for (const answerId of answer.damaged) onDamage(answerId);
        return answer.text;
      });
      // Whoever asked may have failed meanwhile, and hears of its own failure first.
      text.catch(() => {});
      return text;
    },
    tally: async () => {
      const answer = await ask('tally');
      if (!('tally' in answer)) throw unexpected();
      return answer.tally;
    },
    [Symbol.asyncDispose]: async () => {
      // Not before it has closed the ledger: only the last who does so leaves one file behind.
      port.postMessage('close' satisfies ToRowThread);
      await closed;
    },
  };
}

type Answer = Exclude<FromRowThread, { failure: unknown }>;

function unexpected(): Error {
  return new Error('the thread of the export answered another question');
}
