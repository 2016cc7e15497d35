import { sampleData } from '../../runtime/sample-data.ts';

/** Says that sample data answers; nothing for a real service. */
export function sampleDataText(service: string): string[] {
  if (service !== sampleData) return [];
  return ['SAMPLE DATA: made-up companies answer. --url or DOSSIER_URL names the service.'];
}
