import { replacing, type Fault } from '../fault.ts';
import type { Operation } from '../../patch/operation-list.ts';
import type { OperationsRun } from '../../patch/operations.ts';
import { Refusal } from '../../problem.ts';
import type { StoredEntry } from '../../store/store.ts';

/** What is wrong only while an operation of that kind finds what its path names. */
export function whileLocating(op: Operation['op'], fault: Fault): Fault {
  return replacing('targetOf', (right) => (service, run, operation) => {
    const behaviours = operation.op === op ? fault(service.behaviours) : service.behaviours;
    return right({ ...service, behaviours }, run, operation);
  });
}

/** Every entry of an array port, as it is at that moment of the run. */
export function entriesIn(run: OperationsRun, port: string): Promise<readonly StoredEntry[]> {
  return run.writing.entries(run.object.oid, port, { from: 0, to: Number.MAX_SAFE_INTEGER });
}

/** The refusal of what a right server accepts. */
export function refusedWrongly(): Refusal {
  return new Refusal(422, 'This server breaks a rule on purpose.');
}
