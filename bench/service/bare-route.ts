import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

/*
 * The ceiling of the lookups: one Fastify route that sends answers from a map, without key, log or
 * store. It runs in a process of its own: `node bare-route.ts <answers.json>`, a file of [path, body]
 * pairs.
 */
const pairs = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as [string, string][];
// Bytes, because Node would encode a text again for every answer.
const answers = new Map(pairs.map(([path, body]) => [path, Buffer.from(body)]));

const app = fastify();
app.get('/company', (request, reply) => {
  reply.type('application/json; charset=utf-8').send(answers.get(request.url));
});
process.stdout.write(`DOSSIER_URL=${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
process.once('SIGTERM', () => void app.close());
