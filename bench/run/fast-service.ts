import { createServer } from 'node:http';
import { realisticCompanies } from '../service/realistic-companies.ts';

/*
 * A service that costs next to nothing, so that a run against it shows the runner and not the
 * service: every domain is a company, and only its id and domain are written anew.
 */
const template = JSON.parse(realisticCompanies()[0] ?? '{}') as Record<string, unknown>;
const { id: _, fqdn: _fqdn, network: _network, industry_codes: _codes, ...rest } = template;
const tail = JSON.stringify(rest).slice(1);
let requests = 0;

const server = createServer((request, response) => {
  if (request.url === '/count') {
    response.end(String(requests));
    return;
  }
  requests += 1;
  const domain = /[?&]fqdn=([^&]+)/.exec(request.url ?? '')?.[1] ?? 'none';
  const body = Buffer.from(`{"id":"${domain}","fqdn":"${domain}","network":null,${tail}`);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  process.stdout.write(`DOSSIER_URL=http://127.0.0.1:${port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
