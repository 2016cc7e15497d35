import { DossierError, type ErrorCode } from '../errors.ts';
import { withoutSecrets } from './log/known-secrets.ts';

/**
 * When: exact codes, names or HTTP statuses, separated by `|`, or a pattern. The first match counts.
 * `lock:55P03` is a code during one step, `network` any failure of the way to the system.
 */
type Rule = readonly [
  when: string | RegExp,
  code: ErrorCode,
  sentence: string,
  /** The same request may succeed later. */
  again?: 'retry',
];

const tlsCode = /^(?:EPROTO|ERR_SSL_\w+)$/;
const certificateCode = /^\w*(?:CERT|SIGNED|SIGNATURE|ISSUER|ALTNAME)\w*$/;

/** Every failure of a system outside this process that we have words for. The remedy is that of the code. */
const rules = {
  file: [
    ['ENOENT', 'INPUT_UNREADABLE', 'does not exist'],
    ['EACCES', 'INPUT_UNREADABLE', 'may not be read by this user'],
    [/^/, 'INPUT_UNREADABLE', 'cannot be read: {said}'],
  ],
  'job file': [
    ['ENOENT', 'JOB_INVALID', 'does not exist; `dossier init` drafts a job from a list'],
    ['EACCES', 'JOB_INVALID', 'may not be read by this user'],
    ['EISDIR', 'JOB_INVALID', 'is a folder, not a job file'],
    ['ERR_ENCODING_INVALID_ENCODED_DATA', 'JOB_INVALID', 'is not UTF-8 text; save it as UTF-8'],
    [/^/, 'JOB_INVALID', 'cannot be read'],
  ],
  output: [
    ['ENOSPC', 'OUTPUT_TROUBLE', 'cannot be written: the disk is full'],
    ['EDQUOT', 'OUTPUT_TROUBLE', 'cannot be written: the disk quota is used up'],
    ['EFBIG', 'OUTPUT_TROUBLE', 'cannot be written: it exceeds the size limit for a file'],
    ['EACCES|EPERM', 'OUTPUT_TROUBLE', 'may not be written by this user'],
    ['EROFS', 'OUTPUT_TROUBLE', 'lies on a disk that is read-only'],
    ['EISDIR', 'OUTPUT_TROUBLE', 'is a folder; a file should go there'],
    ['ENOTDIR', 'OUTPUT_TROUBLE', 'lies below a file; a folder is needed there'],
    [/^[A-Z][A-Z0-9_]+$/, 'OUTPUT_TROUBLE', 'cannot be written: {said}'],
  ],
  port: [
    ['EADDRINUSE', 'ADDRESS_IN_USE', 'is in use'],
    ['EACCES', 'ADDRESS_UNUSABLE', 'may not be used'],
    [/^E[A-Z]+$/, 'ADDRESS_UNUSABLE', 'cannot be used: {said}'],
  ],
  ledger: [
    [
      /^SQLITE_BUSY/,
      'LEDGER_BUSY',
      'is locked by another program, so nothing can be written to it',
      'retry',
    ],
    ['EMFILE', 'FILES_EXHAUSTED', 'cannot be opened: this process may open no more files'],
    [/^SQLITE_(?:NOTADB|CORRUPT)/, 'LEDGER_DAMAGED', 'cannot be used: {said}'],
    [/^SQLITE_/, 'LEDGER_TROUBLE', 'cannot be used: {said}'],
  ],
  web: [
    ['401', 'INPUT_REFUSED', 'wants a user and a password, or others (HTTP 401)'],
    [
      '403',
      'INPUT_REFUSED',
      'may not be read so (HTTP 403): a signed address may have expired, or be signed for another request',
    ],
    [
      '407',
      'INPUT_REFUSED',
      'was not asked for: the proxy wants a user and a password, or others (HTTP 407)',
    ],
    ['404|410', 'INPUT_UNREADABLE', 'is not there (HTTP {status})'],
    [
      '408|425|429|500|502|503|504',
      'INPUT_DOWN',
      'cannot be had just now (HTTP {status})',
      'retry',
    ],
    [/^\d{3}$/, 'INPUT_UNREADABLE', 'was answered by no list (HTTP {status})'],
    [
      /^certificate/,
      'INPUT_UNREADABLE',
      'cannot be had: {reason}; NODE_EXTRA_CA_CERTS names a file with the certificates of your company',
    ],
    [/^/, 'INPUT_DOWN', 'cannot be had: {reason}', 'retry'],
  ],
  // By the name that a store gives its error. A name of AWS may be used by any store.
  s3: [
    ['InvalidAccessKeyId', 'STORE_REFUSED', 'the store does not know the access key'],
    ['SignatureDoesNotMatch', 'STORE_REFUSED', 'the secret key does not belong to the access key'],
    ['InvalidToken', 'STORE_REFUSED', 'the session token is not valid'],
    ['ExpiredToken', 'STORE_REFUSED', 'the session token has expired'],
    [
      'RequestTimeTooSkewed',
      'STORE_REFUSED',
      'the clock of this machine differs too much from that of the store',
    ],
    ['NoSuchBucket', 'BUCKET_MISSING', 'there is no such bucket'],
    ['InvalidBucketName', 'BUCKET_MISSING', 'no bucket can have this name'],
    [
      // The answer to HEAD has no body that could name the error.
      'PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException|301',
      'BUCKET_MISSING',
      'the bucket is in another region',
    ],
    ['SlowDown', 'STORE_DOWN', 'the store asks to slow down, and goes on doing so'],
    ['PreconditionFailed', 'STORE_DOWN', 'the object was replaced while it was read'],
    [/^\w*(?:Credentials|TokenProvider)\w*$/, 'STORE_REFUSED', 'no credentials can be had{hint}'],
    [/^Region is missing$/, 'BUCKET_MISSING', 'no region is set for S3'],
    [/Deserialization error/, 'BUCKET_MISSING', 'what answers at {store} is no object store'],
    ['401|403', 'STORE_REFUSED', 'these credentials may not do this{named}'],
    [/^(?:5\d\d|429)$/, 'STORE_DOWN', '{store} answers HTTP {status}{named}'],
    [/^\d{3}$/, 'STORE_REFUSED', 'the store refuses the request with HTTP {status}{named}'],
    [
      tlsCode,
      'STORE_DOWN',
      '{store} cannot be reached: answer is not TLS; does AWS_ENDPOINT_URL begin with http, not https?',
    ],
    ['network', 'STORE_DOWN', '{store} cannot be reached: {reason}', 'retry'],
  ],
  redis: [
    [
      /^WRONGPASS|^ERR invalid password/,
      'SHARE_REFUSED',
      'refuses the user name or password: {said}',
    ],
    [/^NOAUTH/, 'SHARE_REFUSED', 'wants a password: {said}'],
    [
      // A script says it in other words, in Redis 6, 7.0 and 7.2.
      /^NOPERM|^ERR The user executing the script can't|^ERR ACL failure in script|\bNOPERM this user has no permissions/,
      'SHARE_REFUSED',
      'lets this user do too little: {said}',
    ],
    [/^DENIED/, 'SHARE_REFUSED', 'takes connections of its own machine only: {said}'],
    [
      /\bOOM command not allowed/,
      'SHARE_DOWN',
      'takes nothing at present: its memory is full: {said}',
      'retry',
    ],
    [
      /\b(?:LOADING|BUSY|MISCONF|MASTERDOWN|CLUSTERDOWN)\b/,
      'SHARE_DOWN',
      'takes nothing at present: {said}',
      'retry',
    ],
    [/^ERR max number of clients/, 'SHARE_DOWN', 'takes no more connections: {said}'],
    [/\bREADONLY\b/, 'SHARE_UNFIT', 'is a replica, which cannot be written to: {said}', 'retry'],
    [/^MOVED/, 'SHARE_UNFIT', 'is one node of a cluster: {said}'],
    [/^ERR DB index is out of range/, 'SHARE_UNFIT', 'has no database of that number: {said}'],
    ['ReplyError', 'SHARE_UNFIT', 'says: {said}'],
  ],
  // Texts that may name the user are left out.
  postgres: [
    [
      '28P01|28000',
      'WAREHOUSE_REFUSED',
      'refuses the user, the password or the machine it comes from',
    ],
    ['3D000', 'WAREHOUSE_UNFIT', 'has no such database'],
    [
      'stage:42501',
      'WAREHOUSE_REFUSED',
      'does not allow that: {said}. Its user needs: grant temporary on database {database}',
    ],
    [
      'make tables:42501',
      'WAREHOUSE_REFUSED',
      'does not allow that: {said}. Its user needs: grant usage, create on schema {schema}; where that is missing, grant create on database {database}; to add columns, it has to own the tables',
    ],
    [
      '42501',
      'WAREHOUSE_REFUSED',
      'does not allow that: {said}. Its user needs: grant usage on schema {schema}, and grant select, insert, update, delete on all tables in schema {schema}',
    ],
    [
      '25006',
      'WAREHOUSE_TROUBLE',
      'can only be read: it is a standby, or default_transaction_read_only is on for the user',
    ],
    ['53100', 'WAREHOUSE_TROUBLE', 'has no room left on its disk'],
    ['53200', 'WAREHOUSE_TROUBLE', 'has no memory left'],
    ['53300', 'WAREHOUSE_DOWN', 'takes no more connections'],
    ['53400', 'WAREHOUSE_TROUBLE', 'reaches a limit of its settings: {said}'],
    [
      'lock:55P03',
      'WAREHOUSE_BUSY',
      'is still loading the same job into the schema {schema}, for another process',
    ],
    [
      '55P03',
      'WAREHOUSE_BUSY',
      'has another session that holds a lock on the tables of the schema {schema}',
    ],
    ['40001|40P01', 'WAREHOUSE_BUSY', 'had another session write to the same records meanwhile'],
    [
      '57014',
      'WAREHOUSE_TROUBLE',
      'has cancelled the load: an operator did, or the statement_timeout of the address is too short',
    ],
    [
      '22P05',
      'WAREHOUSE_UNFIT',
      'has a database that is not encoded in UTF8, and cannot hold a text of the result',
    ],
    [
      '23502',
      'WAREHOUSE_UNFIT',
      'has a column that Dossier does not fill and that takes no null: {table}.{column}',
    ],
    ['54000|54001|54011', 'WAREHOUSE_UNFIT', 'cannot hold a record of the result: {said}'],
    [
      certificateCode,
      'WAREHOUSE_UNFIT',
      'shows a certificate that is not trusted ({code}): name the file of its authority with sslrootcert in the address',
    ],
    [
      'connect:ENOENT|connect:EACCES|connect:EISDIR',
      'WAREHOUSE_UNFIT',
      'cannot be reached: its socket, or a file that sslrootcert, sslcert or sslkey of the address names, cannot be opened',
    ],
    [
      /^SASL: .*client password must be/,
      'WAREHOUSE_REFUSED',
      'asks for a password, and the address has none',
    ],
    // Five letters are a code of the operating system, such as EPIPE: those of PostgreSQL have a digit.
    [/^(?!57P|08)(?=\D*\d)[0-9A-Z]{5}$/, 'WAREHOUSE_TROUBLE', 'says: {said} ({code})'],
    [/^connect:/, 'WAREHOUSE_DOWN', 'cannot be reached: {reason}'],
    [/^/, 'WAREHOUSE_DOWN', 'has ended the connection ({reason})'],
  ],
} satisfies Record<string, readonly Rule[]>;

