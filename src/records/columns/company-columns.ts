import { Company } from '../../contract/company.ts';
import { type Column, fieldColumn, ownColumn } from './columns.ts';
import { fieldsOf, type ObjectFields } from './interface-fields.ts';

export const companyFields: ObjectFields = fieldsOf(Company);

/** One column for each value of the interface, in its order, and one for what it does not name. */
export const companyColumns: readonly Column[] = [
  ...companyFields.values.map((field) => fieldColumn(field, 'company_')),
  ownColumn(
    'company_extra',
    'json',
    'What the interface does not name, or what came in a type that could not be kept, under its own path.',
  ),
];
