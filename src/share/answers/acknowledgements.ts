import type { CallOutcome } from '../../contract/call.ts';
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

/** Tells Redis of all answers of a commit at once. */
export function openAcknowledgements(answers: Pick<ShareAnswers, 'acknowledge'>): Acknowledgements {
  const calls = new WeakMap<CallOutcome, string>();
  let stored: string[] = [];
  let sent: Promise<void> = Promise.resolve();
  const send = () => {
    const told = stored;
    stored = [];
    // An answer that is not acknowledged stays until it expires.
    sent = answers.acknowledge(told).catch(() => {});
  };
  return {
    expect: (outcome, call) => void calls.set(outcome, call),
    add(outcome) {
      const call = calls.get(outcome);
      if (call === undefined) return;
      if (stored.length === 0) setImmediate(send);
      stored.push(call);
    },
    async flush() {
      if (stored.length > 0) send();
      await sent;
    },
  };
}
