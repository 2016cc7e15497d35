import { DossierError, type ErrorCode } from '../core/errors.ts';
import { withoutSecrets } from '../core/values/known-secrets.ts';

/**
 * Keys of `sentences` match a whole code, name, status or message. The first match wins.
 * `lock:55P03` matches the code 55P03 only during the step `lock`.
 */
type Rule = readonly [
  code: ErrorCode,
  sentences: Readonly<Record<string, string>>,
  again?: 'retry',
];

const tlsCode = 'EPROTO|ERR_SSL_\\w+';
const certificateCode = '\\w*(?:CERT|SIGNED|SIGNATURE|ISSUER|ALTNAME)\\w*';

const noText = {
  EACCES: 'cannot be read: permission denied',
  EISDIR: 'is a folder; a file is needed there',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'is not UTF-8 text; save it as UTF-8',
  '.*': 'cannot be read',
};

const rules = {
  file: [
    [
      'INPUT_UNREADABLE',
      {
        ENOENT: 'does not exist',
        EACCES: 'cannot be read: permission denied',
        '.*': 'cannot be read: {message}',
      },
    ],
  ],
  'job file': [
    [
      'JOB_INVALID',
      { ENOENT: 'does not exist; `dossier init` drafts a job from a list', ...noText },
    ],
  ],
  'settings file': [['JOB_INVALID', { ENOENT: 'does not exist', ...noText }]],
  output: [
    [
      'OUTPUT_TROUBLE',
      {
        ENOSPC: 'cannot be written: the disk is full',
        EDQUOT: 'cannot be written: the disk quota is used up',
        EFBIG: 'cannot be written: it would exceed the maximum file size',
        'EACCES|EPERM': 'cannot be written: permission denied',
        ENOENT: 'cannot be written: no files can be created there',
        EROFS: 'is on a read-only disk',
        EISDIR: 'is a folder; a file is needed there',
        ENOTDIR: 'has a file where a folder is needed',
        '[A-Z][A-Z0-9_]+': 'cannot be written: {message}',
      },
    ],
  ],
  port: [
    [
      'USAGE',
      {
        EADDRINUSE: 'is in use; stop the other program or choose another --port',
        EACCES: 'cannot be used: permission denied',
        'E[A-Z]+': 'cannot be used: {message}',
      },
    ],
  ],
  ledger: [
    [
      'LEDGER_BUSY',
      { 'SQLITE_BUSY.*': 'is locked by another program, so nothing can be written to it' },
      'retry',
    ],
    ['LEDGER_DAMAGED', { 'SQLITE_(?:NOTADB|CORRUPT).*': 'cannot be used: {message}' }],
    ['LEDGER_TROUBLE', { 'SQLITE_.*': 'cannot be used: {message}' }],
  ],
  web: [
    [
      'INPUT_REFUSED',
      {
        401: 'needs a user and password, or refused those in the URL (HTTP 401)',
        403: 'cannot be read (HTTP 403). If its URL is signed, the signature may have expired or may not allow a download',
        407: 'was not reached: the proxy needs a user and password, or refused them (HTTP 407)',
      },
    ],
    ['INPUT_UNREADABLE', { '404|410': 'does not exist (HTTP {status})' }],
    [
      'INPUT_DOWN',
      { '408|425|429|500|502|503|504': 'is unavailable at the moment (HTTP {status})' },
    ],
    [
      'INPUT_UNREADABLE',
      {
        '\\d{3}': 'returned no list (HTTP {status})',
        'certificate.*':
          'cannot be fetched: {reason}; to trust the certificates of your company, name their file in NODE_EXTRA_CA_CERTS',
      },
    ],
    ['INPUT_DOWN', { '.*': 'cannot be fetched: {reason}' }],
  ],
  s3: [
    [
      'STORE_REFUSED',
      {
        InvalidAccessKeyId: 'the store does not know the access key',
        SignatureDoesNotMatch: 'the secret key does not belong to the access key',
        InvalidToken: 'the session token is not valid',
        ExpiredToken: 'the session token has expired',
        RequestTimeTooSkewed:
          'the clock of this machine differs too much from the clock of the store',
        '\\w*(?:Credentials|TokenProvider)\\w*': 'no credentials were found{hint}',
      },
    ],
    [
      'BUCKET_MISSING',
      {
        NoSuchBucket: 'there is no such bucket',
        InvalidBucketName: 'this is not a valid bucket name',
        // A HEAD response names no error, only the status 301.
        'PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException|301':
          'the bucket is in another region',
        'Region is missing': 'no region is set for S3',
        '.*Deserialization error.*': '{store} does not respond like an object store',
      },
    ],
    [
      'STORE_DOWN',
      {
        SlowDown: 'the store keeps asking to slow down',
        PreconditionFailed: 'the object was replaced while it was being read',
      },
    ],
    ['STORE_REFUSED', { '401|403': 'these credentials lack permission for this request{named}' }],
    ['STORE_DOWN', { '5\\d\\d|429': '{store} responded with HTTP {status}{named}' }],
    ['STORE_REFUSED', { '\\d{3}': 'the store refused the request with HTTP {status}{named}' }],
    [
      'STORE_DOWN',
      {
        [tlsCode]:
          '{store} cannot be reached: answer is not TLS; should AWS_ENDPOINT_URL start with http, not https?',
      },
    ],
    ['STORE_DOWN', { network: '{store} cannot be reached: {reason}' }, 'retry'],
  ],
  redis: [
    [
      'SHARE_REFUSED',
      {
        '(?:WRONGPASS|ERR invalid password).*': 'refuses the user name or password: {message}',
        'NOAUTH.*': 'requires a password: {message}',
        // Redis 6, 7.0 and 7.2 word this error differently inside scripts.
        "(?:NOPERM|ERR The user executing the script can't|ERR ACL failure in script|.*\\bNOPERM this user has no permissions).*":
          'denies this user a required permission: {message}',
        'DENIED.*': 'accepts connections only from its own machine: {message}',
      },
    ],
    [
      'SHARE_DOWN',
      {
        '.*\\bOOM command not allowed.*':
          'is not accepting data because its memory is full: {message}',
        '.*\\b(?:LOADING|BUSY|MISCONF|MASTERDOWN|CLUSTERDOWN)\\b.*':
          'is not accepting data at the moment: {message}',
      },
      'retry',
    ],
    ['SHARE_DOWN', { 'ERR max number of clients.*': 'accepts no more connections: {message}' }],
    [
      'SHARE_UNFIT',
      { '.*\\bREADONLY\\b.*': 'is a replica, which cannot be written to: {message}' },
      'retry',
    ],
    [
      'SHARE_UNFIT',
      {
        'MOVED.*': 'is one node of a cluster: {message}',
        'ERR DB index is out of range.*': 'has no database with that number: {message}',
        ReplyError: 'says: {message}',
      },
    ],
  ],
  postgres: [
    [
      'WAREHOUSE_REFUSED',
      {
        '28P01|28000': 'refuses the user, the password or connections from this machine',
        'stage:42501':
          'does not allow this: {message}. Permission that the user needs: grant temporary on database {database}',
        'make tables:42501':
          'does not allow this: {message}. Permissions that the user needs: grant usage, create on schema {schema}, or grant create on database {database} if the schema does not exist. To add columns, the user must own the tables',
        'SASL: .*client password must be.*': 'requires a password, and the connection URL has none',
      },
    ],
    [
      'WAREHOUSE_REFUSED',
      {
        42501:
          'does not allow this: {message}. Permissions that the user needs: grant usage on schema {schema}, and grant select, insert, update, delete on all tables in schema {schema}',
      },
    ],
    [
      'WAREHOUSE_UNFIT',
      {
        '3D000': 'has no such database',
        '22P05':
          'has a database that is not encoded in UTF8, so it cannot store some text of the result',
        23502:
          'requires a value in the column {table}.{column}, which Dossier does not fill; allow null, or set a default',
        '54000|54001|54011': 'cannot store a record of the result: {message}',
        [certificateCode]:
          'has an untrusted certificate ({code}): name the file of its certificate authority with sslrootcert in the connection URL',
        'connect:(?:ENOENT|EACCES|EISDIR)':
          'cannot be reached: its socket, or a file named by sslrootcert, sslcert or sslkey in the connection URL, cannot be opened',
      },
    ],
    [
      'WAREHOUSE_DOWN',
      {
        25006: 'is read-only: it is a standby, or default_transaction_read_only is on for the user',
        53100: 'has no room left on its disk',
        53200: 'has no memory left',
        53400: 'reached a limit in its settings: {message}',
        57014:
          'cancelled the load: an operator cancelled it, or statement_timeout in the connection URL is too short',
      },
    ],
    [
      'OUTPUT_BUSY',
      {
        'lock:55P03': 'is busy: another process is loading the same job into the schema {schema}',
        '55P03': 'has another session that holds a lock on the tables in the schema {schema}',
        '40001|40P01': 'reports that another session changed the same records at the same time',
      },
    ],
    ['WAREHOUSE_DOWN', { 53300: 'accepts no more connections' }],
    // PostgreSQL codes contain a digit, unlike EPIPE.
    ['WAREHOUSE_DOWN', { '(?!57P|08)(?=\\D*\\d)[0-9A-Z]{5}': 'says: {message} ({code})' }],
    [
      'WAREHOUSE_DOWN',
      {
        'connect:.*': 'cannot be reached: {reason}',
        '.*': 'ended the connection ({reason})',
      },
    ],
  ],
} satisfies Record<string, readonly Rule[]>;

