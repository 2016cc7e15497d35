import { openThread, type Served, siblingModule } from '../../../core/runtime/thread/thread.ts';
import type { TableVerbs } from './serve-tables.ts';

/** Answers requests for rows from a thread of its own. */
export interface TableDesk extends AsyncDisposable {
  /** Starts the thread, so that the first request does not wait for it. */
  begin(): void;
  ask: Served<TableVerbs>['ask'];
}

export function openTableDesk(): TableDesk {
  let opened: ReturnType<typeof open> | undefined;
  return {
    begin() {
      opened ??= open();
      // Whoever asks hears of it.
      opened.catch(() => {});
    },
    async ask(verb, request) {
      opened ??= open();
      const { served, hasEnded } = await opened;
      try {
        return await served.ask(verb, request);
      } catch (error) {
        // The next request gets another thread.
        if (hasEnded()) opened = undefined;
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      const desk = await opened?.catch(() => undefined);
      await desk?.served.ask('close', null).catch(() => {});
      await desk?.thread[Symbol.asyncDispose]();
    },
  };
}

async function open() {
  const thread = openThread();
  const served = await thread.open<TableVerbs>(siblingModule(import.meta.url, 'serve-tables'), {});
  return { thread, served, hasEnded: () => thread.hasEnded() };
}
