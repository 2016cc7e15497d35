import type { AdapterDefinition } from '../../engine/providers/adapter/definition.ts';
import { type FileKind, parseYamlFile, readText } from '../file/read-yaml-file.ts';
import { fieldsBelow, jsonSchemaOf } from '../job-schema.ts';
import { Adapter, definitionOf, ourFields } from '../schema/adapter-fields.ts';

const adapterFile: FileKind<typeof Adapter> = {
  schema: Adapter,
  keys: () => [
    ...fieldsBelow('', adapterSchema()).map(({ key }) => key),
    ...ourFields.map((field) => `fields.${field}`),
  ],
  isSecret: () => false,
  remedy:
    'Fix that file. `dossier schema --of adapter` lists its keys, and docs/services.md explains them.',
};

export function adapterSchema() {
  return jsonSchemaOf(Adapter, 'Dossier adapter');
}

/** Throws a DossierError that says each problem with its line and column. */
export function loadAdapter(path: string): AdapterDefinition {
  return definitionOf(parseYamlFile(adapterFile, path, readText(path, 'settings file')).value);
}

/** Our fields that are empty for every company of the adapter: `phones`, `nextGen.*`. */
export function fieldsWithout({ fields }: AdapterDefinition): string[] {
  const filled = new Set(Object.keys(fields).map(groupOf));
  const empty = ourFields
    .filter((field) => !Object.hasOwn(fields, field))
    .map((field) => (filled.has(groupOf(field)) ? field : groupOf(field)));
  return [...new Set(empty)];
}

function groupOf(field: string) {
  return field.replace(/\..*/, '.*');
}
