import { parentPort } from 'node:worker_threads';
import { skipUnusedModules } from '../skip-unused-modules.ts';
import { packError, type ThreadRequest } from './thread.ts';

type Verbs = Readonly<Record<string, (request: never) => unknown>>;

const port = parentPort;
if (!port) throw new Error('this module runs in a thread');

// Module hooks of the main thread do not apply in this thread.
skipUnusedModules();

const services: Verbs[] = [
  {
    async open({ module, data }: { module: string; data: unknown }) {
      const { serve } = (await import(module)) as { serve(data: unknown): Verbs };
      return services.push(serve(data)) - 1;
    },
  },
];

port.on('message', async ({ id, service, verb, request }: ThreadRequest) => {
  try {
    const perform = services[service]?.[verb];
    if (!perform) throw new Error(`the thread has no verb ${verb}`);
    port.postMessage({ id, reply: await perform(request) });
  } catch (error) {
    port.postMessage({ id, error: packError(error) });
  }
});
