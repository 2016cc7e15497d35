interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of a text in the format of Prometheus, by the metrics that it declares. */
export function parseMetrics(text: string): Map<string, Sample[]> {
  const names = [...text.matchAll(/^# TYPE (\S+) (?:counter|gauge|histogram)$/gm)].map(
    ([, name = '']) => name,
  );
  const samples = [...text.matchAll(/^([a-z_]+)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name = '', labels = '', value]) => ({
      name,
      labels: Object.fromEntries(
        [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, its]) => [
          label,
          its,
        ]),
      ),
      value: Number(value),
    }),
  );
  return new Map(
    names.map((name) => [name, samples.filter((sample) => sample.name.startsWith(name))]),
  );
}

/** The value of the series with these labels; undefined when there is none. */
export function valueIn(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const samples = [...parseMetrics(text).values()].flat();
  return samples.find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value;
}
