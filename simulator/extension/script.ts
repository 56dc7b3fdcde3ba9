import { isLike, Progress } from '../../contract/control/steps.ts';
import { isObject } from './envelope.ts';
import { textOf, type Entry } from './entry.ts';
import type { Pattern, ScriptedAnswer, Step } from './step.ts';

/** Chooses a step by itself; undefined leaves the request to the default. `count`: how many requests came before it. */
export type ScriptFunction = (request: Entry, count: number) => Step | undefined;

/** What a host answers with. */
export type Script = readonly ScriptedAnswer[] | ScriptFunction;

/** Goes through a script request by request. */
export class Player {
  #script: Script;
  readonly #progress = new Progress<Step>();
  #played = 0;

  constructor(script: Script = []) {
    this.#script = script;
  }

  get script(): Script {
    return this.#script;
  }

  /** Adds answers behind those that there are, whose counts go on. @throws {TypeError} the script is a function */
  append(answers: readonly ScriptedAnswer[]): void {
    if (typeof this.#script === 'function') throw new TypeError('Nothing can be added to a script that is a function.');
    this.#script = [...this.#script, ...answers];
  }

  /** The step for a request, or undefined where the script leaves it to the default. */
  next(request: Entry): Step | undefined {
    const script = this.#script;
    if (typeof script === 'function') return script(request, this.#played++);
    const answer = script.find(({ when = {} }) => fits(when, request));
    return answer && this.#progress.next(answer, request);
  }

  /** The step that a request would get, which then does not count; undefined where the script leaves it to the default. */
  peek(request: Entry): Step | undefined {
    if (typeof this.#script === 'function') return undefined;
    const answer = this.#script.find(({ when = {} }) => fits(when, request));
    return answer && this.#progress.peek(answer, request);
  }

  /** Whether any step is to break a connection before the body of its request. */
  get mayCutBeforeBody(): boolean {
    if (typeof this.#script === 'function') return false;
    return this.#script.some(({ steps }) => steps.some(({ cut }) => cut === 'before-request-body'));
  }

  /** Whether the next step for a request, of which only the head is known, is to break the connection before its body. */
  cutsBeforeBody(head: Entry): boolean {
    return this.peek(head)?.cut === 'before-request-body';
  }
}

function fits(pattern: Pattern, request: Entry): boolean {
  const { kind, method, path, correlationId, recordId, objectId, contains } = pattern;
  return (
    (kind === undefined ? request.kind !== 'metadata' : kind === request.kind) &&
    isSame(method, request.method) &&
    isSame(correlationId, request.correlationId) &&
    isSame(recordId, request.recordId) &&
    isSame(objectId, objectIdOf(request)) &&
    (path === undefined || isLike(path, request.path)) &&
    (contains === undefined || (textOf(request.body) ?? '').includes(contains))
  );
}

function isSame(wanted: string | undefined, found: string | undefined): boolean {
  return wanted === undefined || wanted === found;
}

/** Object that a validation or an action is about. */
export function objectIdOf(request: Pick<Entry, 'envelope'>): string | undefined {
  const payload = request.envelope?.payload;
  const id = isObject(payload) ? payload['objectId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
