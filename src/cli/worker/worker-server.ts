import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DossierError } from '../../errors.ts';

/** What a platform asks a worker. A reason means no. */
export interface WorkerProbes {
  /** Why the worker has to be started anew; undefined where it works. */
  illness(): string | undefined;
  /** Why it makes no calls at present; undefined where it does. */
  unreadiness(): string | undefined;
  metrics(): Promise<string>;
}

export interface WorkerServer extends AsyncDisposable {
  readonly url: string;
}

/** Answers `/healthz`, `/readyz` and `/metrics`. */
export async function startWorkerServer(
  probes: WorkerProbes,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<WorkerServer> {
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    if (method !== 'GET' && method !== 'HEAD') return answer(response, 405, 'GET only\n');
    switch (url.replace(/\?.*$/s, '')) {
      case '/healthz':
        return answerProbe(response, probes.illness());
      case '/readyz':
        return answerProbe(response, probes.unreadiness());
      case '/metrics':
        probes.metrics().then(
          (text) => answer(response, 200, text, 'text/plain; version=0.0.4; charset=utf-8'),
          () => answer(response, 500, 'the metrics cannot be told\n'),
        );
        return;
      default:
        answer(response, 404, 'There are /healthz, /readyz and /metrics.\n');
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(asTrouble(error, host, port)));
    server.listen(port, host, resolve);
  });
  const { port: found } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${found}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function asTrouble(error: NodeJS.ErrnoException, host: string, port: number): DossierError {
  if (error.code === 'EADDRINUSE') {
    return new DossierError('ADDRESS_IN_USE', `port ${port} of ${host} is taken`, { cause: error });
  }
  const message = `cannot bind ${host}:${port}: ${error.message}`;
  return new DossierError('ADDRESS_UNUSABLE', message, { cause: error });
}

function answerProbe(response: ServerResponse, reason: string | undefined): void {
  if (reason === undefined) answer(response, 200, 'ok\n');
  else answer(response, 503, `${reason}\n`);
}

function answer(
  response: ServerResponse,
  status: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' });
  response.end(text);
}
