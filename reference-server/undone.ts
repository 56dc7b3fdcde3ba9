import type { Answer } from './service.ts';

/** Ends a change set that has an answer and yet must leave nothing behind. Thrown by a handler; the kernel sends the answer. */
export class Undone extends Error {
  readonly code = 'UNDONE';
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('The change set was undone.');
    this.answer = answer;
  }
}
