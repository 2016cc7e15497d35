const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 } as const;

export type StopSignal = keyof typeof exitCodes;

const stopSignals = Object.keys(exitCodes) as StopSignal[];

/** A second signal exits the process at once. */
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

/** Process 1 in a container ignores signals without a listener. */
export function heedSignalsAsFirstProcess(): void {
  if (process.pid !== 1) return;
  for (const signal of stopSignals) {
    process.on(signal, () => {
      // A command with its own listener decides when to exit.
      if (process.listenerCount(signal) === 1) process.exit(exitCodes[signal]);
    });
  }
}
