import type { ListRead } from '../../../workbench/api/list-read.ts';
import { count, percent } from '../../parts/text/format.ts';
import { kindName } from '../../parts/text/labels.ts';
import { chooseKind, chooseRole, identifiersOf, roleValue } from './roles.ts';
import type { Choose } from './use-reading.ts';

type Column = ListRead['columns'][number];

interface ColumnHeadProps {
  readonly read: ListRead;
  readonly column: Column;
  readonly choose: Choose;
}

/** What a column is, to be changed in place. */
export function RoleChoice({ read, column, choose }: ColumnHeadProps) {
  const { name, role, isKeyFound } = column;
  const others = identifiersOf(read).filter((entry) => entry.column !== name).length;
  const places = Array.from({ length: others + 1 }, (_, index) => index + 1);
  const value = roleValue(column);
  return (
    <>
      <select
        aria-label={`What ${name} is`}
        class={value === 'nothing' ? 'role' : 'role role-used'}
        value={value}
        onChange={({ currentTarget }) => choose(chooseRole(read, column, currentTarget.value))}
      >
        {/* A column that looks like the key is the key, unless another is chosen. */}
        {!(isKeyFound && value === 'key') && <option value="nothing">–</option>}
        {places.map((place) => (
          <option key={place} value={`identifier ${place}`}>
            {`find companies by: ${place}`}
          </option>
        ))}
        <option value="country">country</option>
        <option value="key">key</option>
      </select>
      {role.is === 'identifier' && (
        <select
          aria-label={`What kind of identifier ${name} holds`}
          class="role role-used"
          value={role.as}
          onChange={({ currentTarget }) => choose(chooseKind(read, column, currentTarget.value))}
        >
          {read.names.kinds.map((kind) => (
            <option key={kind} value={kind}>
              {kindName(kind)}
            </option>
          ))}
        </select>
      )}
    </>
  );
}

/** What a column holds, in a line. */
export function Holds({
  column,
  rowsSeen,
}: {
  readonly column: Column;
  readonly rowsSeen: number;
}) {
  const { role, isKey, filled, good, repeated, identifiers } = column;
  const blank = rowsSeen - filled;
  const blankText = blank === 0 ? '' : ` · ${count(blank)} blank`;
  if (role.is !== 'nothing') {
    const rejected = filled - good;
    return (
      <>
        <span>{`${percent(good, filled)} good`}</span>
        {rejected > 0 && <b class="rejected">{` · ${count(rejected)} rejected`}</b>}
        {blankText}
        {isKey && ' · key'}
      </>
    );
  }
  if (filled === 0) return <>empty</>;
  if (isKey) {
    return <>{repeated === 0 ? `unique${blankText}` : `${count(repeated)} repeated${blankText}`}</>;
  }
  return (
    <>{`${identifiers === 0 ? 'text' : `${percent(identifiers, filled)} identifiers`}${blankText}`}</>
  );
}
