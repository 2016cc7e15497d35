import { useState } from 'preact/hooks';
import { type ApiProblem, ask, problemOf } from '../../shell/api.ts';
import { Problem } from '../../shell/problem.tsx';

interface SavePresetProps {
  readonly columns: readonly string[];
  readonly onSaved: (name: string) => void;
}

/** Keeps the columns that are shown under a name, for every list of the folder. */
export function SavePreset({ columns, onSaved }: SavePresetProps) {
  const [label, setLabel] = useState('');
  const [problem, setProblem] = useState<ApiProblem>();
  const save = () => {
    setProblem(undefined);
    ask<{ name: string }>('presets', {
      method: 'PUT',
      body: { label: label.trim(), columns },
    }).then(
      ({ name }) => {
        setLabel('');
        onSaved(name);
      },
      (error) => setProblem(problemOf(error)),
    );
  };
  return (
    <>
      <form
        class="save-preset"
        onSubmit={(event) => {
          event.preventDefault();
          if (label.trim() !== '') save();
        }}
      >
        <input
          type="text"
          aria-label="Name for these columns"
          placeholder="Save these columns as …"
          maxLength={60}
          value={label}
          onInput={({ currentTarget }) => setLabel(currentTarget.value)}
        />
        <button type="submit" disabled={label.trim() === ''}>
          Save
        </button>
      </form>
      {problem && <Problem problem={problem} />}
    </>
  );
}
