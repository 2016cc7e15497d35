import { randomUUID } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import type { Backend } from './backend.ts';

/** A store that runs elsewhere, with the credentials of the environment, in a bucket that is removed at the end. */
export async function useRealStore(endpoint: string): Promise<Backend> {
  const { AWS_ACCESS_KEY_ID: accessKey = '', AWS_SECRET_ACCESS_KEY: secretKey = '' } = process.env;
  const client = new S3Client({
    endpoint,
    region: process.env.AWS_REGION ?? 'us-east-1',
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  const bucket = `dossier-test-${randomUUID()}`;
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const unfinishedUploads = async (name: string) => {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: name }));
    return Uploads.map(({ Key: key = '', UploadId: id = '', Initiated: begunAt = new Date(0) }) => {
      return { id, key, begunAt };
    });
  };
  return {
    origin: endpoint,
    bucket,
    accessKey,
    secretKey,
    lacks: undefined,
    unfinishedUploads,
    async [Symbol.asyncDispose]() {
      for (const { id, key } of await unfinishedUploads(bucket)) {
        const abort = { Bucket: bucket, Key: key, UploadId: id };
        await client.send(new AbortMultipartUploadCommand(abort));
      }
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
      for (const { Key } of Contents) {
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
      }
      await client.send(new DeleteBucketCommand({ Bucket: bucket }));
      client.destroy();
    },
  };
}
