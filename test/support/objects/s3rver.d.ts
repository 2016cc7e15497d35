declare module '@20minutes/s3rver' {
  /** The parts of a store of objects, written in JavaScript, that tests use. */
  class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly silent: boolean;
      readonly directory: string;
      readonly vhostBuckets: boolean;
      readonly configureBuckets: readonly { readonly name: string }[];
    });
    readonly store: {
      /** Where it keeps something on the disk. */
      getResourcePath(bucket: string, key: string | undefined, resource: string): string;
      /** Throws where there is no such object. */
      getMetadata(bucket: string, key: string): Promise<{ readonly etag: string }>;
    };
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
  export = S3rver;
}

declare module '@20minutes/s3rver/lib/models/account.js' {
  /** The account of everything; a store takes any of its keys. */
  export const DUMMY_ACCOUNT: { createKeyPair(accessKey: string, secretKey: string): void };
}
