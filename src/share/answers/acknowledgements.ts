import type { CallOutcome } from '../../contract/call.ts';
import { isFull, isUnwilling } from '../redis/redis-trouble.ts';
import type { ShareAnswers } from './share-answers.ts';

/** Which answers this run has stored, so that Redis need not keep them for it. */
export interface Acknowledgements {
  /** An outcome that came from Redis. */
  expect(outcome: CallOutcome, call: string): void;
  /** The outcome is stored. */
  add(outcome: CallOutcome): void;
  /** Resolves when Redis knows of all. */
  flush(): Promise<void>;
}

interface AcknowledgementParts {
  readonly answers: Pick<ShareAnswers, 'acknowledge' | 'forget'>;
  /** Whether the worker of this process has yet to put the answer of a call into Redis. */
  isBeingKept(call: string): boolean;
}

/** What cannot be told yet is told again so much later. */
const againMs = 200;
/** So long Redis may be full for a moment; then what a run has stored gives way. */
const fullMs = 10_000;

/** Tells Redis of all answers of a commit at once. */
export function openAcknowledgements({
  answers,
  isBeingKept,
}: AcknowledgementParts): Acknowledgements {
  const calls = new WeakMap<CallOutcome, string>();
  let stored: string[] = [];
  let sent: Promise<void> = Promise.resolve();
  let isDue = false;
  let fullSinceMs: number | undefined;

  /** Without an acknowledgement an answer would stay until it expires, and keep room that others need. */
  const tell = async (told: readonly string[]) => {
    const isFullForLong = performance.now() - (fullSinceMs ?? Infinity) > fullMs;
    try {
      if (isFullForLong) await answers.forget(told);
      else await answers.acknowledge(told);
      fullSinceMs = undefined;
    } catch (error) {
      if (!isUnwilling(error)) return;
      if (isFull(error)) fullSinceMs ??= performance.now();
      stored.push(...told);
      sendLater();
    }
  };
  const send = () => {
    isDue = false;
    const { kept = [], told = [] } = Object.groupBy(stored, (call) =>
      isBeingKept(call) ? 'kept' : 'told',
    );
    stored = kept;
    if (kept.length > 0) sendLater();
    if (told.length > 0) sent = tell(told);
  };
  const sendLater = () => {
    if (isDue) return;
    isDue = true;
    setTimeout(send, againMs).unref();
  };
  return {
    expect: (outcome, call) => void calls.set(outcome, call),
    add(outcome) {
      const call = calls.get(outcome);
      if (call === undefined) return;
      stored.push(call);
      if (isDue) return;
      isDue = true;
      setImmediate(send);
    },
    async flush() {
      if (stored.length > 0) send();
      await sent;
    },
  };
}