type System = keyof typeof rules;
type Facts = Readonly<Record<string, string | number | undefined>>;

/** Failures of the way to a system. */
const network: readonly (readonly [when: string | RegExp, reason: string])[] = [
  // How undici tells what a proxy answered instead of opening a tunnel, or of passing a request on.
  [
    /^Proxy (?:response|Authentication Required) \(407\)/,
    'the proxy wants a user and a password, or others (HTTP 407)',
  ],
  [/^Proxy response/, 'the proxy refuses the connection (HTTP {proxyStatus})'],
  ['ECONNREFUSED', 'connection refused'],
  ['ECONNRESET|EPIPE|UND_ERR_SOCKET', 'connection lost'],
  [/^aborted$/, 'connection lost'],
  ['UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT', 'no connection in time'],
  ['UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|TimeoutError', 'no answer in time'],
  ['ENOTFOUND', 'host name not found'],
  ['EAI_AGAIN', 'host name could not be looked up'],
  ['ENETUNREACH', 'network unreachable'],
  ['EHOSTUNREACH', 'host unreachable'],
  [/^\w*SELF_SIGNED_CERT/, 'certificate not trusted: self-signed'],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'certificate not trusted: its issuer is unknown',
  ],
  ['CERT_HAS_EXPIRED', 'certificate expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate is for another host'],
  [certificateCode, 'certificate not trusted: {code}'],
  // Undici asserts that no server upgrades a connection (101) without being asked to.
  [/^(?:HTTPParserError|ERR_ASSERTION|HPE_\w+)$/, 'answer is not HTTP'],
  [tlsCode, 'answer is not TLS; does the address begin with http, not https?'],
  ['UND_ERR_PRX_CONN', 'connection to the proxy lost'],
  ['UND_ERR_PRX_TLS', 'certificate of the proxy is for another host'],
  ['UND_ERR_HEADERS_OVERFLOW', 'answer with too many headers'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'answer cut short'],
  ['Z_BUF_ERROR', 'compressed answer cut short'],
  ['Z_DATA_ERROR', 'compressed answer damaged'],
];

