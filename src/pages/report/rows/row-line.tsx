import type { SampledRow } from '../../../report/data/report-data.ts';
import { count } from '../../parts/text/format.ts';
import { kindName, reasonName, statusNames } from '../../parts/text/labels.ts';

interface RowLineProps {
  readonly row: SampledRow;
  readonly index: number;
}

export function RowLine({ row, index }: RowLineProps) {
  const { row: number, status, input, kind, identifier, country, match } = row;
  const isMismatch = status === 'matched' && match === 'mismatch';
  return (
    <tr aria-rowindex={index} class="line">
      <th scope="row" class="place">
        {count(number)}
      </th>
      <td>
        <span class={`tag tag-${status}`}>{statusNames[status]}</span>
        {isMismatch && <span class="tag tag-invalid">mismatch</span>}
      </td>
      <td class="text" title={input}>
        {input || <em>blank</em>}
      </td>
      <td class="text" title={identifier}>
        {identifier && (
          <>
            <small>
              {kindName(kind ?? '')}
              {country && `, ${country}`}
            </small>{' '}
            {identifier}
          </>
        )}
      </td>
      <CompanyOrReason {...row} />
    </tr>
  );
}

/** The company of a matched row, or the reason of any other. */
function CompanyOrReason({ status, company, reason, message }: SampledRow) {
  if (status === 'matched') {
    return (
      <td class="text strong" title={company}>
        {company ?? <em>without a name</em>}
      </td>
    );
  }
  return (
    <td class="text" title={message}>
      {reason && reasonName(reason)}
      {message && <small> {message}</small>}
    </td>
  );
}
