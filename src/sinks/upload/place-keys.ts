import type { ObjectAddress } from '../../objects/object-store.ts';

/** What stands for the placeholders of a path, apart from the table. */
export interface PathValues {
  readonly job: string;
  /** `r7` */
  readonly run: string;
  /** `2026-08-22` */
  readonly date: string;
}

/** Where the objects of one result go. */
export interface PlaceKeys {
  /** What is shown to people: where the manifest lies. */
  readonly folder: ObjectAddress;
  /** Whether the tables have folders of their own, so that files do not lie beside the manifest. */
  readonly isByTable: boolean;
  /** Of the file of a table, or of the manifest and report, which are `runs`. */
  file(table: string, name: string): ObjectAddress;
}

/** The table whose folder has what tells of the run itself. */
export const runsTable = 'runs';

const placeholder = /\{(table|date|run|job)\}/g;

/**
 * Fills a path: `runs/{date}/{table}`, and `companies.csv` → `runs/2026-08-22/companies/companies.csv`. A
 * result that is put aside has a folder of its own where the varying part begins, `runs/held-r7/…`: within
 * the folder of a table it would pass for part of it.
 */
export function placeKeys(
  { bucket, key }: ObjectAddress,
  values: PathValues,
  aside?: string,
): PlaceKeys {
  const fixed = fixedPart(key, values);
  const varying = fillIn(key, values).slice(fixed.length);
  const folderOf = (table: string) =>
    joined(fixed, aside ?? '', varying.replaceAll('{table}', table));
  return {
    folder: { bucket, key: folderOf(runsTable) },
    isByTable: varying.includes('{table}'),
    file: (table, name) => ({ bucket, key: joined(folderOf(table), name) }),
  };
}

/** Where `latest.json` and what is put aside lie: the folders before the first that varies. */
export function fixedFolder({ bucket, key }: ObjectAddress, values: PathValues): ObjectAddress {
  return { bucket, key: joined(fixedPart(key, values)) };
}

function fixedPart(path: string, values: PathValues): string {
  const withJob = path.replaceAll('{job}', values.job);
  const varies = withJob.search(placeholder);
  return varies === -1 ? withJob : withJob.slice(0, withJob.lastIndexOf('/', varies) + 1);
}

function fillIn(path: string, values: PathValues): string {
  return path.replace(placeholder, (whole, name: keyof PathValues | 'table') =>
    name === 'table' ? whole : values[name],
  );
}

/** Without empty parts: to a store `a//b` is another key than `a/b`. */
function joined(...parts: readonly string[]): string {
  return parts
    .flatMap((part) => part.split('/'))
    .filter((part) => part !== '')
    .join('/');
}
