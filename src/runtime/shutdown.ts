/**
 * Waits for the first SIGINT or SIGTERM. A second one leaves at once: whoever sends it has waited
 * long enough, and nothing that was saved is lost.
 */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let hasCome = false;
    const onSignal = (signal: NodeJS.Signals) => {
      if (hasCome) process.exit(signal === 'SIGINT' ? 130 : 143);
      hasCome = true;
      resolve(signal);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}
