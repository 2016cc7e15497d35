import type { MessagePort } from 'node:worker_threads';

/** A task that crashes its thread at the first message of the named kind. */
export function serve(port: MessagePort, at: string): void {
  port.on('message', ({ kind }: { kind: string }) => {
    if (kind === at) throw new Error('the task broke');
  });
}
