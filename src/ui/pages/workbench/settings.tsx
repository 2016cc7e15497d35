import { useState } from 'preact/hooks';
import type { JobChoices, MadeJob, Settings, WorkbenchSettings } from '../../workbench/api.ts';
import { request } from '../parts/api.ts';
import { NumberField, Problem, Select, TextField } from '../parts/controls.tsx';
import { useAttempt, useRequest } from '../parts/load.ts';
import { Fact } from '../parts/text.tsx';
import { linkTo, titleOf } from './route.ts';

export function SettingsView({ job }: { job: string | undefined }) {
  const { value, problem, reload } = useSettings(job);
  const { problem: refusal, attempt } = useAttempt();
  const [saved, setSaved] = useState('');
  if (!value) {
    return problem ? <Problem of={problem} /> : <p class="wait">Reading the settings …</p>;
  }
  const save = (write: () => Promise<string>) =>
    attempt(async () => {
      setSaved('');
      await write()
        .then((file) => setSaved(`Saved in ${file}.`))
        .finally(reload);
    });
  const saveForFolder = (body: Partial<WorkbenchSettings>) =>
    save(async () => {
      await request('settings', { method: 'PUT', body });
      return 'output/workbench.json';
    });
  const choose = (body: JobChoices) =>
    save(async () => {
      const made = await request<MadeJob>('job', { method: 'PATCH', query: { job }, body });
      return made.job;
    });
  const { service, folder, terms, confirmAbove, theme } = value;
  return (
    <div class="view settings" onInput={() => setSaved('')}>
      <h1>Settings</h1>
      <p class="note" role="status">
        {saved}
      </p>
      <Problem of={refusal} />
      <div class="cards">
        {terms && job !== undefined && <Terms {...terms} job={job} choose={choose} />}
        <section class="card stack" aria-labelledby="service-title">
          <h2 id="service-title">Service</h2>
          <dl class="facts">
            <Fact name="Answers come from">{service.host ?? 'sample data, free and offline'}</Fact>
            <Fact name="Key">{keyText(service)}</Fact>
            <Fact name="Folder">{folder}</Fact>
          </dl>
        </section>
        <section class="card stack" aria-labelledby="page-title">
          <h2 id="page-title">This page</h2>
          <NumberField
            label="Confirm a run above this amount"
            value={confirmAbove.money}
            min={0}
            step="any"
            onSet={(money) =>
              saveForFolder({ confirmAbove: { ...confirmAbove, money: money ?? 0 } })
            }
          />
          <NumberField
            label="Confirm a run without a price above this many lookups"
            value={confirmAbove.calls}
            min={0}
            onSet={(calls) =>
              saveForFolder({ confirmAbove: { ...confirmAbove, calls: calls ?? 0 } })
            }
          />
          <Select
            label="Theme"
            value={theme}
            options={[
              ['auto', 'system'],
              ['light', 'light'],
              ['dark', 'dark'],
            ]}
            onSet={(chosen) => saveForFolder({ theme: chosen as typeof theme })}
          />
        </section>
      </div>
      {!terms && <p class="note">Open a list to set its prices, budgets and rate.</p>}
    </div>
  );
}

function keyText({ isSample, hasKey }: Settings['service']) {
  if (isSample)
    return 'not needed; to use a service, set DOSSIER_API_KEY and start `dossier ui --url …`';
  return hasKey ? 'found' : 'missing: set DOSSIER_API_KEY and start `dossier ui` again';
}

const noPrice = { company: null, people: null, currency: 'AUD' };
const budgets = [
  ['perStart', 'Budget per start (lookups)'],
  ['perDay', 'Budget per day (lookups)'],
  ['perMonth', 'Budget per month (lookups)'],
] as const;

function Terms(
  terms: NonNullable<Settings['terms']> & { job: string; choose(choices: JobChoices): void },
) {
  const { job, choose } = terms;
  const price = terms.price ?? noPrice;
  const setPrice = (changed: Partial<JobChoices['price']>) => {
    const next = { ...price, ...changed };
    choose({ price: next.company === null && next.people === null ? null : next });
  };
  const priceField = (label: string, of: 'company' | 'people') => (
    <NumberField
      label={label}
      value={price[of]}
      {...{ min: 0, max: 1_000, step: 'any', placeholder: 'not set' }}
      onSet={(amount) => setPrice({ [of]: amount })}
    />
  );
  return (
    <section class="card stack" aria-labelledby="terms-title">
      <h2 id="terms-title">{`Runs of ${titleOf(job)}`}</h2>
      {priceField('Price per company', 'company')}
      {priceField('Price per page of people', 'people')}
      <TextField
        label="Currency"
        value={terms.price?.currency ?? ''}
        placeholder="default: AUD"
        pattern="[A-Za-z]{3}"
        onSet={(text) =>
          text !== '' && choose({ price: { ...price, currency: text.toUpperCase() } })
        }
      />
      {budgets.map(([name, label]) => (
        <NumberField
          key={name}
          label={label}
          value={terms[name]}
          min={0}
          placeholder="no limit"
          onSet={(most) => choose({ [name]: most })}
        />
      ))}
      <NumberField
        label="Rate (lookups per second)"
        value={terms.rate}
        {...{ min: 0.1, step: 'any', placeholder: 'default' }}
        onSet={(rate) => choose({ rate })}
      />
      <TextField
        label="Suppression lists, separated by commas"
        value={terms.suppress.join(', ')}
        placeholder="none"
        onSet={(paths) => choose({ suppress: paths.split(/[\s,]*,[\s,]*/).filter(Boolean) })}
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
  return useRequest<Settings>('settings', { job });
}
