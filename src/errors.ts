/**
 * Every way Dossier stops on purpose. The code is for scripts and documents and is never reused;
 * the message of the error says what happened to what; the remedy says what to do next.
 */
export const errorCatalog = {
  USAGE: { exitCode: 64, remedy: 'Add --help after any command to see what it takes.' },
  NODE_TOO_OLD: {
    exitCode: 64,
    remedy: 'Install Node 22.19 or newer, then run the command again.',
  },
  KEY_NEEDED: {
    exitCode: 64,
    remedy: 'Give a key with --key-file or DOSSIER_SERVICE_KEYS, or bind to 127.0.0.1.',
  },
  INPUT_UNREADABLE: {
    exitCode: 65,
    remedy: 'Check the path, its permissions and that the file is what its name says.',
  },
  INPUT_INVALID: { exitCode: 65, remedy: 'Fix the line named above, then run the command again.' },
  ADDRESS_IN_USE: { exitCode: 69, remedy: 'Stop the other program or choose another --port.' },
  OUTPUT_TROUBLE: {
    exitCode: 74,
    remedy:
      'Make room or check the folder of the outputs, then run `dossier export`; it makes no call.',
  },
  STORE_TROUBLE: {
    exitCode: 74,
    remedy: 'Check that the folder exists, is writable and has room, then run the command again.',
  },
  STORE_NEWER: {
    exitCode: 74,
    remedy: 'This store was written by a newer Dossier; upgrade, or load the data anew.',
  },
} as const satisfies Record<string, { exitCode: number; remedy: string }>;

export type ErrorCode = keyof typeof errorCatalog;

export class DossierError extends Error {
  override readonly name = 'DossierError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
