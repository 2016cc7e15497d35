import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { builtPage } from '../../../scripts/build-page.ts';
import type { JobState } from '../../../src/workbench/api/job-state.ts';
import type { RunOutputs } from '../../../src/workbench/api/outputs.ts';
import type { Place } from '../../../src/workbench/api/place.ts';
import type { RowsPage, TableColumn } from '../../../src/workbench/api/rows.ts';

export interface MadeTable extends AsyncDisposable {
  readonly url: string;
}

/** A server of the workbench for which rows are made where they are looked at, so that there may be any number. */
export async function serveMadeTable(all: number): Promise<MadeTable> {
  const page = readFileSync(builtPage('workbench'));
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    const send = (body: unknown) => response.end(JSON.stringify(body));
    if (pathname === '/') return void response.end(page);
    if (pathname === '/api/place') return void send(place);
    if (pathname === '/api/columns') return void send({ run: 'r1', columns, presets: [preset] });
    if (pathname === '/api/facets') return void send({ run: 'r1', index, facets: [] });
    if (pathname === '/api/presets') return void send([]);
    if (pathname === '/api/mended') return void send({ columns: [], corrections: [] });
    if (pathname === '/api/rows') {
      return void send(rowsFrom(Number(searchParams.get('offset')), all));
    }
    if (pathname === '/api/state') return void send(stateOf(all));
    const outputs: RunOutputs = { folder: null, files: [], hasReport: false, otherPlaces: [] };
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
  ...{ isOfList: true, isSortable: true },
});
const columns = [
  column('input_name', 'Name'),
  column('status', 'Outcome'),
  column('input_site', 'Site'),
];
const preset = { name: 'short', label: 'Short', columns: columns.map(({ name }) => name) };
const spent = { requests: 0, money: [] };
const place: Place = {
  ...{
    folder: '/made',
    version: '0',
    isReadOnly: false,
    rate: 10,
    spent: { today: spent, month: spent },
  },
  service: { host: null, isSample: true, hasKey: true },
};
const index = { isWhole: true, share: 1, trouble: null };

function rowsFrom(offset: number, all: number): RowsPage {
  const length = Math.max(0, Math.min(100, all - offset));
  return {
    ...{ run: 'r1', all, total: all, offset, foundAt: null, index, columns },
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
  const calls = { made: all, reused: 0, joined: 0, shared: 0, saved: 0, failed: 0, open: 0 };
  return {
    ...{ isRunning: false, isStarting: false, isStopping: false, inFlight: 0 },
    ...{ rowLimit: null, secondsLeft: null },
    ...{ ended: null, canWriteAgain: false },
    run: {
      run: { id: 'r1', state: 'finished', held: [], hasPeople: false, took: '1s' },
      calls,
      people: 0,
      rows: { matched: all, not_found: 0, invalid: 0, failed: 0, open: 0, total: all },
    },
  };
}
