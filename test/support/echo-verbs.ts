import { threadId } from 'node:worker_threads';

/** Verbs for a thread under test: `say` returns its argument together with the start data. */
export interface EchoVerbs {
  say(request: unknown): { request: unknown; data: unknown; threadId: number };
  reverse(bytes: Uint8Array): Uint8Array;
  fail(message: string): never;
  leave(request: undefined): void;
  breakDown(message: string): void;
}

export function serve(data: unknown): EchoVerbs {
  return {
    say: (request) => ({ request, data, threadId }),
    reverse: (bytes) => Uint8Array.from(bytes).reverse(),
    fail(message) {
      throw new Error(message);
    },
    leave: () => process.exit(0),
    breakDown(message) {
      setImmediate(() => {
        throw new Error(message);
      });
    },
  };
}
