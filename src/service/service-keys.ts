import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { DossierError } from '../errors.ts';

export interface KeySources {
  keys: readonly string[];
  keyFiles: readonly string[];
  /** DOSSIER_SERVICE_KEYS: keys separated by commas or white space. */
  environment: string | undefined;
  host: string;
}

export interface ServiceKeys {
  keys: readonly string[];
  /** A generated key, when none was given. It is printed once and stored nowhere. */
  madeKey: string | undefined;
}

/** Collects the keys that the service accepts. Without one it may listen on loopback only. */
export function serviceKeys(sources: KeySources): ServiceKeys {
  const given = [
    ...sources.keys,
    ...sources.keyFiles.flatMap(readKeyFile),
    ...(sources.environment?.split(/[\s,]+/).filter(Boolean) ?? []),
  ];
  for (const key of given) {
    if (!/^[\x21-\x7e]+$/.test(key)) {
      throw new DossierError('USAGE', 'a key is made of visible ASCII characters without spaces');
    }
  }
  if (given.length > 0) return { keys: [...new Set(given)], madeKey: undefined };
  if (!isLoopback(sources.host)) {
    throw new DossierError(
      'KEY_NEEDED',
      `${sources.host} can be reached by others; no key was given`,
    );
  }
  const madeKey = randomBytes(24).toString('base64url');
  return { keys: [madeKey], madeKey };
}

function readKeyFile(path: string): string[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const reason = (error as Error).message;
    throw new DossierError('INPUT_UNREADABLE', `cannot read the key file: ${reason}`, {
      cause: error,
    });
  }
  const keys = text.split(/\s+/).filter(Boolean);
  if (keys.length === 0) throw new DossierError('USAGE', `the key file ${path} holds no key`);
  return keys;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host === 'localhost';
  return loopback.check(host, version === 6 ? 'ipv6' : 'ipv4');
}
