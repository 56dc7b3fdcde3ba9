import type { Assessment, Standing } from './assessment.ts';
import type { Run } from './run.ts';

/** Blocked with a reason on the record: declared by rule or need by need, or behind rules that are on the record themselves. */
export function isExplained({ rule, outcome }: Standing, run: Run, assessment: Assessment): boolean {
  const missing = outcome?.missing ?? [];
  const behind = outcome?.standsOn ?? [];
  return (
    isDeclared(rule.id, run) ||
    (missing.length > 0 && missing.every((need) => isDeclared(need, run))) ||
    (behind.length > 0 && behind.every((id) => isOnRecord(id, assessment)))
  );
}

/** A failed rule is shown by itself, as a violation or as a known failure. */
function isOnRecord(id: string, { standings, known }: Assessment): boolean {
  return (
    known.some(({ rule }) => rule === id) || standings.some(({ rule, state }) => rule.id === id && state === 'fail')
  );
}

/** Whether `notSupported` names the need or rule; `*` stands for any text. */
function isDeclared(name: string, run: Run): boolean {
  return Object.keys(run.header.notSupported).some((pattern) => matches(pattern, name));
}

function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[^\w-]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name);
}
