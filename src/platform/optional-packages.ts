import { createRequire } from 'node:module';
import { DossierError } from '../core/errors.ts';

const optional = {
  's3://': ['@aws-sdk/client-s3'],
  postgres: ['pg', 'pg-copy-streams'],
  'service.share': ['bullmq', 'ioredis'],
} as const;

export function requirePackages(forWhat: keyof typeof optional): void {
  const missing = optional[forWhat].filter((name) => !isInstalled(name));
  if (missing.length === 0) return;
  const some = missing.length === 1 ? 'a package that is' : 'packages that are';
  throw new DossierError(
    'PACKAGE_MISSING',
    `${forWhat} needs ${some} not installed: npm install ${missing.join(' ')}`,
  );
}

function isInstalled(name: string) {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
