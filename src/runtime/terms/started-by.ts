/** By this variable the workbench tells a run that it has started it. */
export const startedByVariable = 'DOSSIER_STARTED_BY';
