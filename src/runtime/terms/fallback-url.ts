/** By this variable the workbench tells runs who answers for jobs that name no service. */
export const fallbackUrlVariable = 'DOSSIER_FALLBACK_URL';
