import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import { DUMMY_ACCOUNT } from '@20minutes/s3rver/lib/models/account.js';
import { temporaryFolder } from '../temporary-folder.ts';

/** A store of objects behind the front. */
export interface Backend extends AsyncDisposable {
  readonly origin: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** What the front does for it. */
  readonly lacks: LackingParts;
  unfinishedUploads(bucket: string): Promise<readonly UnfinishedUpload[]>;
}

/** What s3rver lacks of S3. */
export interface LackingParts {
  /** Undefined where there is no such object. */
  etagOf(bucket: string, key: string): Promise<string | undefined>;
  isUnfinished(bucket: string, uploadId: string): Promise<boolean>;
  abortUpload(bucket: string, uploadId: string): Promise<void>;
}

/** A multipart upload that is neither completed nor aborted. */
export interface UnfinishedUpload {
  readonly id: string;
  readonly key: string;
  readonly begunAt: Date;
}

/** Starts s3rver with a bucket. It checks signatures; it knows no conditions, and aborts no upload. */
export async function startS3rver(): Promise<Backend> {
  const folder = temporaryFolder();
  const bucket = 'results';
  // All stores of a process share their accounts.
  const accessKey = `test-${randomUUID()}`;
  const secretKey = `secret-${randomUUID()}`;
  DUMMY_ACCOUNT.createKeyPair(accessKey, secretKey);
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: folder.path,
    vhostBuckets: false,
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  const uploadsOf = (name: string) => server.store.getResourcePath(name, undefined, 'uploads');
  return {
    origin: `http://127.0.0.1:${port}`,
    bucket,
    accessKey,
    secretKey,
    lacks: {
      async etagOf(name, key) {
        const metadata = await server.store.getMetadata(name, key).catch(() => undefined);
        return metadata?.etag;
      },
      isUnfinished: (name, id) => stat(join(uploadsOf(name), id)).then(Boolean, () => false),
      abortUpload: (name, id) => rm(join(uploadsOf(name), id), { recursive: true, force: true }),
    },
    async unfinishedUploads(name) {
      const ids = await readdir(uploadsOf(name)).catch(() => []);
      const look = async (id: string) => {
        const keyFile = join(uploadsOf(name), id, 'key');
        const { mtime: begunAt } = await stat(keyFile);
        return { id, key: await readFile(keyFile, 'utf8'), begunAt };
      };
      return await Promise.all(ids.map(look));
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      folder[Symbol.dispose]();
    },
  };
}
