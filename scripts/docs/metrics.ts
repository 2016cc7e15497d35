import { exitCodes } from '../../src/core/errors/exit-codes.ts';
import {
  jobLabel,
  type Metric,
  type MetricName,
  metricTable,
} from '../../src/integrations/metrics/metric-table.ts';
import { table } from './markdown.ts';

/** The text of docs/metrics.md, from the table that the file is made from. */
export function metricsPage(): string {
  return `<!-- Made from the sources by \`npm run docs\`; edit there. -->

# Metrics

\`dossier run --metrics-file\` keeps a file for the textfile collector of Prometheus' node_exporter:

\`\`\`sh
dossier run nightly.yaml --metrics-file /var/lib/node_exporter/textfile/dossier-nightly.prom
\`\`\`

It is replaced as a whole, so no half of it is ever read. Give each job a file of its own.

It is written when the run starts, every 15 seconds, and at its end, however it ends: done, failed,
or stopped by a signal. Only what kills the process at once (\`kill -9\`, a second signal) leaves
\`dossier_run_running\` at 1. A run that finds its job held by another leaves the
numbers to that one. A job file that cannot be read has no name to count under, so watch the age of
the last success, too. **An error with metrics never fails a run**: it is logged once as a warning.

## What there is

Every metric has the label \`${jobLabel}\`, the name of the job. The values of all other labels are these
and no more. If a job names several services, \`service\` is the name of one in the metrics of attempts,
retries, throttles, rate, requests and cost. Gauges of a run go on where a run is resumed; counters and the histogram begin at 0 with
each start of the command, so read them with \`increase()\` or as they are.

${table(['metric', 'type', 'says', 'labels'], (Object.keys(metricTable) as MetricName[]).map(row))}

## Worth an alert

The file may be gone with its machine, so these look back. Replace \`nightly\` with the name of each of your jobs: a job that
never succeeded has no metric with its name.

\`\`\`yaml
${alerts()}
\`\`\`
`;
}

function row(name: MetricName): string[] {
  const { type, help, labels, bounds }: Metric = metricTable[name];
  const values = Object.entries(labels).map(([label, all]) => `\`${label}\`: ${all.join(', ')}`);
  const buckets = bounds ? [`buckets up to ${bounds.join(', ')}`] : [];
  return [`\`${name}\``, type, help, [...values, ...buckets].join('<br>')];
}

function alerts(): string {
  const lastSuccess = 'dossier_run_last_success_timestamp_seconds';
  const attempts = 'dossier_attempts_total';
  const rules = [
    [
      'DossierNotDone',
      `time() - max by (${jobLabel}) (max_over_time(${lastSuccess}[14d])) > 26 * 3600 or absent_over_time(${lastSuccess}{${jobLabel}="nightly"}[14d])`,
      'no good end since yesterday',
    ],
    [
      'DossierNeedsAPerson',
      needsAPerson(lastKnown('dossier_run_exit_code')),
      'docs/exit-codes.md says what to do',
    ],
    [
      'DossierHeld',
      `max by (${jobLabel}) (${lastKnown('dossier_run_expectation_breached')}) == 1`,
      'a result is held: look at its report, then accept it or leave it to the next run',
    ],
    [
      'DossierVanished',
      `${lastKnown('dossier_run_running')} == 1 and time() - (${lastKnown('dossier_run_started_timestamp_seconds')} + ${lastKnown('dossier_run_duration_seconds')}) > 120`,
      'killed: start it again; stored answers are not paid for twice',
    ],
    [
      'DossierServiceIll',
      `sum(rate(${attempts}{verdict="transient"}[10m])) / sum(rate(${attempts}[10m])) > 0.2`,
      'a fifth of the attempts fails',
    ],
  ];
  return rules
    .map(([alert, expression, summary]) =>
      [
        `- alert: ${alert}`,
        `  expr: ${expression}`,
        '  annotations:',
        `    summary: "${summary}"`,
      ].join('\n'),
    )
    .join('\n');
}

/** The last value, also when no run has sent it for some time. */
function lastKnown(name: MetricName): string {
  return `last_over_time(${name}[26h])`;
}

/** The condition of an alert: exit codes that need a person. The next start repairs the others. */
function needsAPerson(metric: string): string {
  return Object.entries(exitCodes)
    .filter(([, { again }]) => again === 'person')
    .map(([code]) => `${metric} == ${code}`)
    .join(' or ');
}
