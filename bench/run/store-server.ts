/** A store that speaks S3, in a process of its own: `node store-server.ts <folder> <bucket>`. */
import S3rver from '@20minutes/s3rver';

const [directory = '', bucket = ''] = process.argv.slice(2);
const server = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory,
  vhostBuckets: false,
  configureBuckets: [{ name: bucket }],
});
const { port } = await server.run();
process.stdout.write(`DOSSIER_URL=http://127.0.0.1:${port}\n`);
process.on('SIGTERM', () => process.exit(0));
