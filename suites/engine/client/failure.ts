import { errors } from 'undici';

/** Nobody answers at the base address: the run ends. */
export class TargetUnreachable extends Error {
  readonly code = 'TARGET_UNREACHABLE';
}

/** The connection ended before the answer did. What the target did with the request is unknown. */
export class ConnectionLost extends Error {
  readonly code = 'CONNECTION_LOST';
  /** Whether the connection had served a request before. */
  readonly reused: boolean;

  constructor(message: string, reused: boolean) {
    super(message);
    this.reused = reused;
  }
}

/** No answer that can be used: too late, too large, or no HTTP. */
export class NoAnswer extends Error {
  readonly code = 'NO_ANSWER';
}

/** The case took longer than it may. */
export class CaseTimedOut extends Error {
  readonly code = 'CASE_TIMED_OUT';
}

const unreachable = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'EPROTO',
]);
const lost = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', 'ECONNABORTED', 'UND_ERR_CLOSED', 'UND_ERR_DESTROYED']);

/** What an error of the HTTP client means for the run. */
export function failureOf(
  error: unknown,
  place: { readonly origin: string; readonly request: string; readonly reused: boolean },
): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  if (error instanceof NoAnswer || error instanceof CaseTimedOut) return error;
  const code = codeOf(error);
  if (unreachable.has(code))
    return new TargetUnreachable(
      `nothing answers at ${place.origin} (${code}): start the service, or correct baseUrl in the profile`,
    );
  if (lost.has(code))
    return new ConnectionLost(`the connection was lost during ${place.request} (${error.message})`, place.reused);
  if (error instanceof errors.UndiciError || error instanceof errors.HTTPParserError) {
    return new NoAnswer(`the answer to ${place.request} cannot be read as HTTP (${error.message})`);
  }
  return error;
}

function codeOf(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause instanceof Error ? codeOf(error.cause) : '';
}
