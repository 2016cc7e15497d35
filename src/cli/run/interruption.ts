import type { CallRequest } from '../../core/contract/call.ts';
import { DossierError } from '../../core/errors.ts';
import { untilSignal } from '../../core/runtime/shutdown.ts';
import type { RunObserver } from '../../run/run-parts.ts';

/** Calls that are cut off by a second signal, which ends the process at once. */
type OnCutOff = (unanswered: readonly CallRequest[], exitCode: number) => void;

/** `signal` aborts at the first signal that ends a command; `onStop` hears which calls a second one cuts off. */
export function listenForSignals(
  onCutOff: OnCutOff = () => {},
  left = 'what was answered is saved',
) {
  const controller = new AbortController();
  let unanswered: () => readonly CallRequest[] = () => [];
  const first = untilSignal((_signal, exitCode) => onCutOff(unanswered(), exitCode));
  void first.then((signal) => {
    const code = signal === 'SIGINT' ? 'INTERRUPTED' : 'TERMINATED';
    controller.abort(new DossierError(code, `stopped by ${signal}; ${left}`));
  });
  const onStop: NonNullable<RunObserver['onStop']> = (waiting) => {
    unanswered = waiting.unanswered;
  };
  return { signal: controller.signal, onStop };
}
