import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

type Attributes = readonly { readonly key: string; readonly value: { stringValue?: string } }[];

interface NumberPoints {
  readonly dataPoints: readonly {
    readonly attributes: Attributes;
    readonly asDouble?: number;
    readonly asInt?: number | string;
  }[];
}

/** The parts of an export that tests look at. */
interface Export {
  readonly resourceMetrics: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeMetrics: readonly { readonly metrics: readonly Metric[] }[];
  }[];
}

interface Metric {
  readonly name: string;
  readonly sum?: NumberPoints;
  readonly gauge?: NumberPoints;
}

interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, string | undefined>>;
  readonly metrics: readonly Metric[];
}

export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly received: Received[];
  /** The value of a series in the last delivery. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

/** An OpenTelemetry collector on loopback that reads plain and compressed deliveries. */
export async function openCollector(status = 200): Promise<Collector> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const bytes = await buffer(request);
    const isPacked = request.headers['content-encoding'] === 'gzip';
    const body = JSON.parse(String(isPacked ? gunzipSync(bytes) : bytes)) as Export;
    for (const { resource, scopeMetrics } of body.resourceMetrics) {
      received.push({
        path: request.url ?? '',
        headers: request.headers,
        resource: flat(resource.attributes),
        metrics: scopeMetrics.flatMap(({ metrics }) => metrics),
      });
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    value(name, labels = {}) {
      const metric = received.at(-1)?.metrics.find((candidate) => candidate.name === name);
      const points = (metric?.sum ?? metric?.gauge)?.dataPoints ?? [];
      const point = points.find(({ attributes }) => {
        const given = flat(attributes);
        return Object.entries(labels).every(([label, value]) => given[label] === value);
      });
      return point && (point.asDouble ?? Number(point.asInt));
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function flat(attributes: Attributes): Record<string, string | undefined> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
}
