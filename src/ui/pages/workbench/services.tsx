import { useState } from 'preact/hooks';
import { counted } from '../../../core/values/format.ts';
import { formatMoney, readAmount } from '../../../core/values/money.ts';
import type {
  MadeJob,
  ServiceAnswer,
  Services,
  ServiceUsage,
  Settings,
} from '../../workbench/api/answers.ts';
import type { JobChoices, ServiceChoices } from '../../workbench/api/requests.ts';
import { request } from '../parts/api.ts';
import { Button, Form, NumberField, Problem, TextField } from '../parts/controls.tsx';
import { useAttempt, useRequest } from '../parts/load.ts';
import { Breakable, Fact } from '../parts/text.tsx';

type Service = Services['services'][number];

interface Props {
  /** Absent: of the folder. */
  job: string | undefined;
  isDescribed: boolean;
  terms: Settings['terms'];
  choose(choices: JobChoices): void;
  save(write: () => Promise<string>): void;
}

/** The file is often elsewhere, and other lists use it too, so its path is shown. */
export function DescribedServices(props: Props) {
  const { job, save } = props;
  const { value, problem, reload } = useRequest<Services | null>('services', { job });
  const usage = useRequest<ServiceUsage[]>('services/usage', value ? { job } : null);
  if (!value) return <Problem of={problem} />;
  const change = (body: ServiceChoices) =>
    save(async () => {
      const options = { method: 'PATCH', query: { job }, body } as const;
      const { file } = await request<{ file: string }>('services', options).finally(reload);
      return file;
    });
  return (
    <>
      {value.services.map((service) => (
        <ServiceTerms
          key={service.name}
          {...{ ...props, service, change, file: value.file }}
          usage={usage.value?.find((one) => one.service === service.name)}
        />
      ))}
    </>
  );
}

const periods = [
  ['perStart', 'Limit per start'],
  ['perDay', 'Limit per day'],
  ['perMonth', 'Limit per month'],
] as const;

function ServiceTerms(
  props: Props & {
    service: Service;
    file: string;
    usage: ServiceUsage | undefined;
    change(choices: ServiceChoices): void;
  },
) {
  const { service, file, job, isDescribed, terms, usage, choose, change, save } = props;
  const [entered, setEntered] = useState('');
  const [keysSaved, setKeysSaved] = useState(0);
  const { name, isUsed, host, key, hasKey, price, rate, budget, problem } = service;
  return (
    <details class="card" open={isUsed || !isDescribed || job === undefined}>
      <summary>
        <h2>
          Service <bdi>{name}</bdi>
        </h2>{' '}
        {job !== undefined && (
          <small>{isUsed ? 'used by this list' : 'not used by this list'}</small>
        )}
      </summary>
      <fieldset class="stack" aria-label={`Service ${name}`}>
        {problem !== null && (
          <p class="notice failed">
            <Breakable text={problem} />
          </p>
        )}
        <p class="note">
          Described in <Breakable text={file} />, for every list that uses it. Today and this month
          count calls that were or may have been charged.
        </p>
        <dl class="facts">
          <Fact name="Address">{host === null ? 'sample data' : <Breakable text={host} />}</Fact>
          <Fact name="Key">
            <Breakable text={hasKey || key === '' ? key : `${key}, but not there`} />
          </Fact>
          <Fact name="Today">{usage && used(usage.today, usage.paidToday)}</Fact>
          <Fact name="This month">{usage && used(usage.thisMonth, usage.paidThisMonth)}</Fact>
          {usage?.budget.map((limit) => (
            <Fact key={limit} name="Limit in force">
              {limit}
            </Fact>
          ))}
        </dl>
        {!isDescribed && job !== undefined && (
          <div>
            <Button onClick={() => choose({ service: name })}>Use {name} for this list</Button>
          </div>
        )}
        {service.isKeyEntered && job !== undefined && (
          <Form
            class="row"
            aria-label={`Key of ${name}`}
            onSend={() =>
              save(async () => {
                await saveKey(job, { name, key: entered });
                setEntered('');
                setKeysSaved(keysSaved + 1);
                return keyPlace;
              })
            }
          >
            <KeyField value={entered} onSet={setEntered} />
            <button type="submit" disabled={entered.trim() === ''}>
              Save key
            </button>
          </Form>
        )}
        {host !== null && (
          <>
            <PriceFields price={price} onSet={(next) => change({ name, price: next })} />
            {periods.map(([period, label]) => (
              <TextField
                key={period}
                label={label}
                value={budget[period] ?? ''}
                placeholder="500, or 100 AUD"
                problemOf={(text) =>
                  text === '' || readLimit(text)
                    ? ''
                    : 'Write calls such as 500, or money such as 100 AUD.'
                }
                meaningOf={(text) => readLimit(text)?.meaning ?? 'none'}
                onSet={(text) =>
                  change({ name, budget: { [period]: readLimit(text)?.written ?? '' } })
                }
              />
            ))}
            <NumberField
              label="Rate (calls per second)"
              value={rate === 'none' ? null : rate}
              {...{
                min: 0.1,
                isDecimal: true,
                placeholder: rate === 'none' ? 'no limit' : `${terms?.rate ?? 'default'}`,
              }}
              onSet={(next) => change({ name, rate: next })}
            />
          </>
        )}
        {service.test && (
          <Test
            key={keysSaved}
            {...{ job, name, hasKey, ...service.test }}
            remedy={
              service.isKeyEntered && job !== undefined
                ? 'Enter the key again above.'
                : `Correct the key ${key}, and start \`dossier ui\` again.`
            }
          />
        )}
      </fieldset>
    </details>
  );
}

