/** What the user has set for the pages of a folder. */
export interface WorkbenchSettings {
  /** A run above this asks once more: in money where the job has a price, else in calls. */
  readonly askAbove: { readonly calls: number; readonly money: number };
}
