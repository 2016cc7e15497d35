export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: Sample[];
}

const samplePattern = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/;
const labelPattern = /([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/gy;
const suffixes: Record<string, readonly string[]> = {
  counter: [''],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
};

/**
 * Reads the Prometheus text format as strictly as its definition: help and type once before the
 * samples, all samples of a metric together, none twice, a line end at the end.
 */
export function parseMetrics(text: string): Map<string, MetricFamily> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const families = new Map<string, MetricFamily>();
  const seen = new Set<string>();
  let help: { name: string; text: string } | undefined;
  let family: MetricFamily | undefined;
  for (const line of text.split('\n').filter(Boolean)) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === 'HELP') {
      help = { name, text: rest };
    } else if (keyword === 'TYPE') {
      if (help?.name !== name || families.has(name)) throw new Error(`out of place: ${line}`);
      if (!(rest in suffixes)) throw new Error(`unknown type: ${line}`);
      family = { name, type: rest, help: help.text, samples: [] };
      families.set(name, family);
    } else {
      if (!family) throw new Error(`before its type: ${line}`);
      const sample = parseSample(line);
      const names = suffixes[family.type]?.map((suffix) => `${family?.name}${suffix}`);
      if (!names?.includes(sample.name)) throw new Error(`among others: ${line}`);
      const series = line.slice(0, line.lastIndexOf(' '));
      if (seen.has(series)) throw new Error(`twice: ${line}`);
      seen.add(series);
      family.samples.push(sample);
    }
  }
  return families;
}

/** The value of the series with these labels; undefined when there is none. */
export function valueIn(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const samples = [...parseMetrics(text).values()].flatMap((family) => family.samples);
  return samples.find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value;
}

function parseSample(line: string): Sample {
  const [, name = '', labelText = '', value = ''] = samplePattern.exec(line) ?? [];
  if (name === '') throw new Error(`not a sample: ${line}`);
  const labels = [...labelText.matchAll(labelPattern)];
  if (labels.map(([whole]) => whole).join('') !== labelText) throw new Error(`labels: ${line}`);
  const number = Number(value);
  if (!Number.isFinite(number)) throw new Error(`not a number: ${line}`);
  return { name, value: number, labels: Object.fromEntries(labels.map(([, k, v]) => [k, v])) };
}
