import type { WholeCompany } from '../../../../workbench/api/whole-row.ts';
import { cellText } from '../table/cell-text.ts';

/** Every field of the company that has a value, by the groups of the interface. */
export function CompanyFields({ company }: { readonly company: WholeCompany }) {
  return (
    <>
      {company.drift.length > 0 && (
        <section class="drawer-part stands-out" aria-label="Drift">
          <h3>Drift: not as the interface says</h3>
          <ul>
            {company.drift.map(({ path, expected, found }) => (
              <li key={`${path} ${expected}`}>
                <code>{path}</code>: {expected} was expected, {found} came
              </li>
            ))}
          </ul>
        </section>
      )}
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
