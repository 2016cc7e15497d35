import { Agent as PlainAgent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { DossierError } from '../errors.ts';
import { keepSecret } from '../runtime/log/known-secrets.ts';
import { requirePackages } from '../runtime/optional-packages.ts';

type Sdk = typeof import('@aws-sdk/client-s3');

/** The client of the SDK, its commands, and what an error may say of them. */
export interface S3Connection {
  readonly sdk: Sdk;
  readonly client: S3Client;
  /** `S3`, or host and port of another store. */
  readonly storeName: string;
}

export interface Patience {
  /** How long a connection may be silent before the request is made again. */
  readonly silenceMs: number;
}

export const usualPatience: Patience = { silenceMs: 30_000 };

const connectTimeoutMs = 5_000;
/** A store that says SlowDown is asked again for half a minute or so; one that cannot be reached, for some seconds. */
const usualAttempts = 8;
const mostSockets = 16;

/** The SDK is loaded by a job that names `s3://`, and by no other: it is 38 MB, and optional. */
export async function connectS3(
  env: NodeJS.ProcessEnv,
  { silenceMs }: Patience,
): Promise<S3Connection> {
  requirePackages('s3://');
  const sdk = await import('@aws-sdk/client-s3');
  const endpoint = readEndpoint(env);
  const known = [env.AWS_SECRET_ACCESS_KEY, env.AWS_SESSION_TOKEN];
  for (const secret of known) if (secret !== undefined) keepSecret(secret);
  const agent = { keepAlive: true, maxSockets: mostSockets, proxyEnv: env };
  const client = new sdk.S3Client({
    ...placeOf(env, endpoint),
    ...credentialsOf(env),
    // Other checksums than the one that is signed are unknown to some compatible stores.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // The header costs a connection for each part: the SDK makes an agent of its own for it.
    expectContinueHeader: false,
    followRegionRedirects: true,
    maxAttempts: attemptsOf(env),
    requestHandler: {
      connectionTimeout: connectTimeoutMs,
      socketTimeout: silenceMs,
      httpAgent: new PlainAgent(agent),
      httpsAgent: new TlsAgent(agent),
    },
  });
  return { sdk, client, storeName: endpoint?.host ?? 'S3' };
}

function readEndpoint(env: NodeJS.ProcessEnv): URL | undefined {
  const name = env.AWS_ENDPOINT_URL_S3 ? 'AWS_ENDPOINT_URL_S3' : 'AWS_ENDPOINT_URL';
  const text = env[name];
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') {
    return url;
  }
  // The value may hold a password.
  const form = 'http://host:port or https://host, without a user name';
  throw new DossierError('BUCKET_MISSING', `${name} is no address of the form ${form}`);
}

function placeOf(env: NodeJS.ProcessEnv, endpoint: URL | undefined): S3ClientConfig {
  // The SDK reads the first alone; other tools of AWS read both.
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || (endpoint && 'us-east-1');
  return {
    ...(region && { region }),
    // Few other stores give each bucket a host name.
    ...(endpoint && { endpoint: endpoint.href, forcePathStyle: true }),
  };
}

/** Credentials of the environment are given, so that it can be that of a test; the SDK finds all others. */
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

function attemptsOf({ AWS_MAX_ATTEMPTS }: NodeJS.ProcessEnv): number {
  const attempts = Number(AWS_MAX_ATTEMPTS);
  return Number.isInteger(attempts) && attempts > 0 ? attempts : usualAttempts;
}
