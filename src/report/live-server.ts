import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pageHeaders } from '../runtime/loopback/page-headers.ts';
import { outsideFailure } from '../runtime/outside-failures.ts';
import type { ReportData } from './data/report-data.ts';
import { renderReport } from './render-report.ts';

export interface LiveServer extends AsyncDisposable {
  readonly url: string;
  /** Whether a browser has ever opened the page. */
  wasSeen(): boolean;
  /** Sends the report to every open page, and to pages that are opened later. */
  publish(data: ReportData): void;
}

/** Serves the page of a report on this machine alone, and sends it the report of each moment. */
export async function startLiveServer(page: string, port = 0): Promise<LiveServer> {
  // Other users of this machine reach the port, too, but cannot guess the path.
  const path = `/${randomBytes(16).toString('base64url')}/`;
  const listeners = new Set<ServerResponse>();
  let newest: ReportData | null = null;
  let wasSeen = false;

  const server = createServer((request, response) => {
    const refusal = refuse(request);
    if (refusal) return answer(response, refusal, 'text/plain', '');
    if (request.url === path) {
      return answer(response, 200, 'text/html; charset=utf-8', renderReport(page, newest, true));
    }
    if (request.url !== `${path}events`) return answer(response, 404, 'text/plain', '');
    wasSeen = true;
    response.writeHead(200, { ...pageHeaders, 'Content-Type': 'text/event-stream' });
    response.write('retry: 1000\n\n');
    if (newest) response.write(eventOf('report', newest));
    listeners.add(response);
    response.on('close', () => listeners.delete(response));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(outsideFailure('port', `port ${port}`, error) ?? error));
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: found } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${found}${path}`,
    wasSeen: () => wasSeen,
    publish(data) {
      newest = data;
      for (const listener of listeners) {
        // A page that has not read the last report yet gets the next: nothing piles up for a frozen tab.
        if (!listener.writableNeedDrain) listener.write(eventOf('report', data));
      }
    },
    async [Symbol.asyncDispose]() {
      // Open pages keep the last report that was known.
      for (const listener of listeners) listener.end(newest ? eventOf('end', newest) : '');
      server.close();
      await untilDelivered([...listeners]);
      server.closeAllConnections();
    },
  };
}

/** Longer than a browser on this machine needs, shorter than anybody wants to wait. */
const deliveryMs = 1_000;

async function untilDelivered(listeners: readonly ServerResponse[]): Promise<void> {
  const closed = listeners.map(
    (listener) => new Promise<void>((resolve) => listener.once('close', () => resolve())),
  );
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, deliveryMs);
  });
  await Promise.race([Promise.all(closed), patience]);
  clearTimeout(timer);
}

const ownNames = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** A page elsewhere may have a name that leads to this machine; the name it calls us by tells. */
function refuse({ method, headers: { host = '' } }: IncomingMessage): number | undefined {
  if (!ownNames.has(host.replace(/:\d+$/, ''))) return 403;
  return method === 'GET' ? undefined : 405;
}

function answer(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { ...pageHeaders, 'Content-Type': type });
  response.end(text);
}

/** JSON has no line break, so that an event is one line. */
function eventOf(name: 'report' | 'end', data: ReportData): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
