const notTls = 'answer is not TLS; does the address begin with http, not https?';

const sentences: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection lost',
  EPIPE: 'connection lost',
  UND_ERR_SOCKET: 'connection lost',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  ETIMEDOUT: 'no connection in time',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name could not be looked up',
  ENETUNREACH: 'network unreachable',
  EHOSTUNREACH: 'host unreachable',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate not trusted: self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate not trusted: self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate not trusted: its issuer is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate not trusted: its issuer is unknown',
  CERT_HAS_EXPIRED: 'certificate expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate is for another host',
  // Undici asserts that no server upgrades a connection (101) without being asked to.
  ERR_ASSERTION: 'answer is not HTTP',
  EPROTO: notTls,
  UND_ERR_PRX_CONN: 'connection to the proxy lost',
  UND_ERR_PRX_TLS: 'certificate of the proxy is for another host',
  UND_ERR_HEADERS_OVERFLOW: 'answer with too many headers',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'answer cut short',
  Z_BUF_ERROR: 'compressed answer cut short',
  Z_DATA_ERROR: 'compressed answer damaged',
};

/** A network error in a few words: `ECONNREFUSED → connection refused`. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown failure';
  const refusal = proxyRefusal.exec(error.message);
  if (refusal) return refusedByProxy(refusal[1] ?? '');
  const code = codeOf(error);
  if (error.name === 'HTTPParserError' || code?.startsWith('HPE_')) return 'answer is not HTTP';
  if (code?.startsWith('ERR_SSL_')) return notTls;
  if (code === undefined) return error.message === '' ? error.name : error.message;
  return sentences[code] ?? code;
}

/** How undici tells what a proxy answered instead of opening a tunnel, or of passing a request on. */
const proxyRefusal = /^Proxy (?:response|Authentication Required) \((\d{3})\)/;

function refusedByProxy(status: string): string {
  return status === '407'
    ? 'the proxy wants a user and a password, or others (HTTP 407)'
    : `the proxy refuses the connection (HTTP ${status})`;
}

/** The first error that has a code, along causes and the list that trying several addresses makes. */
function codeOf(error: Error): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === 'string') return code;
  const inner = error instanceof AggregateError ? error.errors : [error.cause];
  return inner
    .filter((cause) => cause instanceof Error)
    .map(codeOf)
    .find((found) => found !== undefined);
}
