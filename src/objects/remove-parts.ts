import type { ListMultipartUploadsCommand, ListMultipartUploadsOutput } from '@aws-sdk/client-s3';
import type { ObjectAddress } from './object-store.ts';
import type { S3Connection } from './s3-client.ts';
import { attempt } from './store-trouble.ts';

/** Removes what uploads have left that were never ended; stores keep, and charge for, such parts. */
export async function removeParts(
  store: S3Connection,
  at: ObjectAddress,
  begunBefore: number,
): Promise<void> {
  const { sdk, client } = store;
  const listed = { Bucket: at.bucket, Prefix: at.key };
  let after: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {};
  while (after) {
    const list: ListMultipartUploadsCommand = new sdk.ListMultipartUploadsCommand({
      ...listed,
      ...after,
    });
    const answer: ListMultipartUploadsOutput = await attempt(store, at, () => client.send(list));
    for (const { Key, UploadId, Initiated } of answer.Uploads ?? []) {
      if (!Initiated || Initiated.getTime() >= begunBefore) continue;
      const abort = new sdk.AbortMultipartUploadCommand({ Bucket: at.bucket, Key, UploadId });
      await attempt(store, at, () => client.send(abort));
    }
    const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = answer;
    after =
      IsTruncated && NextKeyMarker !== undefined
        ? { KeyMarker: NextKeyMarker, UploadIdMarker: NextUploadIdMarker ?? '' }
        : undefined;
  }
}
