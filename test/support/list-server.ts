import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ListServer extends AsyncDisposable {
  readonly url: string;
  /** What is served, by path; it can be changed at any time. */
  readonly lists: Map<string, { readonly bytes: string | Buffer; readonly etag?: string }>;
  /** Paths of lists that were sent, with their queries, and of those that were said to be unchanged. */
  readonly sent: string[];
  readonly unchanged: string[];
}

/** Serves lists on loopback as the web does: with ETags, heeding conditions. */
export async function openListServer(
  served: Readonly<Record<string, string | Buffer>>,
): Promise<ListServer> {
  const lists: ListServer['lists'] = new Map(
    Object.entries(served).map(([path, bytes]) => [path, { bytes, etag: '"1"' }]),
  );
  const [sent, unchanged]: string[][] = [[], []];
  const server = createServer((request, response) => {
    const asked = request.url ?? '';
    const found = lists.get(new URL(asked, 'http://host').pathname);
    if (!found) return void response.writeHead(404).end();
    const { bytes, etag } = found;
    if (etag !== undefined && request.headers['if-none-match'] === etag) {
      unchanged?.push(asked);
      return void response.writeHead(304, { etag }).end();
    }
    sent?.push(asked);
    return void response
      .writeHead(200, { 'content-length': Buffer.byteLength(bytes), ...(etag && { etag }) })
      .end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    ...{ lists, sent: sent ?? [], unchanged: unchanged ?? [] },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
