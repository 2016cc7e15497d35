/** What a run would take, as `dossier plan --json` tells it, as far as the page shows it. */
export interface RunPlan {
  readonly resumes: {
    readonly run: string;
    readonly rowsSettled: number;
    readonly rowsOpen: number;
  } | null;
  readonly replaces: {
    readonly folder: string;
    readonly run: string;
    readonly input: string;
    readonly rows: number;
  } | null;
  readonly rows: {
    readonly total: number;
    /** Rows without an identifier, by reason, most frequent first. */
    readonly rejects: Readonly<Record<string, number>>;
    readonly duplicates: number;
    /** Rows that are to be asked for. */
    readonly open: number;
  };
  readonly atHand: {
    readonly companies: number;
    readonly misses: number;
    readonly peoplePages: number;
  };
  readonly calls: PlanRange & { readonly people: PlanRange };
  /** The most calls that are expected, with some more for those that have to be tried again. */
  readonly advisedBudget: number;
  readonly seconds: PlanRange | null;
  readonly budget: {
    readonly perStart: number | null;
    readonly perDay: number | null;
    readonly perMonth: number | null;
    readonly verdict: 'enough' | 'likely' | 'perhaps' | 'short';
  } | null;
  readonly price: (PlanRange & { readonly currency: string }) | null;
}

export interface PlanRange {
  readonly least: number;
  /** The most while the service fills the pages of people that it is asked for. */
  readonly mostIfFull: number;
}