/**
 * Says in a sentence what a system did to `subject`. Undefined for an error that no rule knows: a bug.
 * `facts` fill the sentence; `facts.step` is what the system was asked to do.
 */
export function outsideFailure(
  system: System,
  subject: string,
  thrown: unknown,
  facts: Facts = {},
): DossierError | undefined {
  if (thrown instanceof DossierError) return thrown;
  const { words, summary, ...found } = readFailure(thrown, facts.step);
  const rule = findRule<Rule>(rules[system], words);
  if (!rule) return undefined;
  const [, code, sentence] = rule;
  const text = fill(`${subject} ${sentence}`, { ...found, ...facts });
  // Errors of S3 hold the signed request, those of PostgreSQL records, so they are not passed on.
  const isSecret = system === 's3' || system === 'postgres';
  const cause = isSecret ? new Error(withoutSecrets(summary)) : thrown;
  return new DossierError(code, withoutSecrets(text), { cause });
}

/** Whether the same request to the system may succeed later. */
export function isWorthRetrying(system: System, thrown: unknown): boolean {
  return findRule<Rule>(rules[system], readFailure(thrown).words)?.[3] === 'retry';
}

/** A network error in a few words: `ECONNREFUSED → connection refused`. */
export function describeFailure(error: unknown): string {
  return error instanceof Error ? readFailure(error).reason : 'unknown failure';
}

