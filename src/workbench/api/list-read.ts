import type { ListReading } from '../../overview/lists/list-reading.ts';

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
}

/** What the page shows of a job beside its columns. */
export interface JobSettings {
  /** As the job has them; null where they are found out. */
  readonly headerRow: number | null;
  readonly delimiter: string | null;
  readonly encoding: string | null;
  /** Of rows that name no country. */
  readonly country: string;
  readonly perStart: number | null;
  readonly price: JobPrice | null;
  readonly people: JobPeople | null;
}

export interface JobPrice {
  readonly company: number;
  readonly people: number;
  readonly currency: string;
}

export interface JobPeople {
  /** Names; none stands for all. */
  readonly seniority: readonly string[];
  readonly department: readonly string[];
  readonly maxPerCompany: number;
  /** Position titles, which only the job file can change. */
  readonly positions: readonly string[];
}

/** What the user has chosen. What is absent stays; null takes it out of the job. */
export interface JobChoices {
  readonly sheet?: string | null;
  readonly headerRow?: number | null;
  readonly delimiter?: string | null;
  readonly encoding?: string | null;
  readonly identify?: readonly { readonly column: string; readonly as: string }[];
  readonly country?: { readonly column: string | null; readonly default: string };
  readonly key?: string | null;
  readonly perStart?: number | null;
  readonly price?: JobPrice | null;
  readonly people?: Omit<JobPeople, 'positions'> | null;
}
