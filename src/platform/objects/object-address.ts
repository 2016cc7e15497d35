export interface ObjectAddress {
  readonly bucket: string;
  readonly key: string;
}

/** Unlike S3, some stores allow capitals and underscores in bucket names. */
const form = /^s3:\/\/([a-z0-9][a-z0-9._-]{1,62})(?:\/(.*))?$/is;
/** S3 allows control characters in keys, but a terminal would obey them. */
const unusable = /\p{Cc}|\p{Cs}/u;
const longestKeyBytes = 1_024;

export function readObjectAddress(text: string): ObjectAddress | undefined {
  const [, bucket, key = ''] = form.exec(text) ?? [];
  if (bucket === undefined || unusable.test(key)) return undefined;
  return Buffer.byteLength(key) > longestKeyBytes ? undefined : { bucket, key };
}

export function showObjectAddress({ bucket, key }: ObjectAddress): string {
  return key === '' ? `s3://${bucket}` : `s3://${bucket}/${key}`;
}
