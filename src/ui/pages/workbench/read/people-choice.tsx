import type { JobPeople, ListRead } from '../../../workbench/api.ts';
import { Check, NumberField } from '../../parts/controls.tsx';
import type { Choose } from './use-reading.ts';

/** People may cost more than all companies, so they are searched only on request. */
const firstChoice = { seniority: ['C-Suite'], department: [], maxPerCompany: 20 };
const groups = [
  ['seniority', 'Seniority'],
  ['department', 'Department'],
] as const;

export function PeopleChoice({ read, choose }: { read: ListRead; choose: Choose }) {
  const { people } = read.settings;
  const set = (changed: Partial<JobPeople>) => {
    if (!people) return;
    const { positions: _, ...choice } = { ...people, ...changed };
    choose({ people: choice });
  };
  return (
    <div class="stack">
      <Check
        checked={people !== null}
        onSet={(isWanted) => choose({ people: isWanted ? firstChoice : null })}
      >
        Search for people at each company found
      </Check>
      {people && (
        <>
          {groups.map(([group, title]) => {
            const chosen = people[group];
            return (
              <fieldset key={group} class="names">
                <legend>{chosen.length === 0 ? `${title}: all` : title}</legend>
                {read.names[group].map((name) => (
                  <Check
                    key={name}
                    checked={chosen.includes(name)}
                    onSet={(isChosen) =>
                      set({
                        [group]: read.names[group].filter((other) =>
                          other === name ? isChosen : chosen.includes(other),
                        ),
                      })
                    }
                  >
                    {name}
                  </Check>
                ))}
              </fieldset>
            );
          })}
          {people.positions.length > 0 && (
            <p class="note">{`Positions from the job file: ${people.positions.join(', ')}`}</p>
          )}
          <NumberField
            label="Maximum people per company"
            value={people.maxPerCompany}
            min={1}
            onSet={(most) => set({ maxPerCompany: most ?? firstChoice.maxPerCompany })}
          />
        </>
      )}
    </div>
  );
}
