export const fallbackUrlVariable = 'DOSSIER_FALLBACK_URL';

/** `dossier ui --url` holds for all jobs of the page, and for the runs that it starts. */
export const pageUrlVariable = 'DOSSIER_PAGE_URL';

export const startedByVariable = 'DOSSIER_STARTED_BY';
