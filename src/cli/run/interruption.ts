import type { Call } from '../../core/contract/call.ts';
import { DossierError } from '../../core/errors.ts';
import { untilSignal } from '../../platform/shutdown.ts';
import type { RunObserver } from '../../run/run-parts.ts';

/** Called at a second signal, which ends the process without waiting for the unanswered calls. */
export function listenForSignals(
  onCutOff: (unanswered: readonly Call[], exitCode: number) => void = () => {},
  left = 'answers so far are saved',
) {
  const controller = new AbortController();
  let unanswered: () => readonly Call[] = () => [];
  const first = untilSignal((_signal, exitCode) => onCutOff(unanswered(), exitCode));
  void first.then((signal) => {
    const code = signal === 'SIGINT' ? 'INTERRUPTED' : 'TERMINATED';
    const by = signal === 'SIGINT' && process.stdin.isTTY ? 'Ctrl-C' : signal;
    controller.abort(new DossierError(code, `stopped by ${by}; ${left}`));
  });
  const onStop: NonNullable<RunObserver['onStop']> = (waiting) => {
    unanswered = waiting.unanswered;
  };
  return { signal: controller.signal, onStop };
}
