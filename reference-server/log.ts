import pino from 'pino';
import type { Log } from './http/call.ts';
import type { Clock } from './ports/clock.ts';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info';

/** Takes one line of JSON with its line feed. */
interface LogDestination {
  write(line: string): void;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly destination: LogDestination;
}

/** A log that nobody reads. */
export const silentLog: Log = { info() {}, warn() {}, error() {} };

const secretParameter = /token|secret|password|key|pat$|signature|code/i;

/** The last lines of a log, oldest first; when it is full the oldest one goes. */
export class LogRing implements LogDestination {
  readonly #lines: string[] = [];
  readonly #capacity: number;
  #next = 0;

  constructor(capacity: number) {
    if (!Number.isSafeInteger(capacity) || capacity < 1)
      throw new RangeError(`Expected room for 1 line or more, found ${capacity}.`);
    this.#capacity = capacity;
  }

  write(line: string): void {
    this.#lines[this.#next] = line;
    this.#next = (this.#next + 1) % this.#capacity;
  }

  /** Lines as they were written; with a correlation id only those that carry it. */
  text(correlationId?: string): string {
    const lines = [...this.#lines.slice(this.#next), ...this.#lines.slice(0, this.#next)];
    if (correlationId === undefined) return lines.join('');
    const field = `"correlationId":${JSON.stringify(correlationId)}`;
    return lines.filter((line) => line.includes(field)).join('');
  }
}

/** The log of a server over all its destinations, each with a level of its own; without one it costs nothing. */
export function logTo(outputs: readonly LogOptions[], clock: Clock): Log {
  const heard = outputs.flatMap(({ level, destination }) =>
    level === 'silent' ? [] : [{ level, stream: destination }],
  );
  if (heard.length === 0) return silentLog;
  const time = (): string => `,"time":${Math.floor(clock.now())}`;
  const level =
    (['info', 'warn', 'error'] as const).find((name) => heard.some((output) => output.level === name)) ?? 'info';
  return pino({ level, base: null, timestamp: time, messageKey: 'message' }, pino.multistream(heard));
}

/** A log whose every line carries the correlation id. */
export function correlatedLog(log: Log, correlationId: string): Log {
  if (log === silentLog) return silentLog;
  return {
    info: (fields, message) => log.info({ correlationId, ...fields }, message),
    warn: (fields, message) => log.warn({ correlationId, ...fields }, message),
    error: (fields, message) => log.error({ correlationId, ...fields }, message),
  };
}

/** The URL with the values of query parameters that may be secrets left out. */
export function loggedUrl(url: string): string {
  const [path = '', query] = url.split('?', 2);
  if (query === undefined) return url;
  const parameters = query.split('&').map((parameter) => {
    const [name = ''] = parameter.split('=', 1);
    return secretParameter.test(name) || name.includes('%') ? `${name}=…` : parameter;
  });
  return `${path}?${parameters.join('&')}`;
}
