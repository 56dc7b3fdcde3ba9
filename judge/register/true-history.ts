import type { RegisterHistory, RegisterOperation } from './history.ts';

export interface Simulated {
  readonly operations: number;
  readonly processes: number;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** What one register answers to processes that read, and write at the version that they saw last. For tests and measurements. */
export function trueHistory({ operations, processes, random }: Simulated): RegisterHistory {
  const seen = Array.from({ length: processes }, () => 1);
  const freeFrom = Array.from({ length: processes }, () => 0);
  const done: RegisterOperation[] = [];
  let [version, value, now] = [1, 'value 1', 0];
  for (let count = 0; count < operations; count += 1) {
    const process = Math.floor(random() * processes);
    // it happens at `now`, between invocation and response
    now = Math.max(now, freeFrom[process] ?? 0) + random() + 0.001;
    const span = {
      invokedAt: Math.max(freeFrom[process] ?? 0, now - 4 * random()),
      respondedAt: now + random() / processes,
    };
    freeFrom[process] = span.respondedAt;
    if (random() < 0.5) {
      seen[process] = version;
      done.push({ kind: 'read', process, version, value, ...span });
      continue;
    }
    const stated = seen[process] ?? 1;
    const isAccepted = stated === version;
    if (isAccepted) [version, value] = [version + 1, `value ${version + 1}`];
    if (isAccepted) seen[process] = version;
    const isAnswered = !isAccepted || random() > 0.05;
    done.push(
      isAnswered
        ? answered(process, stated, isAccepted, value, span)
        : { kind: 'write', process, stated, result: 'unknown', value, ...span, respondedAt: Infinity },
    );
  }
  return { start: { version: 1, value: 'value 1' }, operations: done };
}

function answered(
  process: number,
  stated: number,
  isAccepted: boolean,
  value: string,
  span: { readonly invokedAt: number; readonly respondedAt: number },
): RegisterOperation {
  const write = { kind: 'write', process, stated, ...span } as const;
  return isAccepted ? { ...write, result: 'accepted', version: stated + 1, value } : { ...write, result: 'conflict' };
}