type System = keyof typeof rules;
type Facts = Readonly<Record<string, string | number | undefined>>;

const network = {
  'Proxy (?:response|Authentication Required) \\(407\\).*':
    'the proxy needs a user and password, or refused them (HTTP 407)',
  'Proxy response.*': 'the proxy refuses the connection (HTTP {proxyStatus})',
  ECONNREFUSED: 'connection refused',
  'ECONNRESET|EPIPE|UND_ERR_SOCKET|aborted': 'connection lost',
  'UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT': 'connection timed out',
  'UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|TimeoutError': 'no answer in time',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name could not be looked up',
  ENETUNREACH: 'network unreachable',
  EMFILE: 'too many open files; raise the limit (ulimit -n)',
  EHOSTUNREACH: 'host unreachable',
  '\\w*SELF_SIGNED_CERT.*': 'certificate not trusted: self-signed',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    'certificate not trusted: its issuer is unknown',
  CERT_HAS_EXPIRED: 'certificate expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate is for another host',
  [certificateCode]: 'certificate not trusted: {code}',
  // undici throws ERR_ASSERTION if a server upgrades a connection (101) uninvited.
  'HTTPParserError|ERR_ASSERTION|HPE_\\w+': 'answer is not HTTP',
  [tlsCode]: 'answer is not TLS; should the URL start with http, not https?',
  UND_ERR_PRX_CONN: 'connection to the proxy lost',
  UND_ERR_PRX_TLS: 'certificate of the proxy is for another host',
  UND_ERR_HEADERS_OVERFLOW: 'answer headers are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'answer cut short',
  Z_BUF_ERROR: 'compressed answer cut short',
  Z_DATA_ERROR: 'compressed answer damaged',
};

