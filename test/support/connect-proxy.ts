import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface ConnectProxy extends AsyncDisposable {
  readonly url: string;
  /** The hosts that a tunnel was asked for, and the headers with which. */
  readonly asked: readonly { readonly host: string; readonly headers: IncomingHttpHeaders }[];
}

/** A proxy whose tunnels all lead to one port of this machine, or that refuses them by a status. */
export async function openConnectProxy(
  answer: { readonly port: number } | { readonly status: number },
): Promise<ConnectProxy> {
  const asked: { host: string; headers: IncomingHttpHeaders }[] = [];
  const proxy = createServer();
  proxy.on('connect', ({ url: host = '', headers }, client: Socket) => {
    asked.push({ host, headers });
    client.on('error', () => client.destroy());
    if ('status' in answer) {
      client.end(`HTTP/1.1 ${answer.status} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const target = connect(answer.port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(target).pipe(client);
    });
    target.on('error', () => target.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
