import { useState } from 'preact/hooks';
import type {
  JobChoices,
  JobPrice,
  JobTerms,
  MadeJob,
  Settings,
  Theme,
  WorkbenchSettings,
} from '../../workbench/api/lists.ts';
import { NumberField, TextField } from './read/number-field.tsx';
import { spentText } from './shell/amounts.ts';
import { type ApiProblem, ask, problemOf } from './shell/api.ts';
import { Problem } from './shell/problem.tsx';
import { linkTo, renameRoute, titleOf } from './shell/route.ts';
import { useLoaded } from './shell/use-loaded.ts';

/** What holds for the folder, and for the runs of one list. Each value is saved as soon as it is set. */
export function SettingsView({ job }: { readonly job: string | undefined }) {
  const { value, problem, reload } = useSettings(job);
  const [refusal, setRefusal] = useState<ApiProblem>();
  const [saved, setSaved] = useState('');
  if (!value) {
    return problem ? <Problem problem={problem} /> : <p class="wait">Reading the settings …</p>;
  }
  const save = async (write: () => Promise<string>) => {
    setRefusal(undefined);
    setSaved('');
    try {
      setSaved(`Saved in ${await write()}.`);
    } catch (error) {
      setRefusal(problemOf(error));
    }
    reload();
  };
  const keep = (body: Partial<WorkbenchSettings>) =>
    void save(async () => {
      await ask('settings', { method: 'PUT', body });
      return 'output/workbench.json';
    });
  const choose = (body: JobChoices) =>
    void save(async () => {
      const made = await ask<MadeJob>('job', { method: 'PATCH', query: { job }, body });
      if (made.job !== job) renameRoute({ view: 'settings', job: made.job });
      return made.job;
    });
  const { service, spent, folder, version, terms, confirmAbove, theme } = value;
  return (
    <div class="settings">
      <h1>Settings</h1>
      <p class="saved" role="status">
        {saved}
      </p>
      {refusal && <Problem problem={refusal} />}
      <div class="settings-cards">
        {terms && job !== undefined && <Terms job={job} terms={terms} choose={choose} />}
        <section class="card" aria-labelledby="service-title">
          <h2 id="service-title">Service</h2>
          <dl class="facts">
            <Fact
              name="Answers come from"
              value={service.host ?? 'sample data, free and offline'}
            />
            <Fact name="Key" value={keyText(service)} />
            {!service.isSample && <Fact name="Spent today" value={spentText(spent.today)} />}
            {!service.isSample && <Fact name="Spent this month" value={spentText(spent.month)} />}
            <Fact name="Folder" value={folder} />
            <Fact name="Version" value={version} />
          </dl>
        </section>
        <section class="card" aria-labelledby="page-title">
          <h2 id="page-title">This page</h2>
          <NumberField
            label="Confirm a run above this amount"
            value={confirmAbove.money}
            min={0}
            step="any"
            onSet={(money) => keep({ confirmAbove: { ...confirmAbove, money: money ?? 0 } })}
          />
          <NumberField
            label="Without a price, above this many lookups"
            value={confirmAbove.calls}
            min={0}
            onSet={(calls) => keep({ confirmAbove: { ...confirmAbove, calls: calls ?? 0 } })}
          />
          <label class="field">
            Theme
            <select
              value={theme}
              onChange={({ currentTarget }) => keep({ theme: currentTarget.value as Theme })}
            >
              <option value="auto">as the system</option>
              <option value="light">light</option>
              <option value="dark">dark</option>
            </select>
          </label>
        </section>
      </div>
      {!terms && <p class="note">Open a list to set its prices, budgets and rate.</p>}
    </div>
  );
}

function keyText({ isSample, hasKey }: Settings['service']): string {
  if (isSample) return 'not needed';
  return hasKey ? 'found' : 'missing: set DOSSIER_API_KEY and start `dossier ui` again';
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

interface TermsProps {
  readonly job: string;
  readonly terms: JobTerms;
  choose(choices: JobChoices): void;
}

const noPrice: JobPrice = { company: null, people: null, currency: 'AUD' };
const priceOf = { min: 0, max: 1_000, step: 'any', whenEmpty: 'not set' } as const;
const budgetOf = { min: 0, whenEmpty: 'no limit' } as const;

/** What limits and prices the runs of a list. Without a price, runs are counted in lookups. */
function Terms({ job, terms, choose }: TermsProps) {
  const { price, rate, perStart, perDay, perMonth } = terms;
  const setPrice = (changed: Partial<JobPrice>) => {
    const next = { ...(price ?? noPrice), ...changed };
    choose({ price: next.company === null && next.people === null ? null : next });
  };
  return (
    <section class="card" aria-labelledby="terms-title">
      <h2 id="terms-title">{`Runs of ${titleOf(job)}`}</h2>
      <NumberField
        label="Price of a company"
        value={price?.company ?? null}
        {...priceOf}
        onSet={(company) => setPrice({ company })}
      />
      <NumberField
        label="Price of a people search"
        value={price?.people ?? null}
        {...priceOf}
        onSet={(people) => setPrice({ people })}
      />
      <TextField
        label="Currency"
        value={price?.currency ?? ''}
        placeholder="AUD"
        pattern="[A-Za-z]{3}"
        onSet={(currency) => choose({ price: { ...(price ?? noPrice), currency } })}
      />
      <NumberField
        label="Budget of a run, in lookups"
        value={perStart}
        {...budgetOf}
        onSet={(most) => choose({ perStart: most })}
      />
      <NumberField
        label="Budget of a day"
        value={perDay}
        {...budgetOf}
        onSet={(most) => choose({ perDay: most })}
      />
      <NumberField
        label="Budget of a month"
        value={perMonth}
        {...budgetOf}
        onSet={(most) => choose({ perMonth: most })}
      />
      <NumberField
        label="Rate, in lookups a second"
        value={rate}
        min={0.1}
        step="any"
        whenEmpty="as set by default"
        onSet={(perSecond) => choose({ rate: perSecond })}
      />
      <p>
        <a class="button primary" href={linkTo({ view: 'read', job })}>
          Back to the list
        </a>
      </p>
    </section>
  );
}

export function useSettings(job?: string) {
  return useLoaded(`settings ${job}`, (signal) =>
    ask<Settings>('settings', { query: { job }, signal }),
  );
}
