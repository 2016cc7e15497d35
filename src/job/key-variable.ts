/** The environment variable that holds the key of the service, unless a job names another. */
export const keyVariable = 'DOSSIER_API_KEY';
