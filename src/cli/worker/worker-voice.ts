import { type Log, type LogFormat, openLog } from '../../runtime/log/log.ts';
import { counted } from '../terminal/counted.ts';

/** What a worker is, for people and for the log. */
export interface WorkerFacts {
  readonly service: string;
  /** Where Redis is, without what may be secret. */
  readonly redis: string;
  readonly concurrency: number;
  readonly rate: number | 'none';
  /** Where health and metrics are; undefined without a port. */
  readonly url: string | undefined;
}

/** How a worker speaks on standard error: in sentences with its log between them, or in events alone. */
export interface WorkerVoice {
  readonly log: Log;
  sayStarted(facts: WorkerFacts): void;
  sayStopping(active: number, atMostMs: number): void;
  sayStopped(attempts: number): void;
}

export function openWorkerVoice(format: LogFormat, level: string): WorkerVoice {
  const log = openLog({ format, level });
  return format === 'json' ? eventVoice(log) : plainVoice(log);
}

function plainVoice(log: Log): WorkerVoice {
  const say = (sentence: string) => process.stderr.write(`${sentence}\n`);
  return {
    log,
    sayStarted({ service, redis, concurrency, rate, url }) {
      const pace = rate === 'none' ? 'the rate that runs ask for' : `${rate} requests a second`;
      say(`Calling ${service} for the runs that share ${redis}: ${concurrency} at once, ${pace}.`);
      if (url !== undefined) say(`Health and metrics: ${url}/healthz, /readyz, /metrics`);
    },
    sayStopping(active, atMostMs) {
      if (active === 0) return;
      const seconds = Math.ceil(atMostMs / 1_000);
      const calls = `what has not left of ${counted(active, 'call', 'calls')} is given back`;
      say(`Stopping: ${calls}, answers are awaited, at most ${seconds} s; again to leave at once.`);
    },
    sayStopped: (attempts) => say(`Stopped after ${counted(attempts, 'request', 'requests')}.`),
  };
}

function eventVoice(log: Log): WorkerVoice {
  // That a worker starts and stops is told whatever level the log has.
  const certain = log.child({}, { level: 'info' });
  return {
    log,
    sayStarted: (facts) => certain.info(facts, 'worker.started'),
    sayStopping: (active, atMostMs) =>
      certain.info({ active, atMostSeconds: Math.ceil(atMostMs / 1_000) }, 'worker.stopping'),
    sayStopped: (attempts) => certain.info({ attempts }, 'worker.stopped'),
  };
}
