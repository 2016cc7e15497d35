import type { ObjectStore } from '../../../../src/platform/objects/open-object-store.ts';
import type { UploadOptions } from '../../../../src/results/destinations/s3/prepare-upload.ts';
import { Manifest, type ManifestHead } from '../../../../src/results/manifest.ts';
import type { TestObjectStore } from '../../../support/object-store.ts';
import { exportInto } from '../../export-run.ts';
import { sampleFacts, startedAfter } from '../../sample-run.ts';

/** How a run of the sample is uploaded, below a path of the store. */
export function intoStore(
  service: TestObjectStore,
  path: string,
  {
    folder,
    facts = {},
    ...rest
  }: { folder: string; facts?: Partial<ManifestHead> } & Partial<Omit<UploadOptions, 'facts'>>,
): UploadOptions {
  const { folder: _, ...written } = exportInto(folder, ['csv']);
  const head = { ...sampleFacts, ...ofRun(7), ...facts };
  const { job, run, limit } = head;
  return {
    path: `s3://${service.bucket}/${path}`,
    pathValues: { job, run, date: '2026-08-22', isTrial: limit !== null },
    whenIncomplete: 'hold',
    ledger: `${folder}/ledger.db`,
    env: service.env,
    ...written,
    facts: head,
    isLater: startedAfter(head),
    ...rest,
  };
}

/** Run `r7` has started on the seventh day, and so on. */
export function ofRun(number: number) {
  const day = String(number).padStart(2, '0');
  return {
    run: `r${number}`,
    startedAt: `2026-08-${day}T04:00:00.000Z`,
    endedAt: `2026-08-${day}T04:30:00.000Z`,
  };
}

/** Everything of a bucket whose key begins so, by key. */
export async function readBucket(
  store: ObjectStore,
  bucket: string,
  beginning = '',
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { key } of store.list({ bucket, key: beginning })) {
    const read = await store.get({ bucket, key });
    found[key] = Buffer.concat(await Array.fromAsync(read?.bytes ?? [])).toString();
  }
  return found;
}

/** Says what is wrong with the result in a place: manifest and `latest.json` have to fit every file that they name. */
export async function findLie(
  store: ObjectStore,
  bucket: string,
  folder: string,
): Promise<string | undefined> {
  const objects = await readBucket(store, bucket, folder);
  const latest = JSON.parse(objects[`${folder}latest.json`] ?? '{}');
  for (const { address, sha256 } of latest.files ?? []) {
    const key = address.slice(`s3://${bucket}/`.length);
    const facts = await store.head({ bucket, key });
    if (facts?.metadata.sha256 !== sha256) return `${key} is not as latest.json says`;
  }
  const text = objects[`${folder}manifest.json`];
  if (text === undefined) return undefined;
  const { success, data } = Manifest.safeParse(JSON.parse(text));
  // Says itself that it is not whole.
  if (!success) return JSON.parse(text).complete === false ? undefined : 'no manifest';
  for (const { name, sha256 } of data.files) {
    const facts = await store.head({ bucket, key: `${folder}${name}` });
    if (facts?.metadata.sha256 !== sha256) return `${name} is not as the manifest says`;
    if (objects[`${folder}${name}`]?.length === 0) return `${name} is empty`;
  }
  return undefined;
}
