import { z } from 'zod';
import type { ErrorCode } from '../../../core/errors.ts';
import type { RunFacts } from '../../../results/manifest.ts';
import type { ListReading } from '../../overview/list-reading.ts';

/** What every view shows of where it is. */
export interface FolderState {
  /** The page shows one run and can change nothing. */
  readonly isReadOnly: boolean;
  readonly isSample: boolean;
  readonly theme: Theme;
  /** Differs whenever a file or a run of the folder has changed. */
  readonly stamp: string;
}

export type Theme = WorkbenchSettings['theme'];

/** What the page keeps for a folder, in `output/workbench.json`. */
export const WorkbenchSettings = z.object({
  /** A run above this has to be confirmed: in money if the job has a price, otherwise in lookups. */
  confirmAbove: z
    .object({ calls: z.number().min(0), money: z.number().min(0) })
    .default({ calls: 1_000, money: 100 }),
  theme: z.enum(['auto', 'light', 'dark']).default('auto'),
  /** Columns saved under a name for every list of the folder. */
  presets: z
    .array(z.object({ name: z.string(), label: z.string(), columns: z.array(z.string()).min(1) }))
    .default([]),
});
export type WorkbenchSettings = z.output<typeof WorkbenchSettings>;

/** What the view Settings shows: for a folder, and for one job of it. */
export interface Settings extends WorkbenchSettings {
  readonly folder: string;
  readonly version: string;
  readonly service: {
    /** Null where sample data answers. */
    readonly host: string | null;
    readonly isSample: boolean;
    /** Whether there is a key. The key itself never leaves the server. */
    readonly hasKey: boolean;
  };
  readonly spent: { readonly today: Spent; readonly month: Spent };
  /** Null without a job. */
  readonly terms: JobTerms | null;
}

/** What limits and prices the runs of a job; null for what is not set. */
export type JobTerms = Required<
  Pick<JobChoices, 'rate' | 'price' | 'perStart' | 'perDay' | 'perMonth' | 'suppress'>
>;

export interface Spent {
  /** That may be charged. */
  readonly requests: number;
  /** What is charged for answers, and what may be charged on top. */
  readonly money: readonly Amount[];
  readonly possibleMoney: readonly Amount[];
  /** Requests whose price is not set. */
  readonly unpriced: number;
}

export interface Amount {
  readonly currency: string;
  readonly amount: number;
}

/** A job of the folder, or a list that no job reads. */
export interface ListCard {
  /** The path of the job file, or of the list, from the folder. */
  readonly path: string;
  /** The name of the list's file; null where it is not known or is standard input. */
  readonly list: string | null;
  /** Of the list; null where it is not there. */
  readonly bytes: number | null;
  /** What is wrong with the job file; null where it can be run. */
  readonly problem: string | null;
  readonly isRunning: boolean;
  /** The newest run; null where it has not run. */
  readonly last: RunFacts | null;
  /** What fits next. */
  readonly verb: CardVerb;
}

export type CardVerb = 'watch' | 'go on' | 'fix' | 'run again' | 'read';

/** The job that a request has led to, such as the draft for a list that was dropped. */
export interface MadeJob {
  readonly job: string;
}

/** A list as it was read, what its columns are, and what the job says about it. */
export interface ListRead extends ListReading {
  /** The path of the job file; of the list, where it has no job file yet. */
  readonly job: string;
  readonly isBare: boolean;
  /** The name of the list's file. */
  readonly list: string;
  readonly settings: JobSettings;
  readonly names: {
    readonly kinds: readonly string[];
    readonly countries: readonly string[];
    readonly encodings: readonly string[];
    readonly seniority: readonly string[];
    readonly department: readonly string[];
  };
  readonly service: { readonly isSample: boolean; readonly hasKey: boolean };
  /** Where the encoding is a guess: the guess first, then others, each with up to two lines that it changes. */
  readonly encodings: readonly { readonly name: string; readonly lines: readonly string[] }[];
}

/** What the page shows of a job beside its columns. */
export interface JobSettings {
  /** As the job has them; null where they are found out. */
  readonly sheet: string | null;
  readonly headerRow: number | null;
  readonly delimiter: string | null;
  readonly encoding: string | null;
  /** Country of rows that name none. */
  readonly country: string;
  readonly people: JobPeople | null;
}

export interface JobPeople extends NonNullable<JobChoices['people']> {
  /** Position titles, which only the job file can change. */
  readonly positions: readonly string[];
}

const text = z.string().max(10_000);
const names = z.array(text).max(100).readonly();
const number = z.number().nullable().exactOptional();

/** What the user has chosen for a job. What is absent stays; null takes it out of the job. */
export const JobChoices = z.strictObject({
  sheet: text.nullable().exactOptional(),
  headerRow: z.int().nullable().exactOptional(),
  delimiter: text.nullable().exactOptional(),
  encoding: text.nullable().exactOptional(),
  identify: z
    .array(z.strictObject({ column: text, as: text }))
    .max(100)
    .readonly()
    .exactOptional(),
  country: z.strictObject({ column: text.nullable(), default: text }).exactOptional(),
  key: text.nullable().exactOptional(),
  rate: number,
  perStart: number,
  perDay: number,
  perMonth: number,
  /** Paths of suppression lists, from the job file. */
  suppress: names.exactOptional(),
  price: z
    .strictObject({
      /** Null where it is not set. */
      company: z.number().nullable(),
      people: z.number().nullable(),
      currency: text,
    })
    .nullable()
    .exactOptional(),
  people: z
    .strictObject({
      // Written first, so that the group is there when the others are taken out.
      maxPerCompany: z.number(),
      /** Names; none stands for all. */
      seniority: names,
      department: names,
    })
    .nullable()
    .exactOptional(),
});
export type JobChoices = z.output<typeof JobChoices>;
export type JobPrice = NonNullable<JobChoices['price']>;

/** What the page shows of anything that went wrong: what happened, and what to do next. */
export interface ApiProblem {
  readonly code: ErrorCode | 'BUG';
  readonly message: string;
  readonly remedy: string;
}
