import type { CallOutcome } from '../../delivery/delivery.ts';

/** What an extension found, or why it found nothing. Source: extensions, Calls to extensions, row ExternalValidation; Errors 5 */
export type Verdict =
  | { readonly kind: 'valid'; readonly message: string }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'error'; readonly message: string };

/** Anything but 200 with the documented object is an error of the validation; an extension that is gone has no say. Source: ledger task-and-validation-success, validation-status-code */
export function verdictOf(outcome: CallOutcome): Verdict {
  if (outcome.kind === 'timeout') return { kind: 'error', message: `no answer came within ${outcome.waitedMs} ms` };
  // deleted between the look-up and the call
  if (outcome.kind === 'failed' && outcome.gone === true) return { kind: 'valid', message: '' };
  if (outcome.kind === 'failed') return { kind: 'error', message: outcome.reason };
  if (outcome.status !== 200) return { kind: 'error', message: `the answer was ${outcome.status}` };
  return verdictIn(jsonOf(outcome.body));
}

function verdictIn(answer: unknown): Verdict {
  if (typeof answer !== 'object' || answer === null || !('isValid' in answer) || typeof answer.isValid !== 'boolean')
    return { kind: 'error', message: 'the answer is no object with isValid' };
  const message = 'message' in answer && typeof answer.message === 'string' ? answer.message : '';
  return { kind: answer.isValid ? 'valid' : 'invalid', message };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One negative verdict is the verdict of all, and an error that of those who said yes. Source: ledger validation-several-extensions */
export function combinedVerdict(verdicts: readonly Verdict[]): Verdict {
  const named = (kind: Verdict['kind']): Verdict | undefined => verdicts.find((verdict) => verdict.kind === kind);
  return named('invalid') ?? named('error') ?? named('valid') ?? { kind: 'valid', message: '' };
}
