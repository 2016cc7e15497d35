import type { WholeCompany } from '../../../../workbench/api/whole-row.ts';
import { cellText } from '../table/cell-text.ts';

/** Every field of the company that has a value, by the groups of the interface. */
export function CompanyFields({ company }: { readonly company: WholeCompany }) {
  return (
    <>
      {company.groups.map(({ name, fields }) => (
        <section key={name} class="drawer-part" aria-label={name}>
          <h3>{name}</h3>
          <dl class="fields">
            {fields.map(({ column, value }) => (
              <div key={column.name}>
                <dt title={column.about}>{column.label}</dt>
                <dd>{cellText(value, column.type)}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </>
  );
}
