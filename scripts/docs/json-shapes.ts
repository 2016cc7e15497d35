import type { z } from 'zod';
import { ExportJson } from '../../src/cli/export-summary.ts';
import { LookupJson } from '../../src/cli/lookup-json.ts';
import { RunJson } from '../../src/cli/run-json.ts';
import { StatusJson } from '../../src/cli/status-json.ts';
import { fieldTable } from './field-table.ts';

const schemas: Record<string, z.ZodType> = {
  run: RunJson,
  status: StatusJson,
  export: ExportJson,
  lookup: LookupJson,
};

/** What `--json` prints, by command, as a table of fields. */
export const jsonShapes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(schemas).map(([command, schema]) => [command, fieldTable(schema)]),
);
