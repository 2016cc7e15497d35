import { useId, useState } from 'preact/hooks';
import type { JobFile } from '../../../workbench/api/history.ts';
import { type ApiProblem, ask, problemOf } from '../shell/api.ts';
import { Problem } from '../shell/problem.tsx';
import { useLoaded } from '../shell/use-loaded.ts';

/** Saves the job under another name, with a comment for the colleague who runs it every night. */
export function SaveJob({ job }: { readonly job: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="save-job" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Save as job file</summary>
      {isOpen && <SaveForm job={job} />}
    </details>
  );
}

/** Makes what scrolls reachable by the keyboard. */
const focusable = { tabIndex: 0 };

function SaveForm({ job }: { readonly job: string }) {
  const id = useId();
  const [to, setTo] = useState('nightly');
  const [comment, setComment] = useState('');
  const [saved, setSaved] = useState<JobFile>();
  const [refused, setRefused] = useState<ApiProblem>();
  const body = { to, comment };
  const draft = useLoaded(`${to}\n${comment}`, (signal) =>
    ask<JobFile>('job-file', {
      ...{ method: 'POST', query: { job }, signal },
      body: { ...body, isDry: true },
    }),
  );
  const save = async () => {
    try {
      setSaved(await ask<JobFile>('job-file', { method: 'POST', query: { job }, body }));
      setRefused(undefined);
    } catch (error) {
      setRefused(problemOf(error));
    }
  };
  const problem = refused ?? draft.problem;
  return (
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
          onInput={({ currentTarget }) => {
            setTo(currentTarget.value);
            setRefused(undefined);
          }}
        />
      </p>
      <p>
        <label for={`${id}-comment`}>A comment for those who will run it</label>
        <textarea
          id={`${id}-comment`}
          rows={3}
          value={comment}
          onInput={({ currentTarget }) => setComment(currentTarget.value)}
        />
      </p>
      {problem && <Problem problem={problem} />}
      {draft.value && !problem && (
        <figure>
          <figcaption>
            What <b>{draft.value.path}</b> will say
          </figcaption>
          <pre {...focusable}>{draft.value.text}</pre>
        </figure>
      )}
      <p>
        <button type="submit" disabled={problem !== undefined}>
          Save
        </button>
      </p>
      <p role="status">
        {saved && (
          <>
            Saved. Every night: <code>dossier run {saved.path}</code>
          </>
        )}
      </p>
    </form>
  );
}