/** `12 calls, AUD 1.44` */
function used(calls: number | null, paid: string | null) {
  return calls === null ? null : [counted(calls, 'call'), paid].filter(Boolean).join(', ');
}

export const keyPlace = 'a file that only you can read';

/** Returns the job file, which may be new. */
export async function saveKey(
  job: string,
  body: { readonly key: string; readonly url?: string; readonly name?: string },
) {
  const made = await request<MadeJob>('key', { method: 'PUT', query: { job }, body });
  return made.job;
}

export function KeyField({ value, onSet }: { value: string; onSet(key: string): void }) {
  return (
    <label class="field">
      API key
      <input
        type="password"
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => onSet(currentTarget.value)}
      />
    </label>
  );
}

/** `500` is a number of calls, `100 AUD` money. */
function readLimit(text: string) {
  const [number = '', code = '', ...more] = text.toUpperCase().split(' ');
  const amount = readAmount(number);
  if (amount === undefined || amount > 1e9 || more.length > 0) return undefined;
  if (/^[A-Z]{3}$/.test(code)) {
    return { written: `${amount} ${code}`, meaning: formatMoney(code, amount) };
  }
  const isCalls = code === '' && Number.isInteger(amount);
  return isCalls ? { written: String(amount), meaning: counted(amount, 'call') } : undefined;
}

function Test(
  props: NonNullable<Service['test']> &
    Pick<Props, 'job'> & { name: string; hasKey: boolean; remedy: string },
) {
  const { job, name, hasKey, remedy, request: asked, cost } = props;
  const [answer, setAnswer] = useState<ServiceAnswer>();
  const { problem, isBusy, attempt } = useAttempt();
  const test = () =>
    attempt(async () => {
      setAnswer(undefined);
      const options = { query: { job }, body: { name } };
      setAnswer(await request<ServiceAnswer>('services/check', options));
    });
  return (
    <>
      <div>
        <Button disabled={isBusy || !hasKey} onClick={test}>
          {isBusy ? 'Testing …' : `Test connection · ${cost === null ? 'free' : `up to ${cost}`}`}
        </Button>
      </div>
      <p class="note">
        Sends one request: <Breakable text={asked} />
      </p>
      <div role="status">
        {answer && (
          <p class="note">
            ✓ <Breakable text={answer.finding} />. It cost {answer.cost}.
          </p>
        )}
      </div>
      <Problem of={problem?.code === 'KEY_REFUSED' ? { ...problem, remedy } : problem} />
    </>
  );
}

type Price = NonNullable<JobChoices['price']>;
const noPrice: Price = { company: null, people: null, currency: 'AUD' };

export function PriceFields(props: { price: Price | null; onSet(price: Price | null): void }) {
  const { price, onSet } = props;
  const before = price ?? noPrice;
  const set = (changed: Partial<Price>) => {
    const next = { ...before, ...changed };
    onSet(next.company === null && next.people === null ? null : next);
  };
  const field = (label: string, of: 'company' | 'people') => (
    <NumberField
      label={label}
      value={before[of]}
      {...{ max: 1_000, isDecimal: true, currency: before.currency, placeholder: 'not set' }}
      onSet={(amount) => set({ [of]: amount })}
    />
  );
  return (
    <>
      {field('Price per company', 'company')}
      {field('Price per page of people', 'people')}
      <TextField
        label="Currency"
        value={price?.currency ?? ''}
        placeholder="default: AUD"
        pattern="[A-Za-z]{3}"
        onSet={(text) => text !== '' && onSet({ ...before, currency: text.toUpperCase() })}
      />
    </>
  );
}
