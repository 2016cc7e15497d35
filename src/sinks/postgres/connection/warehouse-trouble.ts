import { DossierError, type ErrorCode } from '../../../errors.ts';
import { quoteIdentifier } from '../quote-identifier.ts';
import { shownServer, type WarehousePlace } from './warehouse-address.ts';

/** What a load is doing; it decides which right is missing where one is. */
export type LoadStep =
  | 'connect'
  | 'begin'
  | 'lock'
  | 'read tables'
  | 'make tables'
  | 'stage'
  | 'merge'
  | 'commit';

/** The fields that PostgreSQL and sockets give their errors. */
interface Failure {
  readonly code?: string | undefined;
  readonly message: string;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
}

/**
 * Says in a sentence what PostgreSQL, or the way to it, complains about. Texts that may name the user are
 * left out, and so are the details of an error, which hold records.
 */
export function warehouseTrouble(
  error: unknown,
  step: LoadStep,
  place: WarehousePlace,
): DossierError {
  if (error instanceof DossierError) return error;
  const failure = failureOf(error);
  const { code, text } = sayFailure(failure, step, place);
  const where = `PostgreSQL at ${shownServer(place)}`;
  const cause = new Error(`${step}: ${failure.code ?? 'no code'}`);
  return new DossierError(code, `${where} ${text}`, { cause });
}

/** Whether nobody can know what came of a statement: the connection ended before its answer. */
export function isCutOff(error: unknown): boolean {
  return error instanceof DossierError && error.code === 'WAREHOUSE_DOWN';
}

function failureOf(error: unknown): Failure {
  if (error instanceof AggregateError) return failureOf(error.errors[0]);
  return error instanceof Error ? error : new Error(String(error));
}

interface Said {
  readonly code: ErrorCode;
  readonly text: string;
}

function sayFailure(failure: Failure, step: LoadStep, place: WarehousePlace): Said {
  const { code = '', message } = failure;
  const say = (errorCode: ErrorCode, text: string): Said => ({ code: errorCode, text });
  switch (code) {
    case '28P01':
    case '28000':
      return say(
        'WAREHOUSE_REFUSED',
        'refuses the user, the password or the machine it comes from',
      );
    case '3D000':
      return say('WAREHOUSE_UNFIT', 'has no such database');
    case '42501':
      return say(
        'WAREHOUSE_REFUSED',
        `does not allow that: ${message}. ${missingRight(step, place)}`,
      );
    case '25006':
      return say(
        'WAREHOUSE_TROUBLE',
        'can only be read: it is a standby, or default_transaction_read_only is on for the user',
      );
    case '53100':
      return say('WAREHOUSE_TROUBLE', 'has no room left on its disk');
    case '53200':
      return say('WAREHOUSE_TROUBLE', 'has no memory left');
    case '53300':
      return say('WAREHOUSE_DOWN', 'takes no more connections');
    case '53400':
      return say('WAREHOUSE_TROUBLE', `reaches a limit of its settings: ${message}`);
    case '55P03':
      return say('WAREHOUSE_BUSY', lockedText(step, place));
    case '40001':
    case '40P01':
      return say('WAREHOUSE_BUSY', 'had another session write to the same records meanwhile');
    case '57014':
      return say(
        'WAREHOUSE_TROUBLE',
        'has cancelled the load: an operator did, or the statement_timeout of the address is too short',
      );
    case '22P05':
      return say(
        'WAREHOUSE_UNFIT',
        'has a database that is not encoded in UTF8, and cannot hold a text of the result',
      );
    case '23502':
      return say(
        'WAREHOUSE_UNFIT',
        `has a column that Dossier does not fill and that takes no null: ${failure.table}.${failure.column}`,
      );
    case '54000':
    case '54001':
    case '54011':
      return say('WAREHOUSE_UNFIT', `cannot hold a record of the result: ${message}`);
    default:
      return sayClass(failure, step);
  }
}

function sayClass({ code = '', message }: Failure, step: LoadStep): Said {
  const isSqlState = /^[0-9A-Z]{5}$/.test(code);
  const hasEnded = /^(?:57P|08)/.test(code);
  if (/CERT|SIGNED|SIGNATURE|ALTNAME/.test(code)) {
    return {
      code: 'WAREHOUSE_UNFIT',
      text: `shows a certificate that is not trusted (${code}): name the file of its authority with sslrootcert in the address`,
    };
  }
  if (/^E(?:NOENT|ACCES|ISDIR)$/.test(code) && step === 'connect') {
    return {
      code: 'WAREHOUSE_UNFIT',
      text: 'cannot be reached: its socket, or a file that sslrootcert, sslcert or sslkey of the address names, cannot be opened',
    };
  }
  if (/^SASL: .*client password must be/.test(message)) {
    return { code: 'WAREHOUSE_REFUSED', text: 'asks for a password, and the address has none' };
  }
  if (isSqlState && !hasEnded) {
    return { code: 'WAREHOUSE_TROUBLE', text: `says: ${message} (${code})` };
  }
  const why = code === '' ? message : code;
  const text =
    step === 'connect' ? `cannot be reached: ${why}` : `has ended the connection (${why})`;
  return { code: 'WAREHOUSE_DOWN', text };
}

/** The statement that a database administrator has to run. The user is part of the address, so it is not named. */
function missingRight(step: LoadStep, { database, schema }: WarehousePlace): string {
  const its = quoteIdentifier(schema);
  switch (step) {
    case 'stage':
      return `Its user needs: grant temporary on database ${quoteIdentifier(database)}`;
    case 'make tables':
      return `Its user needs: grant usage, create on schema ${its}; where that is missing, grant create on database ${quoteIdentifier(database)}; to add columns, it has to own the tables`;
    default:
      return `Its user needs: grant usage on schema ${its}, and grant select, insert, update, delete on all tables in schema ${its}`;
  }
}

function lockedText(step: LoadStep, { schema }: WarehousePlace): string {
  return step === 'lock'
    ? `is still loading the same job into the schema ${schema}, for another process`
    : `has another session that holds a lock on the tables of the schema ${schema}`;
}
