import { type MessagePort, threadId } from 'node:worker_threads';

/** A task for a thread: it repeats every message, with its start data and its thread. */
export function serve(port: MessagePort, data: unknown): void {
  port.on('message', (message: unknown) => {
    switch (message) {
      case 'close':
        port.close();
        return;
      case 'leave':
        process.exit(0);
        return;
      default:
        port.postMessage({ message, data, threadId });
    }
  });
}
