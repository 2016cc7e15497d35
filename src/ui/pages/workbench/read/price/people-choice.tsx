import type { JobPeople, ListRead } from '../../../../workbench/api/lists.ts';
import { NumberField } from '../number-field.tsx';
import type { Choose } from '../use-reading.ts';

interface PeopleChoiceProps {
  readonly read: ListRead;
  readonly choose: Choose;
}

/** People are searched only on request: they may cost more than all the companies. */
const firstChoice = { seniority: ['C-Suite'], department: [], maxPerCompany: 20 };

export function PeopleChoice({ read, choose }: PeopleChoiceProps) {
  const { people } = read.settings;
  const set = (changed: Partial<JobPeople>) => {
    if (!people) return;
    const { positions: _, ...before } = people;
    const { positions: _others, ...after } = changed;
    choose({ people: { ...before, ...after } });
  };
  return (
    <div class="people-choice">
      <label class="check">
        <input
          type="checkbox"
          checked={people !== null}
          onChange={({ currentTarget }) =>
            choose({ people: currentTarget.checked ? firstChoice : null })
          }
        />
        People of each company found
      </label>
      {people && (
        <>
          <Names
            title="Seniority"
            all={read.names.seniority}
            chosen={people.seniority}
            onSet={(seniority) => set({ seniority })}
          />
          <Names
            title="Department"
            all={read.names.department}
            chosen={people.department}
            onSet={(department) => set({ department })}
          />
          {people.positions.length > 0 && (
            <p class="note">{`Positions, as the job file says: ${people.positions.join(', ')}`}</p>
          )}
          <NumberField
            label="At most, a company"
            value={people.maxPerCompany}
            min={1}
            onSet={(most) => set({ maxPerCompany: most ?? firstChoice.maxPerCompany })}
          />
        </>
      )}
    </div>
  );
}

interface NamesProps {
  readonly title: string;
  readonly all: readonly string[];
  readonly chosen: readonly string[];
  onSet(chosen: readonly string[]): void;
}

/** None chosen is any. */
function Names({ title, all, chosen, onSet }: NamesProps) {
  return (
    <fieldset class="names">
      <legend>{chosen.length === 0 ? `${title}, all of them` : title}</legend>
      {all.map((name) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ currentTarget }) =>
              onSet(
                all.filter((other) =>
                  other === name ? currentTarget.checked : chosen.includes(other),
                ),
              )
            }
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}
