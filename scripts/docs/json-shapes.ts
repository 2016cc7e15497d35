import { z } from 'zod';
import { ChangeJson } from '../../src/cli/changes.ts';
import { CheckJson } from '../../src/cli/check.ts';
import { ExportJson } from '../../src/cli/export.ts';
import { FixDropJson, FixListJson, FixPlanJson } from '../../src/cli/fix.ts';
import { ForgetJson } from '../../src/cli/forget.ts';
import { InitJson } from '../../src/cli/init.ts';
import {
  AuditJson,
  LedgerBackupJson,
  LedgerCheckJson,
  LedgerInfoJson,
  LedgerMergeJson,
  LedgerPruneJson,
  LedgerUpgradeJson,
} from '../../src/cli/ledger.ts';
import { LookupJson } from '../../src/cli/lookup.ts';
import { RegisterFindJson, RegisterInfoJson, RegisterLoadJson } from '../../src/cli/register.ts';
import { ServiceCheckJson, ServicesJson, TryJson } from '../../src/cli/services.ts';
import { PlanJson } from '../../src/facts/plan.ts';
import { SpendJson } from '../../src/facts/spend.ts';
import { StatusJson } from '../../src/facts/status.ts';
import { RunEnd } from '../../src/run/run-schemas.ts';

/** What `--json` prints, by command, or by command and an option that prints something else. */
export const jsonSchemas: Readonly<Record<string, z.ZodType>> = {
  run: RunEnd,
  plan: PlanJson,
  'fix --dry-run': FixPlanJson.extend({
    plan: z
      .object({})
      .describe('What the fixed rows would ask for, as `plan --json` tells it of a whole list.'),
  }),
  'fix --list': FixListJson,
  'fix --drop': FixDropJson,
  status: StatusJson,
  spend: SpendJson,
  export: ExportJson,
  changes: ChangeJson,
  lookup: LookupJson,
  init: InitJson,
  check: CheckJson,
  services: ServicesJson,
  'services check': ServiceCheckJson,
  'services try': TryJson,
  'ledger info': LedgerInfoJson,
  'ledger backup': LedgerBackupJson,
  'ledger merge': LedgerMergeJson,
  'ledger prune': LedgerPruneJson,
  'ledger upgrade': LedgerUpgradeJson,
  'ledger check': LedgerCheckJson,
  forget: ForgetJson,
  audit: AuditJson,
  'register load': RegisterLoadJson,
  'register info': RegisterInfoJson,
  'register find': RegisterFindJson,
};
