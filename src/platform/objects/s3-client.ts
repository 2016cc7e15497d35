import { Agent as PlainAgent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { DossierError } from '../../core/errors.ts';
import { keepSecret } from '../../core/values/known-secrets.ts';
import { requirePackages } from '../optional-packages.ts';
import { firstLine, outsideFailure } from '../outside-failures.ts';
import { type ObjectAddress, showObjectAddress } from './object-address.ts';

export type S3Connection = Awaited<ReturnType<typeof connectS3>>;

const connectTimeoutMs = 5_000;
/** Enough to retry SlowDown for about 30 s, and an unreachable store for a few seconds. */
const usualAttempts = 8;
const mostSockets = 16;

/** Loaded on demand: the SDK is 38 MB and optional. */
export async function connectS3(env: NodeJS.ProcessEnv, idleTimeoutMs: number) {
  requirePackages('s3://');
  const { S3 } = await import('@aws-sdk/client-s3');
  const endpoint = readEndpoint(env);
  for (const secret of [env.AWS_SECRET_ACCESS_KEY, env.AWS_SESSION_TOKEN]) {
    if (secret !== undefined) keepSecret(secret);
  }
  const agent = { keepAlive: true, maxSockets: mostSockets, proxyEnv: env };
  const client = new S3({
    ...endpointConfig(env, endpoint),
    ...credentialsOf(env),
    // Some S3-compatible stores do not support the checksums that the SDK uses by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Otherwise the SDK would open a new connection for each part.
    expectContinueHeader: false,
    followRegionRedirects: true,
    maxAttempts: Number(env.AWS_MAX_ATTEMPTS) || usualAttempts,
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      socketTimeout: idleTimeoutMs,
      httpAgent: new PlainAgent(agent),
      httpsAgent: new TlsAgent(agent),
    },
  });
  const store = endpoint?.host ?? 'S3';
  const asStoreError = (at: ObjectAddress, error: unknown) => {
    if (!(error instanceof Error)) return error;
    const facts = { store, hint: hintOf(error), named: namedBy(error) };
    return outsideFailure('s3', `${showObjectAddress(at)}:`, error, facts) ?? error;
  };
  return {
    client,
    asStoreError,
    async attempt<Result>(
      at: ObjectAddress,
      ask: (options: { readonly abortSignal?: AbortSignal }) => Promise<Result>,
      signal?: AbortSignal,
    ): Promise<Result> {
      try {
        return await ask(signal ? { abortSignal: signal } : {});
      } catch (error) {
        signal?.throwIfAborted();
        throw asStoreError(at, error);
      }
    },
  };
}

function readEndpoint(env: NodeJS.ProcessEnv) {
  const name = env.AWS_ENDPOINT_URL_S3 ? 'AWS_ENDPOINT_URL_S3' : 'AWS_ENDPOINT_URL';
  const text = env[name];
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') {
    return url;
  }
  // The value may contain a password, so the message omits it.
  const form = 'http://host:port or https://host, without a user name';
  throw new DossierError('BUCKET_MISSING', `${name} is not a URL of the form ${form}`);
}

function endpointConfig(env: NodeJS.ProcessEnv, endpoint: URL | undefined): S3ClientConfig {
  // The SDK reads only AWS_REGION; other AWS tools read both variables.
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || (endpoint && 'us-east-1');
  return {
    ...(region && { region }),
    // Few stores except AWS give each bucket a host name.
    ...(endpoint && { endpoint: endpoint.href, forcePathStyle: true }),
  };
}

/** Reads credentials only from these variables; the SDK finds all others. */
function credentialsOf(env: NodeJS.ProcessEnv): S3ClientConfig {
  const { AWS_PROFILE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = env;
  if (AWS_PROFILE || !AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return {};
  return {
    credentials: {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
    },
  };
}

interface SdkError extends Error {
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
}

export function httpStatusOf(error: unknown): number | undefined {
  return (error as SdkError | undefined)?.$metadata?.httpStatusCode;
}

/** If above 1, an earlier attempt may have succeeded. */
export function attemptsMade(error: unknown): number {
  return (error as SdkError | undefined)?.$metadata?.attempts ?? 1;
}

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** Repeats only known messages, because a credential program may print credentials. */
function hintOf({ message }: Error) {
  const isPlain = /^(?:Could not (?:load|resolve) credentials|Profile|The SSO session|Token)/;
  return isPlain.test(message) ? `: ${firstLine(message)}` : '';
}

function namedBy({ name, message }: Error) {
  const text = firstLine(message);
  if (/^Unknown/.test(name)) return '';
  return text === '' || text === name ? `: ${name}` : `: ${name}, ${text}`;
}
