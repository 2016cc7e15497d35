import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { builtPage } from '../../../../scripts/build-page.ts';
import { noCounts } from '../../../../src/core/rules/outcomes.ts';
import type {
  FolderState,
  JobState,
  RowsPage,
  RowsQuery,
  RunOutputs,
  TableColumn,
} from '../../../../src/ui/workbench/api.ts';
import { sampleFacts } from '../../../support/sample-run.ts';

export interface MadeTable extends AsyncDisposable {
  readonly url: string;
}

/** A server of the workbench for which rows are made where they are looked at, so that there may be any number. */
export async function serveMadeTable(all: number): Promise<MadeTable> {
  const page = readFileSync(builtPage('workbench'));
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://127.0.0.1');
    const send = (body: unknown) => response.end(JSON.stringify(body));
    if (pathname === '/') return void response.end(page);
    if (pathname === '/api/folder') return void send(place);
    if (pathname === '/api/columns') return void send({ run: 'r1', columns, presets: [preset] });
    if (pathname === '/api/facets') return void send({ run: 'r1', index, facets: [] });
    if (pathname === '/api/presets') return void send([]);
    if (pathname === '/api/fixes') return void send({ columns: [], corrections: [] });
    if (pathname === '/api/rows') {
      return void send(rowsFrom(((await json(request)) as RowsQuery).offset, all));
    }
    if (pathname === '/api/state') return void send(stateOf(all));
    const outputs: RunOutputs = {
      folder: null,
      files: [],
      hasReport: false,
      otherDestinations: [],
    };
    return void send(outputs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const column = (name: string, label: string): TableColumn => ({
  ...{ name, label, about: '', group: 'Your list', type: 'text' },
  ...{ isOfList: true, isSortable: true, position: 0 },
});
const columns = [
  column('input_name', 'Name'),
  column('status', 'Outcome'),
  column('input_site', 'Site'),
];
const preset = { name: 'short', label: 'Short', columns: columns.map(({ name }) => name) };
const place: FolderState = { isReadOnly: false, isSample: true, theme: 'auto', stamp: '' };
const index = { isWhole: true, share: 1, problem: null };

function rowsFrom(offset: number, all: number): RowsPage {
  const length = Math.max(0, Math.min(100, all - offset));
  return {
    ...{ run: 'r1', all, total: all, offset, index, columns },
    rows: Array.from({ length }, (_, at) => {
      const number = offset + at + 1;
      return {
        ...{ number, key: `k${number}`, status: 'matched', reason: null, reasonText: null },
        ...{ match: 'exact', isStale: false, isMismatch: false, isChanged: null },
        cells: [`Company ${number}`, 'matched', `c${number}.example`],
      };
    }),
  };
}

function stateOf(all: number): JobState {
  return {
    ...{ isRunning: false, isStarting: false, isStopping: false, inFlight: 0 },
    ...{ secondsLeft: null, ended: null },
    run: {
      ...{ ...sampleFacts, run: 'r1', phase: null, hasPeople: false, paid: '' },
      rows: { ...noCounts().rows, matched: all, total: all },
    },
  };
}
