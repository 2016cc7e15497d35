const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Waits for the first SIGINT or SIGTERM. A second one leaves at once: its sender has waited
 * long enough, and nothing that was saved is lost.
 */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let hasCome = false;
    const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
      if (hasCome) process.exit(exitCodes[signal]);
      hasCome = true;
      resolve(signal);
    };
    process.on('SIGINT', () => onSignal('SIGINT'));
    process.on('SIGTERM', () => onSignal('SIGTERM'));
  });
}

/**
 * The system keeps every signal without a listener from process 1, which a command in a container
 * is. This listener lets `docker stop` end a command that has nothing to save.
 */
export function heedSignalsAsFirstProcess(): void {
  if (process.pid !== 1) return;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // A command that listens itself knows better when to leave.
      if (process.listenerCount(signal) === 1) process.exit(exitCodes[signal]);
    });
  }
}
