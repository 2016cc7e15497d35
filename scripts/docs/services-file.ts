import { fieldsBelow } from '../../src/job/job-schema.ts';
import { adapterSchema } from '../../src/job/services/load-adapter.ts';
import { servicesSchema } from '../../src/job/services/load-services.ts';
import { table, withoutTwins } from './job-file.ts';

/** docs/services-file.md, from the schemas that also check the files. */
export function servicesFileReference(): string {
  const services = withoutTwins(fieldsBelow('', servicesSchema()));
  const adapter = withoutTwins(fieldsBelow('', adapterSchema()))
    // All kinds of identifiers have the same keys.
    .filter(({ key }) => !key.startsWith('company.') || key.startsWith('company.fqdn.'))
    .map((field) => ({ ...field, key: field.key.replace('company.fqdn.', 'company.*.') }));
  return `${[introduction, table(services), adapters, table(adapter)].join('\n\n')}\n`;
}

const introduction = `# services.yaml and adapters

<!-- Written by \`npm run docs\` from src/job/schema; edit that instead. -->

[services.md](services.md) explains both files. Editors complete their keys with
[their JSON Schemas](cli.md#dossier-schema): \`dossier schema --of services\` and \`--of adapter\`.

## services.yaml`;

const adapters = `## An adapter

\`company\` takes the kinds of identifiers of [identifiers.md](identifiers.md). \`fields\` takes the columns of
[columns.md](columns.md) without \`company_\`, with a dot for each level: \`industry_codes.abn\`.`;