export function outsideFailure(
  system: System,
  subject: string,
  thrown: unknown,
  facts: Facts = {},
): DossierError | undefined {
  if (thrown instanceof DossierError) return thrown;
  const failure = readFailure(thrown, facts.step);
  const rule = findRule(system, failure.matchable);
  if (!rule) return undefined;
  const text = fill(`${subject} ${rule.sentence}`, { ...failure.facts, ...facts });
  // S3 errors contain the signed request, and PostgreSQL errors contain records.
  const isSecret = system === 's3' || system === 'postgres';
  const cause = isSecret ? new Error(withoutSecrets(failure.summary)) : thrown;
  return new DossierError(rule.code, withoutSecrets(text), { cause });
}

export function isWorthRetrying(system: System, thrown: unknown): boolean {
  return findRule(system, readFailure(thrown).matchable)?.again === 'retry';
}

/** `ECONNREFUSED → connection refused` */
export function describeFailure(error: unknown): string {
  return error instanceof Error ? readFailure(error).facts.reason : 'unknown failure';
}

interface Outside extends Partial<AggregateError> {
  readonly code?: unknown;
  readonly status?: number;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly table?: string;
  readonly column?: string;
}

function readFailure(thrown: unknown, step?: Facts[string]) {
  const error: Outside = (thrown instanceof AggregateError ? thrown.errors[0] : thrown) ?? {};
  const { name = '', message = '', $metadata, table, column } = error;
  const { status = $metadata?.httpStatusCode } = error;
  const code = codeOf(thrown);
  const labels = [code, name, status, step && `${step}:${code ?? ''}`]
    .filter((label) => label !== undefined)
    .map(String);
  const matchable = [...labels, message];
  const networkReason = findSentence(network, matchable);
  const proxyStatus = /\((\d{3})\)/.exec(message)?.[1];
  const reason = networkReason
    ? fill(networkReason, { code, proxyStatus })
    : (code ?? (message || name));
  if (networkReason) matchable.push('network', reason);
  const facts = { code, status, table, column, message: firstLine(message), reason };
  return { facts, matchable, summary: labels.join(' ') };
}

export function firstLine(text: string): string {
  return (text.split(/\p{Cc}/u, 1)[0] ?? '').trim().slice(0, 200);
}

function findRule(system: System, matchable: readonly string[]) {
  const rulesOfSystem: readonly Rule[] = rules[system];
  for (const [code, sentences, again] of rulesOfSystem) {
    const sentence = findSentence(sentences, matchable);
    if (sentence !== undefined) return { code, sentence, again };
  }
  return undefined;
}

function findSentence(sentences: Rule[1], matchable: readonly string[]) {
  const match = Object.entries(sentences).find(([key]) => {
    const pattern = new RegExp(`^(?:${key})$`, 's');
    return matchable.some((text) => pattern.test(text));
  });
  return match?.[1];
}

function fill(sentence: string, facts: Facts) {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(facts[name] ?? ''));
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Object)) return undefined;
  const { code, cause, errors = [cause] }: Outside = error;
  if (typeof code === 'string') return code;
  return errors.map(codeOf).find((inner) => inner !== undefined);
}
