/** `s3://bucket/prefix/leads.csv` taken apart. */
export interface ObjectAddress {
  readonly bucket: string;
  /** Empty for the bucket itself. */
  readonly key: string;
}

/** Some stores allow capitals and underscores, which S3 itself does not. */
const form = /^s3:\/\/([a-z0-9][a-z0-9._-]{1,62})(?:\/(.*))?$/is;
/** S3 allows control characters in keys; nobody means them, and terminals obey them. */
const unusable = /\p{Cc}|\p{Cs}/u;
const longestKeyBytes = 1_024;

/** `s3://bucket/in/leads.csv → bucket, in/leads.csv`; undefined where the text is no such address. */
export function readObjectAddress(text: string): ObjectAddress | undefined {
  const [, bucket, key = ''] = form.exec(text) ?? [];
  if (bucket === undefined || unusable.test(key)) return undefined;
  return Buffer.byteLength(key) > longestKeyBytes ? undefined : { bucket, key };
}

export function showObjectAddress({ bucket, key }: ObjectAddress): string {
  return key === '' ? `s3://${bucket}` : `s3://${bucket}/${key}`;
}
