import type { ListRead } from '../../../workbench/api/list-read.ts';
import { Breakable } from '../../parts/text/breakable.tsx';
import { count } from '../../parts/text/format.ts';

/** Values that will not do, by column and reason, with examples. */
export function RejectedValues({ read }: { readonly read: ListRead }) {
  const columns = read.columns.filter(({ rejects }) => rejects.length > 0);
  if (columns.length === 0) return null;
  return (
    <section class="rejected-values" aria-labelledby="rejected-title">
      <h2 id="rejected-title">What is rejected here, before it costs anything</h2>
      <div class="rejected-columns">
        {columns.map(({ name, rejects }) => (
          <div key={name} class="card">
            <h3>{name}</h3>
            <ul>
              {rejects.map(({ reject, message, rows, examples }) => (
                <li key={reject}>
                  <b>{count(rows)}</b>
                  <div>
                    {message}
                    <small>
                      <Breakable text={examples.join(' · ')} />
                    </small>
                  </div>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </section>
  );
}
