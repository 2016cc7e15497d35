import { readFileSync } from 'node:fs';
import { packagePath } from '../../src/platform/package-path.ts';

/** A package as package-lock.json has it; the root has the lists of package.json. */
interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface Dependency {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

const { packages } = JSON.parse(readFileSync(packagePath('package-lock.json'), 'utf8')) as {
  packages: Readonly<Record<string, LockedPackage>>;
};
const root = packages[''] ?? {};

/** What every installation has, on any platform. */
export function installedPackages(): Dependency[] {
  return describe(reachedFrom(Object.keys(root.dependencies ?? {})));
}

/** What the container has beside it, and whoever installs the optional peers. */
export function optionalPackages(): Dependency[] {
  const installed = reachedFrom(Object.keys(root.dependencies ?? {}));
  const reached = reachedFrom(Object.keys(root.peerDependencies ?? {}));
  return describe(reached.difference(installed));
}

/** Packages that are in the lock for developers, by name. */
export function lockedPackages(names: readonly string[]): Dependency[] {
  return describe(new Set(names.map((name) => `node_modules/${name}`)));
}

/** The places in the lock of these packages and of all that they depend on. */
function reachedFrom(names: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const open = names.map((name) => find(name, ''));
  for (const path of open) {
    if (path === undefined || reached.has(path)) continue;
    reached.add(path);
    const { dependencies, optionalDependencies } = packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      open.push(find(name, path));
    }
  }
  return reached;
}

/** Where Node would find a package from another: in its own folder first, then in those above. */
function find(name: string, from: string): string | undefined {
  const path = from === '' ? `node_modules/${name}` : `${from}/node_modules/${name}`;
  if (packages[path] || from === '') return packages[path] && path;
  return find(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))));
}

function describe(paths: ReadonlySet<string>): Dependency[] {
  const found = new Map<string, Dependency>();
  for (const path of paths) {
    const { version = '', license = 'none named' } = packages[path] ?? {};
    const name = path.split('node_modules/').at(-1) ?? '';
    // The lock has a package once for each folder that it lies in.
    found.set(`${name}@${version}`, { name, version, license });
  }
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, one]) => one);
}
