import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ListServer extends AsyncDisposable {
  readonly url: string;
  /** What is served, by path; it can be changed at any time. */
  readonly lists: Map<string, string | Buffer>;
  /** Paths of lists that were sent, with their queries. */
  readonly sent: string[];
}

/** Serves lists on loopback. */
export async function openListServer(
  served: Readonly<Record<string, string | Buffer>>,
): Promise<ListServer> {
  const lists: ListServer['lists'] = new Map(Object.entries(served));
  const sent: string[] = [];
  const server = createServer((request, response) => {
    const asked = request.url ?? '';
    const bytes = lists.get(new URL(asked, 'http://host').pathname);
    if (bytes === undefined) return void response.writeHead(404).end();
    sent.push(asked);
    return void response.writeHead(200, { 'content-length': Buffer.byteLength(bytes) }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    lists,
    sent,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
