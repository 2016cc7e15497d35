import type { IncomingMessage } from 'node:http';
import type { LackingParts, UnfinishedUpload } from './backend.ts';

export interface SeenRequest {
  readonly method: string;
  readonly bucket: string;
  /** Empty for requests about the bucket. */
  readonly key: string;
  readonly query: URLSearchParams;
}

/** What S3 refuses, or does by itself, and s3rver does not. */
export async function refusalOf(
  lacks: LackingParts,
  { method, bucket, key, query }: SeenRequest,
  { headers }: IncomingMessage,
  heedsConditions: boolean,
): Promise<{ status: number; code: string } | undefined> {
  const uploadId = query.get('uploadId');
  if (uploadId !== null && !(await lacks.isUnfinished(bucket, uploadId))) {
    return { status: 404, code: 'NoSuchUpload' };
  }
  if (method === 'DELETE' && uploadId !== null) {
    await lacks.abortUpload(bucket, uploadId);
    return { status: 204, code: '' };
  }
  if (method !== 'PUT' || !heedsConditions) return undefined;
  const ifMatch = headers['if-match'];
  const ifNoneMatch = headers['if-none-match'];
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  const etag = await lacks.etagOf(bucket, key);
  if (ifMatch !== undefined && etag === undefined) return { status: 404, code: 'NoSuchKey' };
  const isMet = ifMatch === undefined ? etag === undefined : etag === ifMatch;
  return isMet ? undefined : { status: 412, code: 'PreconditionFailed' };
}

/** s3rver lists no uploads. */
export function uploadsXml(uploads: readonly UnfinishedUpload[], query: URLSearchParams): string {
  const listed = uploads
    .filter(({ key }) => key.startsWith(query.get('prefix') ?? ''))
    .map(
      ({ id, key, begunAt }) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${begunAt.toISOString()}</Initiated></Upload>`,
    );
  return `<ListMultipartUploadsResult>${listed.join('')}</ListMultipartUploadsResult>`;
}
