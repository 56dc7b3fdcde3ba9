import type { Step } from '../step.ts';
import type { Call } from './call.ts';

const members = ['to', 'from', 'subject', 'body'] as const;

/** Takes a mail, which goes nowhere but into the journal. Source: extensions, Payloads by extension type, Email */
export function emailAnswer({ payload }: Call): Step {
  const wrong = members.find((name) => payload[name] !== undefined && typeof payload[name] !== 'string');
  if (wrong === undefined) return { status: 200 };
  return { status: 400, json: { message: `Expected "${wrong}" of a mail to be a string.` } };
}
