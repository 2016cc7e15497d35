import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { Company, Person } from '../core/contract/company.ts';
import { departmentNames, seniorityNames } from '../core/contract/reference.ts';
import { DossierError } from '../core/errors.ts';
import { parseCountry } from '../core/identify/parse-country.ts';
import { isRecord, keepNumberAsWritten } from '../core/values/parse-json.ts';
import { nameNetwork } from '../engine/providers/company-data/network-name.ts';
import { readBytes } from '../platform/files/read-bytes.ts';
import { readLines } from '../platform/files/read-lines.ts';
import { packagePath } from '../platform/package-path.ts';
import {
  openStore,
  type Store,
  type StoredCompany,
  type StoredPerson,
  storedColumns,
} from './open-store.ts';

interface LoadProgress {
  companies: number;
  people: number;
  badLines: number;
  share: number | undefined;
}

interface LoadOptions {
  isStrict?: boolean;
  onBadLine?: (line: { file: string; number: number; problem: string }) => void;
  onProgress?: (progress: LoadProgress) => void;
}

/** Loads twice as fast as with 1,000 lines: every transaction rewrites most index pages. */
const transactionLimits = { lines: 10_000, characters: 16 * 1024 * 1024 };
const maxLineBytes = 16 * 1024 * 1024;
const tooLong: BadLine = { problem: 'longer than 16 MiB' };

export async function loadFiles(
  store: Store,
  paths: readonly string[],
  options: LoadOptions = {},
): Promise<LoadProgress> {
  const files = await Promise.all(paths.map((path) => readBytes(path)));
  const sizes = files.map((file) => file.sizeBytes);
  const totalBytes = sizes.includes(undefined) ? undefined : sum(sizes as number[]);
  const progress: LoadProgress = { companies: 0, people: 0, badLines: 0, share: undefined };

  const put = (lines: readonly StoreLine[]) => {
    store.inTransaction(() => {
      for (const line of lines) putLine(store, line);
    });
    for (const line of lines) progress['company' in line ? 'companies' : 'people'] += 1;
    progress.share = totalBytes && sum(files.map((file) => file.bytesRead())) / totalBytes;
    options.onProgress?.(progress);
  };

  for (const file of files) {
    let batch: StoreLine[] = [];
    let characters = 0;
    for await (const { number, text, isTooLong } of readLines(file.bytes, maxLineBytes)) {
      if (text.trim() === '') continue;
      const line = isTooLong ? tooLong : readLine(text);
      if ('problem' in line) {
        progress.badLines += 1;
        options.onBadLine?.({ file: file.name, number, ...line });
        if (!options.isStrict) continue;
        put(batch);
        throw new DossierError('INPUT_INVALID', `${file.name}:${number}: ${line.problem}`);
      }
      batch.push(line);
      characters += text.length;
      if (batch.length === transactionLimits.lines || characters > transactionLimits.characters) {
        put(batch);
        batch = [];
        characters = 0;
      }
    }
    put(batch);
  }
  return progress;
}

function putLine(store: Store, line: StoreLine) {
  if ('company' in line) store.putCompany(line.company);
  else store.putPerson(line.person);
}

function sum(numbers: readonly number[]) {
  return numbers.reduce((total, number) => total + number, 0);
}

type StoreLine = { company: StoredCompany } | { person: StoredPerson };
type BadLine = { problem: string };

const idAmong = (names: Record<number, string>) =>
  z
    .union([z.int(), z.string().regex(/^\d+$/).transform(Number)])
    .pipe(z.int().min(1).max(Object.keys(names).length));

const PersonLine = Person.extend({
  company_id: z.string().min(1),
  seniority: idAmong(seniorityNames),
  department: idAmong(departmentNames),
  country: z.string().nullish(),
});

const storeFields = ['company_id', 'seniority', 'department', 'country'] as const;

function readLine(text: string): StoreLine | BadLine {
  const value = parseJson(text);
  if (!isRecord(value)) return { problem: value === undefined ? 'not JSON' : 'not a JSON object' };
  return 'person_id' in value ? readPerson(text, value) : readCompany(text, value);
}

function readCompany(text: string, value: object): StoreLine | BadLine {
  const named = nameNetwork(value);
  const parsed = Company.safeParse(named);
  if (!parsed.success) return { problem: describe(parsed.error) };
  // The original text preserves numbers and field order.
  const body = named === value ? text.trim() : restate(text, nameNetwork);
  return { company: { ...storedColumns(parsed.data), body } };
}

function readPerson(text: string, value: object): StoreLine | BadLine {
  const parsed = PersonLine.safeParse(nameNetwork(value));
  if (!parsed.success) return { problem: describe(parsed.error) };
  const { data } = parsed;
  const country = parseCountry(data.country ?? '');
  if (typeof country === 'object') return { problem: `country: ${country.message}` };
  return {
    person: {
      personId: data.person_id,
      companyId: data.company_id,
      country: country ?? null,
      seniority: data.seniority,
      department: data.department,
      position: data.position ?? null,
      body: restate(text, (person) => withoutStoreFields(nameNetwork(person))),
    },
  };
}

function withoutStoreFields(person: unknown): unknown {
  const kept = { ...(person as Record<string, unknown>) };
  for (const field of storeFields) delete kept[field];
  return kept;
}

/** 1.0 stays 1.0, and long numbers keep every digit. */
function restate(text: string, change: (value: unknown) => unknown) {
  return JSON.stringify(change(JSON.parse(text, keepNumberAsWritten)));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `employee_count: expected int, received string` */
function describe(error: z.ZodError) {
  return error.issues
    .slice(0, 3)
    .map(({ path, message }) => `${path.join('.')}: ${message.replace(/^Invalid input: /, '')}`)
    .join('; ');
}

/** Loads people on demand, because most runs on sample data never search them. */
export async function openSampleStore(): Promise<Store> {
  const store = openStore(':memory:');
  await loadFiles(store, [packagePath('fixtures/sample', 'companies.jsonl')], { isStrict: true });
  let hasPeople = false;
  const withPeople = (): Store => {
    if (!hasPeople) loadPeople(store);
    hasPeople = true;
    return store;
  };
  return {
    ...store,
    searchPeople: (search) => withPeople().searchPeople(search),
    counts: () => withPeople().counts(),
  };
}

function loadPeople(store: Store) {
  const text = readFileSync(packagePath('fixtures/sample', 'people.jsonl'), 'utf8');
  store.inTransaction(() => {
    for (const line of text.trimEnd().split('\n')) {
      const read = readLine(line);
      if ('problem' in read) throw new Error(`the sample data has a bad line: ${read.problem}`);
      putLine(store, read);
    }
  });
}
