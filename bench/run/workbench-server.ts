import { openWorkbench } from '../../src/ui/workbench/open-workbench.ts';

/* Serves the workbench over the folder that is given, without its page. */
process.chdir(process.argv[2] ?? '.');
const { url } = await openWorkbench({ page: '', port: 0, program: [] });
process.stdout.write(`DOSSIER_URL=${url}\n`);
process.on('SIGTERM', () => process.exit(0));
