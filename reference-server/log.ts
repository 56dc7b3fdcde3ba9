import pino from 'pino';
import type { Clock } from './clock/clock.ts';
import type { Log } from './service.ts';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info';

/** Takes one line of JSON with its line feed. */
export interface LogDestination {
  write(line: string): void;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly destination: LogDestination;
}

/** A log that nobody reads. */
export const silentLog: Log = { info() {}, warn() {}, error() {} };

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

const secretParameter = /token|secret|password|key|pat$|signature|code/i;

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
