import { createRequire } from 'node:module';
import type { pino } from 'pino';
import type { Log } from './http/call.ts';
import type { Clock } from '../clock/clock.ts';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info';

/** Takes one line of JSON with its line feed. */
interface LogDestination {
  write(line: string): void;
  /** Takes a line that is made when somebody reads it. */
  writeLater?(line: () => string): void;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly destination: LogDestination;
}

const require = createRequire(import.meta.url);

/** A log that nobody reads. */
export const silentLog: Log = { info() {}, warn() {}, error() {} };

const secretParameter = /token|secret|password|key|pat$|signature|code/i;

/** The last lines of a log, oldest first; when it is full the oldest one goes. */
export class LogRing implements LogDestination {
  readonly #lines: (string | (() => string))[] = [];
  readonly #capacity: number;
  #next = 0;

  constructor(capacity: number) {
    if (!Number.isSafeInteger(capacity) || capacity < 1)
      throw new RangeError(`Expected room for 1 line or more, found ${capacity}.`);
    this.#capacity = capacity;
  }

  write(line: string): void {
    this.#add(line);
  }

  writeLater(line: () => string): void {
    this.#add(line);
  }

  /** Forgets every line. */
  clear(): void {
    this.#lines.length = 0;
    this.#next = 0;
  }

  #add(line: string | (() => string)): void {
    this.#lines[this.#next] = line;
    this.#next = (this.#next + 1) % this.#capacity;
  }

  /** Lines as they were written; with a correlation id only those that carry it. */
  text(correlationId?: string): string {
    const made = this.#lines.map((line, index) => {
      const text = typeof line === 'string' ? line : line();
      this.#lines[index] = text;
      return text;
    });
    const lines = [...made.slice(this.#next), ...made.slice(0, this.#next)];
    if (correlationId === undefined) return lines.join('');
    const field = `"correlationId":${JSON.stringify(correlationId)}`;
    return lines.filter((line) => line.includes(field)).join('');
  }
}

type Level = Exclude<LogLevel, 'silent'>;

const levels = ['info', 'warn', 'error'] as const satisfies readonly Level[];

/** The log of a server over all its destinations, each with a level of its own; without one it costs nothing. */
export function logTo(outputs: readonly LogOptions[], clock: Clock): Log {
  const [first, ...others] = outputs.flatMap(({ level, destination }) =>
    level === 'silent' ? [] : [logOf(level, destination, clock)],
  );
  return first === undefined ? silentLog : others.reduce(both, first);
}

function logOf(level: Level, destination: LogDestination, clock: Clock): Log {
  if (destination.writeLater === undefined) return writerOf(level, destination, () => clock.now());
  const line = lineOf(level);
  const keep =
    (own: Level): Log[Level] =>
    (fields, message) => {
      const at = clock.now();
      destination.writeLater?.(() => line(own, fields, message, at));
    };
  const isHeard = (own: Level): boolean => levels.indexOf(own) >= levels.indexOf(level);
  const [info, warn, error] = levels.map((own) => (isHeard(own) ? keep(own) : silentLog[own]));
  return { ...silentLog, ...(info && { info }), ...(warn && { warn }), ...(error && { error }) };
}

function writerOf(level: Level, destination: LogDestination, now: () => number): Log {
  // with the first log that somebody reads: it takes longer to load than a server to be made
  const { pino: logger }: { readonly pino: typeof pino } = require('pino');
  const time = (): string => `,"time":${Math.floor(now())}`;
  return logger({ level, base: null, timestamp: time, messageKey: 'message' }, destination);
}

/** Makes lines as they would have been written at that time. */
function lineOf(level: Level): (own: Level, fields: object, message: string, at: number) => string {
  let [made, now] = ['', 0];
  const write = (line: string): void => void (made = line);
  let log: Log | undefined;
  return (own, fields, message, at) => {
    now = at;
    log ??= writerOf(level, { write }, () => now);
    log[own](fields, message);
    return made;
  };
}

function both(one: Log, other: Log): Log {
  return {
    info: (fields, message) => {
      one.info(fields, message);
      other.info(fields, message);
    },
    warn: (fields, message) => {
      one.warn(fields, message);
      other.warn(fields, message);
    },
    error: (fields, message) => {
      one.error(fields, message);
      other.error(fields, message);
    },
  };
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
