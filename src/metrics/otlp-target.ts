type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The address for OTLP: from the flag, else from the variables of OpenTelemetry, else undefined.
 * Throws for an address or a protocol that Dossier does not support.
 */
export function otlpTarget(flag: string | undefined, env: Environment): URL | undefined {
  if (flag !== undefined) return withPath(readUrl(flag, '--otlp'));
  const exporters = env.OTEL_METRICS_EXPORTER?.split(',').map((name) => name.trim());
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  if (exporters && !exporters.includes('otlp')) return undefined;

  const target = targetOf(env);
  const protocol = env.OTEL_EXPORTER_OTLP_METRICS_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (target && protocol === 'grpc') {
    throw new Error('OTEL_EXPORTER_OTLP_PROTOCOL asks for grpc; Dossier speaks http/json');
  }
  return target;
}

function targetOf(env: Environment): URL | undefined {
  const whole = env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT;
  if (whole) return readUrl(whole, 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT');
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return base ? withPath(readUrl(base, 'OTEL_EXPORTER_OTLP_ENDPOINT')) : undefined;
}

/** The message does not quote the address, which may hold a password. */
function readUrl(text: string, source: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new Error(`${source} takes the address of a collector like http://127.0.0.1:4318`);
}

function withPath(base: URL): URL {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/metrics`;
  return url;
}
