import { useId, useState } from 'preact/hooks';
import type { JobFile } from '../../../workbench/api/runs.ts';
import { type ApiProblem, ask, problemOf } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';

/** Makes what scrolls reachable by the keyboard. */
const focusable = { tabIndex: 0 };

/** Saves the job under another name, with a comment for the colleague who runs it every night. */
export function SaveJob({ job }: { readonly job: string }) {
  const id = useId();
  const [to, setTo] = useState('nightly');
  const [comment, setComment] = useState('');
  const [saved, setSaved] = useState<JobFile>();
  const [problem, setProblem] = useState<ApiProblem>();
  const save = async () => {
    setSaved(undefined);
    setProblem(undefined);
    try {
      const body = { to, comment };
      setSaved(await ask<JobFile>('job-file', { method: 'POST', query: { job }, body }));
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <details class="save-job">
      <summary>Save as job file</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <p>
          <label for={`${id}-name`}>Name</label>
          <input
            id={`${id}-name`}
            type="text"
            value={to}
            onInput={({ currentTarget }) => setTo(currentTarget.value)}
          />
        </p>
        <p>
          <label for={`${id}-comment`}>A comment for the people who run it</label>
          <textarea
            id={`${id}-comment`}
            rows={3}
            value={comment}
            onInput={({ currentTarget }) => setComment(currentTarget.value)}
          />
        </p>
        {problem && <Problem problem={problem} />}
        <p>
          <button type="submit">Save</button>
        </p>
        <div role="status">
          {saved && (
            <>
              <p>
                Saved. Every night: <code>dossier run {saved.path}</code>
              </p>
              <pre {...focusable}>{saved.text}</pre>
            </>
          )}
        </div>
      </form>
    </details>
  );
}
