import { useState } from 'preact/hooks';
import type { MadeJob, Settings } from '../../workbench/api/answers.ts';
import type { JobChoices, WorkbenchSettings } from '../../workbench/api/requests.ts';
import { request } from '../parts/api.ts';
import { Form, NumberField, Problem, Select, TextField } from '../parts/controls.tsx';
import { useAttempt, useRequest } from '../parts/load.ts';
import { Breakable, Fact, InlineCode } from '../parts/text.tsx';
import { linkTo, titleOf } from './route.ts';
import { DescribedServices, KeyField, keyPlace, PriceFields, saveKey } from './services.tsx';

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
  const { terms, theme } = value;
  return (
    <div class="view settings" onInput={() => setSaved('')}>
      <h1>Settings</h1>
      <p class="note" role="status">
        {saved}
      </p>
      <Problem of={refusal} />
      <div class="columns">
        <DescribedServices
          {...{ job, choose, save, terms }}
          isDescribed={value.service.isDescribed}
        />
        <Place {...value} {...{ job, save }} />
        {terms && job !== undefined && <Terms {...value} {...terms} {...{ job, choose }} />}
        <section class="card stack" aria-labelledby="page-title">
          <h2 id="page-title">This page</h2>
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
    </div>
  );
}

type Save = (write: () => Promise<string>) => void;

function Place(props: Settings & { job: string | undefined; save: Save }) {
  const { folder, ledger, ledgerNotes, service, job, save } = props;
  const { host, isSample, isDescribed, hasKey } = service;
  return (
    <section class="card stack" aria-labelledby="service-title">
      <h2 id="service-title">{isDescribed ? 'Folder' : 'Service and folder'}</h2>
      <dl class="facts">
        <Fact name="Service">
          {host === null ? 'sample data, free and offline' : <Breakable text={host} />}
        </Fact>
        {!isDescribed && (
          <Fact name="Key">
            {isSample ? 'not needed for sample data' : hasKey ? 'set, not tested here' : 'missing'}
          </Fact>
        )}
        <Fact name="Folder">
          <Breakable text={folder} />
        </Fact>
        <Fact name="Ledger">
          <Breakable text={ledger} />
        </Fact>
      </dl>
      {ledgerNotes.map((note) => (
        <p key={note} class="note">
          <InlineCode text={note} />
        </p>
      ))}
      {job === undefined ? (
        <p class="note">
          Open a list to enter the key of its service, and to set its budgets and rate.
        </p>
      ) : (
        !isDescribed && <Access {...service} {...{ job, save }} />
      )}
    </section>
  );
}

function Access(props: Settings['service'] & { job: string; save: Save }) {
  const { isSample, overrides, job, save } = props;
  const [url, setUrl] = useState('');
  const [key, setKey] = useState('');
  const send = () =>
    save(async () => {
      const file = await saveKey(job, { key, ...(url.trim() !== '' && { url: url.trim() }) });
      setUrl('');
      setKey('');
      if (file !== job) location.replace(linkTo({ view: 'settings', job: file }));
      return keyPlace;
    });
  return (
    <Form class="stack" aria-label="Access to the service" onSend={send}>
      <label class="field">
        URL
        <input
          type="text"
          value={url}
          placeholder={isSample ? 'https://…' : 'unchanged'}
          onInput={({ currentTarget }) => setUrl(currentTarget.value)}
        />
      </label>
      <KeyField value={key} onSet={setKey} />
      {overrides.length > 0 && (
        <p class="notice">
          <InlineCode
            text={`${overrides.map((name) => `\`${name}\``).join(' and ')} of the terminal that started this page ${overrides.length === 1 ? 'overrides' : 'override'} what you enter here.`}
          />
        </p>
      )}
      <div>
        <button type="submit" disabled={key.trim() === '' || (isSample && url.trim() === '')}>
          Save key
        </button>
      </div>
    </Form>
  );
}

const budgets = [
  ['perStart', 'Limit per start (calls)'],
  ['perDay', 'Limit per day (calls)'],
  ['perMonth', 'Limit per month (calls)'],
] as const;

function Terms(
  terms: NonNullable<Settings['terms']> &
    Pick<Settings, 'service'> & { job: string; choose(choices: JobChoices): void },
) {
  const { job, service, choose } = terms;
  return (
    <section class="card stack" aria-labelledby="terms-title">
      <h2 id="terms-title">{`Runs of ${titleOf(job)}`}</h2>
      {!service.isDescribed && (
        <PriceFields price={terms.price} onSet={(price) => choose({ price })} />
      )}
      {budgets.map(([name, label]) => (
        <NumberField
          key={name}
          label={label}
          value={terms[name]}
          placeholder="no limit"
          onSet={(most) => choose({ [name]: most })}
        />
      ))}
      <NumberField
        label="Confirm a run above this amount"
        value={terms.confirmAbove}
        isDecimal
        {...(terms.price && { currency: terms.price.currency })}
        onSet={(confirmAbove) => choose({ confirmAbove })}
      />
      {!service.isDescribed && (
        <NumberField
          label="Rate (calls per second)"
          value={terms.rate}
          {...{ min: 0.1, isDecimal: true, placeholder: 'default' }}
          onSet={(rate) => choose({ rate })}
        />
      )}
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
