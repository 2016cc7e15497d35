import { readFileSync } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

/**
 * The sockets to a collector. The exporter's own cannot be closed, and a collector that never ends
 * its answer would keep the process alive. So certificates are ours to read as well.
 */
export function openAgent(
  protocol: string,
  env: Readonly<Record<string, string | undefined>>,
): HttpAgent {
  if (protocol === 'http:') return new HttpAgent({ keepAlive: true });
  const read = (file: string) => {
    const path = env[`OTEL_EXPORTER_OTLP_METRICS_${file}`] || env[`OTEL_EXPORTER_OTLP_${file}`];
    return path ? readFileSync(path) : undefined;
  };
  return new HttpsAgent({
    keepAlive: true,
    ca: read('CERTIFICATE'),
    cert: read('CLIENT_CERTIFICATE'),
    key: read('CLIENT_KEY'),
  });
}
