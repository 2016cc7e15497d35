import { notSupported } from '../../runtime/files/local-path.ts';
import { text } from './fields.ts';

const expected = 'the path of a folder, or s3://bucket/prefix';

/** Where files go: a folder of this machine, or a part of a bucket. */
export function outputPath() {
  return text(expected)
    .refine((path) => notSupported(path, [objectScheme]) === undefined, {
      error: ({ input }) => `${expected}; ${notSupported(String(input), [objectScheme])}`,
    })
    .refine((path) => !isObjectPath(path) || bucketOf.test(path), {
      error: `${expected}: the name of a bucket, and no user, password or query; credentials come from the environment`,
    })
    .refine((path) => !/[{}]/.test(path.replace(/\{(?:date|run|job)\}/g, '')), {
      error: `${expected}, in which {date}, {run} and {job} are filled in`,
    });
}

const objectScheme = 's3://';

/** `s3://bucket/prefix`; anything else is a path of this machine. */
export function isObjectPath(path: string): boolean {
  return path.toLowerCase().startsWith(objectScheme);
}

/** A bucket never has a variable in its name: it has to be there. */
const bucketOf = /^s3:\/\/[a-z0-9][a-z0-9._-]{1,61}[a-z0-9](?:\/[^?#]*)?$/;
