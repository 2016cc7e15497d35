import { sampleData } from '../../engine/providers/providers.ts';
import { formatPath } from '../file/describe-issue.ts';
import { type FileKind, type Path, parseYamlFile, readText } from '../file/read-yaml-file.ts';
import { fieldsBelow, jsonSchemaOf } from '../job-schema.ts';
import { type Environment, expandVariables } from '../read-address.ts';
import { type DescribedService, Services } from '../schema/services-fields.ts';
import { findServices, requireOwn } from './find-services.ts';

export interface LoadedServices {
  readonly path: string;
  readonly services: Readonly<Record<string, DescribedService>>;
  /** Why a service cannot be used. Only jobs that name it need to know. */
  readonly problems: ReadonlyMap<string, string>;
  positionOf(path: Path): string | undefined;
}

const servicesFile: FileKind<typeof Services> = {
  schema: Services,
  keys: () => fieldsBelow('', servicesSchema()).map(({ key }) => key),
  isSecret: (path) => /^services\.[^.]+\.(?:key|share)$/.test(formatPath(path)),
  remedy: 'Fix that file. docs/services-file.md and `dossier schema --of services` list its keys.',
};

export function servicesSchema() {
  return jsonSchemaOf(Services, 'Dossier services');
}

/** Variables stand only in `url` and `keyFile`; `key` and `share` are read when they are used. */
export function loadServices(path: string, env: Environment): LoadedServices {
  requireOwn(path);
  return parseServices(path, readText(path, 'settings file'), env);
}

/** Names of the services that a job in this folder may use. */
export function servicesFor(jobFolder: string, env: Environment): string[] {
  const path = findServices(jobFolder, env);
  return path === undefined ? [] : Object.keys(loadServices(path, env).services);
}

export function parseServices(path: string, text: string, env: Environment): LoadedServices {
  const problems = new Map<string, string>();
  const { value, positionOf } = parseYamlFile(servicesFile, path, text, (written, at) => {
    const [, name, field] = at;
    const isExpanded = at.length === 3 && (field === 'url' || field === 'keyFile');
    if (!isExpanded) return { text: written, isExpanded: false };
    const expansion = expandVariables(written, env);
    if (!expansion.problem) return expansion;
    problems.set(String(name), `${formatPath(at)}: ${expansion.problem}`);
    return { text: field === 'url' ? sampleData : written, isExpanded: true };
  });
  return { path, services: value.services, problems, positionOf };
}
