/** What `dossier spend` can group by. */
export const groupings = ['day', 'month', 'job', 'operation'] as const;
export type Grouping = (typeof groupings)[number];
