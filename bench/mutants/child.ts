import { CaseTimedOut } from '../../judge/client/failure.ts';
import { stackOf } from '../../contract/thrown.ts';

export type ChildAnswer<Answer> = { readonly answer: Answer } | { readonly error: string };

/** Does one task after the other that the parent sends, and ends with it. */
export function answerTasks<Task, Answer>(work: (task: Task) => Promise<Answer>): void {
  // a case that was ended in the middle leaves promises behind: they are no death of what is judged
  process.on('unhandledRejection', (error) => {
    if (!(error instanceof CaseTimedOut)) throw error;
  });
  process.once('disconnect', () => process.exit());
  process.on('message', (task: Task) => {
    work(task).then(
      (answer) => process.send?.({ answer }),
      (error: unknown) => process.send?.({ error: stackOf(error) }),
    );
  });
}
