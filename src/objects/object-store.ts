/** `s3://bucket/prefix/leads.csv` taken apart. */
export interface ObjectAddress {
  readonly bucket: string;
  /** Empty for the bucket itself. */
  readonly key: string;
}

export interface ObjectFacts {
  readonly size: number;
  /** Changes with the content. */
  readonly etag: string;
  /** In ms since 1970, by the clock of the store. */
  readonly modifiedAt: number;
  /** What the writer has noted, by names in small letters. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Bytes that are read once, from the beginning. */
export interface ObjectSource {
  open(): AsyncIterable<Uint8Array>;
  readonly size: number;
}

export interface WriteOptions {
  /** Media type, such as `application/json`. */
  readonly type?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PutOptions extends WriteOptions {
  /** Writes only if nothing is there, or if what is there is still this. */
  readonly condition?: PutCondition | undefined;
}

export type PutCondition = { readonly ifAbsent: true } | { readonly ifEtag: string };

/**
 * Object storage that speaks the interface of S3. Requests are repeated where that may help; what fails
 * all the same is a `DossierError` that names the address and holds no credentials.
 */
export interface ObjectStore extends AsyncDisposable {
  /** Undefined where there is no such object, or no such bucket: a store does not tell these apart here. */
  head(at: ObjectAddress, options?: { signal?: AbortSignal }): Promise<ObjectFacts | undefined>;
  /** Streams the object, and goes on where a connection was cut; undefined where there is none. */
  get(at: ObjectAddress, options?: { signal?: AbortSignal }): Promise<ReadObject | undefined>;
  /** Writes a small object in one request; undefined where the condition does not hold. */
  put(
    at: ObjectAddress,
    bytes: Uint8Array,
    options?: PutOptions,
  ): Promise<{ readonly etag: string } | undefined>;
  /** Writes an object of any size in parts, with the memory of a few; removes its parts when it fails. */
  upload(
    at: ObjectAddress,
    source: ObjectSource,
    options?: WriteOptions,
  ): Promise<{ readonly etag: string }>;
  /** Brings an object of any size to the store without showing it: what stands there stays until `commit`. */
  prepare(at: ObjectAddress, source: ObjectSource, options?: WriteOptions): Promise<PreparedObject>;
  /** It is no error where there is none. */
  remove(at: ObjectAddress): Promise<void>;
  /** Removes parts, below the address, of uploads that began before a time: their processes were killed. */
  removeParts(at: ObjectAddress, options: { readonly begunBefore: number }): Promise<void>;
  /** The objects whose keys begin with that of the address, in the order of their keys. */
  list(at: ObjectAddress): AsyncIterable<{ readonly key: string; readonly size: number }>;
}

/** Ends with one of its two functions. */
export interface PreparedObject {
  /** Shows the object. Removes it, as `abort` does, where that fails. */
  commit(): Promise<{ readonly etag: string }>;
  /** Removes what was brought. Says nothing where that fails: the store does so by its rules, in some days. */
  abort(): Promise<void>;
}

export interface ReadObject {
  readonly facts: ObjectFacts;
  readonly bytes: AsyncIterable<Uint8Array>;
}
