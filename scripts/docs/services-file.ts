import { fieldsBelow } from '../../src/job/job-schema.ts';
import { adapterSchema } from '../../src/job/services/load-adapter.ts';
import { servicesSchema } from '../../src/job/services/load-services.ts';
import { fieldsTable, withoutTwins } from './job-file.ts';
import { fillIn } from './markdown.ts';

/** docs/services-file.md, from the schemas that also check the files. */
export function servicesFilePage(): string {
  const services = withoutTwins(fieldsBelow('', servicesSchema()));
  const adapter = withoutTwins(fieldsBelow('', adapterSchema()))
    // All kinds of identifiers have the same keys.
    .filter(({ key }) => !key.startsWith('company.') || key.startsWith('company.fqdn.'))
    .map((field) => ({ ...field, key: field.key.replace('company.fqdn.', 'company.*.') }));
  const parts = { services: fieldsTable(services), adapter: fieldsTable(adapter) };
  return fillIn('docs/services-file.md', parts);
}
