import { openThread, type Served, siblingModule } from '../../../core/runtime/thread/thread.ts';
import type { TableVerbs } from './serve-tables.ts';

/** The tables of runs, which a thread of its own reads. */
export type Tables = ReturnType<typeof openTables>;

export function openTables() {
  let opened = open();
  const ask: Served<TableVerbs>['ask'] = async (verb, request) => {
    const { thread } = await opened;
    // It may have run out of memory.
    if (thread.hasEnded()) opened = open();
    return await (await opened).served.ask(verb, request);
  };
  return {
    ask,
    async [Symbol.asyncDispose]() {
      const { thread, served } = await opened;
      await served.ask('close', null).catch(() => {});
      await thread[Symbol.asyncDispose]();
    },
  };
}

async function open() {
  const thread = openThread();
  const served = await thread.open<TableVerbs>(siblingModule(import.meta.url, 'serve-tables'), {});
  return { thread, served };
}
