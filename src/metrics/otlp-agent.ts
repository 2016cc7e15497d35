import { readFileSync } from 'node:fs';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';

/**
 * Opens the sockets to a collector. The exporter cannot close its own, so a collector that never
 * ends its answer would keep the process alive. An agent of ours has to read the certificates, too.
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
