import { exitCodes } from '../../src/core/errors/exit-codes.ts';
import {
  jobLabel,
  type MetricName,
  metricFacts,
  metricNames,
  prometheusName,
} from '../../src/reach/metrics/metric-table.ts';
import { table } from './markdown.ts';

/** The text of docs/metrics.md, from the table that both exporters are made from. */
export function metricsPage(): string {
  return `<!-- Made from the sources by \`npm run docs\`; edit there. -->

# Metrics

\`dossier run\` tells what it does while it does it, to whoever asked:

\`\`\`sh
dossier run nightly.yaml --metrics-file /var/lib/node_exporter/textfile/dossier-nightly.prom
dossier run nightly.yaml --otlp http://127.0.0.1:4318
\`\`\`

- \`--metrics-file\` keeps a file for the textfile collector of Prometheus' node_exporter. It is
  replaced as a whole, so no half of it is ever read. Give each job a file of its own.
- \`--otlp\` sends the same to an OpenTelemetry collector over HTTP, as JSON, to \`/v1/metrics\` of the
  address. Without the flag the standard variables decide: \`OTEL_EXPORTER_OTLP_METRICS_ENDPOINT\`
  or \`OTEL_EXPORTER_OTLP_ENDPOINT\`. \`…_HEADERS\`, \`…_COMPRESSION\` and \`…_CERTIFICATE\`,
  \`OTEL_SERVICE_NAME\`, \`OTEL_RESOURCE_ATTRIBUTES\`, \`OTEL_METRICS_EXPORTER=none\` and
  \`OTEL_SDK_DISABLED\` mean what they always mean. gRPC is not spoken.

Both are written when the run starts, every 15 seconds, and at its end, however it ends: done, failed,
or stopped by a signal. Only what kills the process at once (\`kill -9\`, a second signal) leaves
\`${prometheusName('dossier.run.running')}\` at 1. A run that finds its job held by another leaves the
numbers to that one. A job file that cannot be read has no name to count under, so watch the age of
the last success, too. **Trouble with metrics never fails a run**: it is told as a warning, once.

## What there is

Every metric has the label \`${jobLabel}\`, the name of the job. The values of all other labels are these
and no more. Gauges of a run go on where a run is resumed; counters and the histogram begin at 0 with
each start of the command, so read them with \`increase()\` or as they are.

${table(['Prometheus', 'OpenTelemetry', 'type', 'unit', 'says', 'labels'], metricNames.map(row))}

## Worth an alert

By OTLP a metric is there only while a run sends it, and gone some minutes later, so these look back: they
fire however the metrics came. Put the name of each of your jobs in the place of \`nightly\`: a job that
has never ended well has no metric that could tell its name.

\`\`\`yaml
${alerts()}
\`\`\`
`;
}

function row(name: MetricName): string[] {
  const { type, unit, help, labels, bounds } = metricFacts(name);
  const values = Object.entries(labels).map(([label, all]) => `\`${label}\`: ${all.join(', ')}`);
  const buckets = bounds ? [`buckets up to ${bounds.join(', ')}`] : [];
  return [
    `\`${prometheusName(name)}\``,
    `\`${name}\``,
    type,
    unit.replace(/[{}]/g, ''),
    help,
    [...values, ...buckets].join('<br>'),
  ];
}

function alerts(): string {
  const lastSuccess = prometheusName('dossier.run.last_success.timestamp');
  const attempts = prometheusName('dossier.attempts');
  const rules = [
    [
      'DossierNotDone',
      `time() - max by (${jobLabel}) (max_over_time(${lastSuccess}[14d])) > 26 * 3600 or absent_over_time(${lastSuccess}{${jobLabel}="nightly"}[14d])`,
      'no good end since yesterday',
    ],
    [
      'DossierNeedsAPerson',
      needsAPerson(lastKnown('dossier.run.exit_code')),
      'docs/exit-codes.md says what to do',
    ],
    [
      'DossierHeld',
      `max by (${jobLabel}) (${lastKnown('dossier.run.expectation.breached')}) == 1`,
      'a result is held: look at its report, then accept it or leave it to the next run',
    ],
    [
      'DossierVanished',
      `${lastKnown('dossier.run.running')} == 1 and time() - (${lastKnown('dossier.run.started.timestamp')} + ${lastKnown('dossier.run.duration')}) > 120`,
      'killed: start it again, what was stored is not asked twice',
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
  return `last_over_time(${prometheusName(name)}[26h])`;
}

/** The condition of an alert: exit codes that need a person. The next start repairs the others. */
function needsAPerson(metric: string): string {
  return Object.entries(exitCodes)
    .filter(([, { again }]) => again === 'person')
    .map(([code]) => `${metric} == ${code}`)
    .join(' or ');
}
