import { openHostileServer } from './hostile-server.ts';

export type ListServer = Awaited<ReturnType<typeof openListServer>>;

/** Serves lists on loopback, by path. They can be changed at any time. */
export async function openListServer(served: Readonly<Record<string, string | Buffer>>) {
  const lists = new Map(Object.entries(served));
  /** Paths of lists that were sent, with their queries. */
  const sent: string[] = [];
  const server = await openHostileServer(({ path }) => {
    const body = lists.get(new URL(path, 'http://host').pathname);
    if (body === undefined) return { status: 404 };
    sent.push(path);
    return { body };
  });
  return { ...server, lists, sent };
}
