import type { z } from 'zod';
import { RunJson } from '../../src/cli/run-json.ts';
import { fieldTable } from './field-table.ts';

const schemas: Record<string, z.ZodType> = {
  run: RunJson,
};

/** What `--json` prints, by command, as a table of fields. */
export const jsonShapes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(schemas).map(([command, schema]) => [command, fieldTable(schema)]),
);