function readFailure(thrown: unknown, step?: Facts[string]) {
  const first = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  const { name = '', message = '', status, $metadata, table, column } = (first ?? {}) as Outside;
  const code = codeOf(thrown);
  const httpStatus = status ?? $metadata?.httpStatusCode;
  const signs = [code, name, httpStatus, step && `${step}:${code ?? ''}`];
  const known = signs.filter((sign) => sign !== undefined).map(String);
  const words = [...known, message];
  const way = findRule(network, words);
  const proxyStatus = /\((\d{3})\)/.exec(message)?.[1];
  const reason = way ? fill(way[1], { code, proxyStatus }) : (code ?? (message || name));
  if (way) words.push('network', reason);
  const said = (message.split(/\p{Cc}/u, 1)[0] ?? '').trim().slice(0, longestSaid);
  return { code, status: httpStatus, table, column, said, reason, words, summary: known.join(' ') };
}

const longestSaid = 200;

/** The fields that systems give their errors. */
interface Outside extends Partial<Error> {
  readonly status?: number;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly table?: string;
  readonly column?: string;
}

function findRule<Known extends readonly [string | RegExp, ...unknown[]]>(
  known: readonly Known[],
  words: readonly string[],
): Known | undefined {
  return known.find(([when]) =>
    typeof when === 'string'
      ? when.split('|').some((word) => words.includes(word))
      : words.some((word) => when.test(word)),
  );
}

function fill(sentence: string, facts: Facts): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(facts[name] ?? ''));
}

/** The first code along causes and the list that trying several addresses makes. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Object)) return undefined;
  const { code, cause, errors = [cause] }: { code?: unknown } & Partial<AggregateError> = error;
  if (typeof code === 'string') return code;
  return errors.map(codeOf).find((found) => found !== undefined);
}
