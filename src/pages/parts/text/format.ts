const numbers = new Intl.NumberFormat('en');
const percents = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** `12,345` */
export function count(value: number): string {
  return numbers.format(value);
}

/** `1 row`, `5,000 rows` */
export function counted(value: number, one: string, many: string): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** `82.4%`, or `–` for a part of nothing. Shows 100% only for all and 0% only for none. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '–';
  const share = part / whole;
  if (part < whole && share > 0.999) return '> 99.9%';
  if (part > 0 && share < 0.001) return '< 0.1%';
  return percents.format(share);
}

/** `0.4 ms`, `12 ms`, `1.25 s`, `4 min 12 s`, `2 h 5 min`, `3 d 4 h` */
export function duration(ms: number): string {
  if (ms < 10) return `${Math.round(ms * 10) / 10} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${Math.round(ms / 10) / 100} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  return twoUnits(seconds);
}

/** `1.2 MB` */
export function bytes(value: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let amount = value;
  let unit = 0;
  while (amount >= 1_000 && unit < units.length - 1) {
    amount /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`;
}

/** `2026-08-22 04:12 UTC`, as the terminal says it: a report is read in other places than it is made. */
export function moment(wallMs: number): string {
  return `${new Date(wallMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function twoUnits(seconds: number): string {
  const [large, small] = [
    { name: 'd', seconds: 86_400, below: 'h', belowSeconds: 3_600 },
    { name: 'h', seconds: 3_600, below: 'min', belowSeconds: 60 },
    { name: 'min', seconds: 60, below: 's', belowSeconds: 1 },
  ]
    .filter((unit) => seconds >= unit.seconds)
    .slice(0, 1)
    .flatMap((unit) => {
      const whole = Math.floor(seconds / unit.seconds);
      const rest = Math.floor((seconds - whole * unit.seconds) / unit.belowSeconds);
      return [`${whole} ${unit.name}`, rest === 0 ? '' : ` ${rest} ${unit.below}`];
    });
  return `${large ?? ''}${small ?? ''}`;
}
