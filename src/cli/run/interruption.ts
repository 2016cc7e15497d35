import type { CallRequest } from '../../contract/call.ts';
import { DossierError } from '../../errors.ts';
import type { RunObserver } from '../../run/run-parts.ts';
import { untilSignal } from '../../runtime/shutdown.ts';

export interface Interruption {
  /** Aborts at the first signal that ends a command. */
  readonly signal: AbortSignal;
  /** Hears which calls a second signal would cut off. */
  readonly onStop: NonNullable<RunObserver['onStop']>;
}

/** Calls that are cut off by a second signal, which ends the process at once. */
export type OnCutOff = (unanswered: readonly CallRequest[], exitCode: number) => void;

export function listenForSignals(onCutOff: OnCutOff): Interruption {
  const controller = new AbortController();
  let unanswered: () => readonly CallRequest[] = () => [];
  const first = untilSignal((_signal, exitCode) => onCutOff(unanswered(), exitCode));
  void first.then((signal) => {
    const code = signal === 'SIGINT' ? 'INTERRUPTED' : 'TERMINATED';
    controller.abort(new DossierError(code, `stopped by ${signal}; what was answered is saved`));
  });
  return {
    signal: controller.signal,
    onStop(waiting) {
      unanswered = waiting.unanswered;
    },
  };
}
