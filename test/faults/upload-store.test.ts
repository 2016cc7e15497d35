import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { DossierError } from '../../src/core/errors.ts';
import { openObjectStore } from '../../src/core/objects/open-object-store.ts';
import { packagePath } from '../../src/core/runtime/package-path.ts';
import { prepareUpload } from '../../src/results/upload/prepare-upload.ts';
import { matchedRow } from '../core/columns/sample-records.ts';
import { sourceOf } from '../results/sample-run.ts';
import { findLie, intoStore, ofRun, readBucket } from '../results/upload/sample-upload.ts';
import { cleanEnvironment } from '../support/clean-environment.ts';
import {
  accessDenied,
  type Misdeed,
  slowDown,
  startObjectStore,
  type TestObjectStore,
} from '../support/object-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { faultCase } from './support/fault-case.ts';
import { isLong } from './support/seed.ts';

const misdeeds: readonly Misdeed[] = [
  slowDown,
  accessDenied,
  { status: 500, code: 'InternalError' },
  { status: 404, code: 'NoSuchBucket' },
  { status: 409, code: 'ConditionalRequestConflict' },
  { cut: 'request' },
  { cut: 'answer' },
  { cut: 'body' },
  { delayMs: 50 },
];

faultCase(
  'a store that misbehaves at any request of an upload shows the last result, the new one, or none, and keeps no part of one that has failed',
  async (seed) => {
    await using service = await startObjectStore();
    await using store = await openObjectStore(service.env);
    using folder = temporaryFolder();
    // Enough rows that the companies are brought in parts.
    const rows = Array.from({ length: 1_200 }, (_, index) => matchedRow(index + 1));
    const upload = async (run: number) => {
      const source = sourceOf(rows.slice(run));
      const env = { ...service.env, AWS_MAX_ATTEMPTS: '2' };
      const options = intoStore(service, 'out', { folder: folder.path, env });
      const facts = { ...options.facts, ...ofRun(run) };
      return await (await prepareUpload(source, { ...options, facts })).commit();
    };
    await upload(1);
    const uploads = isLong ? 4 : 2;
    for (let run = 2; run < 2 + uploads; run += 1) {
      const from = service.requests.length + seed.random(20);
      const upTo = from + 1 + seed.random(4);
      const misdeed = seed.pick(misdeeds);
      service.misbehave = ({ method, query }) => {
        const number = service.requests.length;
        // A store that refuses to remove parts keeps them, and an upload that begins unheard is nobody's.
        const isAbort = method === 'DELETE' && query.has('uploadId');
        if (isAbort || (query.has('uploads') && 'cut' in misdeed)) return undefined;
        return number > from && number <= upTo ? misdeed : undefined;
      };
      const failure = await upload(run).then(
        () => undefined,
        (error: unknown) => error,
      );
      service.misbehave = () => undefined;
      const during = `${JSON.stringify(misdeed)} at ${from} to ${upTo}: ${failure}`;
      expect(failure === undefined || failure instanceof DossierError, during).toBe(true);
      expect(await findLie(store, service.bucket, 'out/'), during).toBeUndefined();
      expect(await service.unfinishedUploads(), during).toEqual([]);
      expect(readdirSync(folder.path), during).toEqual([]);
    }
    await upload(2 + uploads);
    expect(await findLie(store, service.bucket, 'out/')).toBeUndefined();
  },
  { long: 60 },
);

/** Enough that the companies are brought in parts. */
const manyRows = 1_200;
/** Requests of an upload that replaces another, at least. */
const requestsOfUpload = 20;

faultCase(
  'kill -9 at any request of an upload leaves the last result, the new one, or none, and the next brings it whole',
  async (seed) => {
    await using service = await startObjectStore();
    await using store = await openObjectStore(service.env);
    using folder = temporaryFolder();
    const kills = 4;
    await uploadIn(service, folder.path, 1);
    for (let kill = 0; kill < kills; kill += 1) {
      const at = 1 + seed.random(requestsOfUpload);
      const isAnswered = seed.random(2) === 0;
      await uploadIn(service, folder.path, 2 + kill, { at, isAnswered });
      const lie = await findLie(store, service.bucket, 'out/');
      expect(lie, `killed at request ${at}`).toBeUndefined();
    }
    await uploadIn(service, folder.path, 2 + kills);
    expect(await findLie(store, service.bucket, 'out/')).toBeUndefined();
    const { 'out/latest.json': latest = '' } = await readBucket(store, service.bucket, 'out/l');
    expect(JSON.parse(latest).run.id).toBe(`r${2 + kills}`);
    const at = { bucket: service.bucket, key: 'out/' };
    await store.removeParts(at, Date.now() + 1_000);
    expect(await service.unfinishedUploads()).toEqual([]);
    // Folders of the killed are swept when they are some minutes old.
    expect(readdirSync(folder.path).length).toBeLessThanOrEqual(kills);
  },
  { short: 0, long: 40 },
);

/** Uploads a run in a process of its own, which is killed at one of its requests, answered or not. */
async function uploadIn(
  service: TestObjectStore,
  folder: string,
  run: number,
  kill?: { readonly at: number; readonly isAnswered: boolean },
): Promise<void> {
  const options = intoStore(service, 'out', { folder, facts: ofRun(run) });
  const script = `
    import { prepareUpload } from ${JSON.stringify(packagePath('src/results/upload/prepare-upload.ts'))};
    const options = ${JSON.stringify({ ...options, env: undefined })};
    const row = ${JSON.stringify(matchedRow(1))};
    const records = {
      inputColumns: ['Company Name', 'ABN'],
      hasPeople: false,
      people: () => [],
      *rows() {
        for (let number = 1; number <= ${manyRows}; number += 1) {
          yield { ...row, number, company: { ...row.company, name: 'Name of run ${run}' } };
        }
      },
    };
    const startedAt = new Date(options.startedAt);
    const prepared = await prepareUpload({ records, rowCount: ${manyRows} }, { ...options, startedAt });
    await prepared.commit();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: cleanEnvironment(service.env),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  let requests = 0;
  service.misbehave = () => {
    requests += 1;
    if (!kill || requests < kill.at) return undefined;
    child.kill('SIGKILL');
    // A request that was sent is answered, though nobody hears it.
    return kill.isAnswered ? undefined : { hangs: true };
  };
  const [code] = await exited;
  service.misbehave = () => undefined;
  if (!kill) expect(code).toBe(0);
}
