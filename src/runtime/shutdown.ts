const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Waits for the first SIGINT or SIGTERM. A second one leaves at once: whoever sends it has waited
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
 * The system keeps from process 1, which a command in a container is, every signal that nobody
 * listens to. So that `docker stop` ends a command that has nothing to save, somebody does.
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
