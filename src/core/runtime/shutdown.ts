/** The signals that end a command. A terminal that is closed sends SIGHUP, which is a SIGTERM to us. */
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const;

export type StopSignal = keyof typeof exitCodes;

const stopSignals = Object.keys(exitCodes) as StopSignal[];

/**
 * Waits for the first signal that ends a command. A second one leaves at once, since its sender has
 * waited long enough; `beforeLeaving` may still say what that costs.
 */
export function untilSignal(
  beforeLeaving: (signal: StopSignal, exitCode: number) => void = () => {},
): Promise<StopSignal> {
  return new Promise((resolve) => {
    let hasCome = false;
    const onSignal = (signal: StopSignal) => {
      if (hasCome) {
        beforeLeaving(signal, exitCodes[signal]);
        process.exit(exitCodes[signal]);
      }
      hasCome = true;
      resolve(signal);
    };
    for (const signal of stopSignals) process.on(signal, () => onSignal(signal));
  });
}

/**
 * The system keeps every signal without a listener from process 1, which a command in a container
 * is. This listener lets `docker stop` end a command that has nothing to save.
 */
export function heedSignalsAsFirstProcess(): void {
  if (process.pid !== 1) return;
  for (const signal of stopSignals) {
    process.on(signal, () => {
      // A command that listens itself knows better when to leave.
      if (process.listenerCount(signal) === 1) process.exit(exitCodes[signal]);
    });
  }
}
