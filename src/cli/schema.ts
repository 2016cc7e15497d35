import type { CommandModule } from 'yargs';

export const schemaCommand: CommandModule = {
  command: 'schema',
  describe: 'Print the JSON Schema of the job file, for editors',
  builder: (args) =>
    args.example(
      '$0 schema > job.schema.json',
      'then begin a job with "# yaml-language-server: $schema=job.schema.json"',
    ),
  handler: async () => {
    const { jobJsonSchema } = await import('../job/job-json-schema.ts');
    process.stdout.write(`${JSON.stringify(jobJsonSchema(), null, 2)}\n`);
  },
};
