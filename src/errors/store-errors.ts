import type { ErrorFacts } from './error-facts.ts';

/** Object storage cannot be used. */
export const storeErrors = {
  STORE_DOWN: {
    exitCode: 69,
    remedy:
      'Check that the store runs and that AWS_ENDPOINT_URL has its address, if it is not S3 itself, then run the same command again.',
    onPage:
      'Check that the store runs and that AWS_ENDPOINT_URL in the terminal has its address, if it is not S3 itself, then start it again.',
  },
  STORE_REFUSED: {
    exitCode: 77,
    remedy:
      'Check the credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or the role of the machine) and what they may do: read, write, list and delete objects there.',
  },
  BUCKET_MISSING: {
    exitCode: 78,
    remedy:
      'Check the name of the bucket, AWS_REGION and AWS_ENDPOINT_URL; Dossier makes no bucket.',
  },
  STORE_UNCONDITIONAL: {
    exitCode: 78,
    remedy:
      'Use a store that heeds If-None-Match and If-Match when an object is written, as S3, Cloudflare R2, Ceph and SeaweedFS say that theirs do, or keep the ledger on a disk that lasts.',
  },
  PACKAGE_MISSING: {
    exitCode: 78,
    remedy: 'Install what is named above beside Dossier, then run the same command again.',
    onPage: 'Install what is named above beside Dossier, then start `dossier ui` again.',
  },
} as const satisfies Record<string, ErrorFacts>;
