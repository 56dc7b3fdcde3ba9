import { CaseTimedOut, ConnectionLost, NoAnswer, TargetUnreachable } from '../client/failure.ts';
import { PreconditionFailed, UnfitProfile } from '../violation.ts';
import type { Failure } from './lines.ts';

/** What a case asked for is not on the cassette, so that nothing can be said about its rule. */
export class NotOnCassette extends Error {
  readonly code = 'NOT_ON_CASSETTE';
}

const makers: Readonly<Record<string, (failure: Failure) => Error>> = {
  TargetUnreachable: ({ message }) => new TargetUnreachable(message),
  ConnectionLost: ({ message, reused = false }) => new ConnectionLost(message, reused),
  NoAnswer: ({ message }) => new NoAnswer(message),
  CaseTimedOut: ({ message }) => new CaseTimedOut(message),
};

/** An error as a cassette holds it. */
export function failureOf(error: unknown, safe: (text: string) => string): Failure {
  if (!(error instanceof Error)) return { kind: 'Error', message: safe(String(error)) };
  return {
    kind: error.constructor.name,
    message: safe(error.message),
    ...(error instanceof ConnectionLost && { reused: error.reused }),
  };
}

export function errorOf(failure: Failure): Error {
  for (const Failed of [PreconditionFailed, UnfitProfile])
    if (failure.kind === Failed.name) return new Failed(failure.message.replace(/^the case needs /, ''));
  return makers[failure.kind]?.(failure) ?? new Error(failure.message);
}
