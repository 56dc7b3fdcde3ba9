import { isObject } from './envelope.ts';
import { textOf, type Entry } from './entry.ts';
import type { Pattern, ScriptedAnswer, Step } from './step.ts';

/** Chooses a step by itself; undefined leaves the request to the default. `count`: how many requests came before it. */
export type ScriptFunction = (request: Entry, count: number) => Step | undefined;

/** What a host answers with. */
export type Script = readonly ScriptedAnswer[] | ScriptFunction;

/** Different correlation ids or paths that one answer counts by themselves; beyond, the oldest is forgotten. */
const mostCounters = 10_000;

/** Goes through a script request by request. */
export class Player {
  #script: Script;
  readonly #counters = new Map<ScriptedAnswer, Map<string, number>>();
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
    return answer === undefined ? undefined : stepAt(answer, this.#count(answer, request));
  }

  /** Whether any step is to break a connection before the body of its request. */
  get mayCutBeforeBody(): boolean {
    if (typeof this.#script === 'function') return false;
    return this.#script.some(({ steps }) => steps.some(({ cut }) => cut === 'before-request-body'));
  }

  /** Whether the next step for a request, of which only the head is known, is to break the connection before its body. */
  cutsBeforeBody(head: Entry): boolean {
    if (typeof this.#script === 'function') return false;
    const answer = this.#script.find(({ when = {} }) => fits(when, head));
    if (answer === undefined) return false;
    return stepAt(answer, this.#counters.get(answer)?.get(keyOf(answer, head)) ?? 0)?.cut === 'before-request-body';
  }

  #count(answer: ScriptedAnswer, request: Entry): number {
    const counters = this.#counters.get(answer) ?? new Map<string, number>();
    this.#counters.set(answer, counters);
    const key = keyOf(answer, request);
    const count = counters.get(key) ?? 0;
    counters.set(key, count + 1);
    const [oldest] = counters.keys();
    if (counters.size > mostCounters && oldest !== undefined) counters.delete(oldest);
    return count;
  }
}

function keyOf({ per = 'answer' }: ScriptedAnswer, request: Entry): string {
  if (per === 'answer') return '';
  return per === 'path' ? request.path : (request.correlationId ?? '');
}

function stepAt({ steps, afterwards = 'default' }: ScriptedAnswer, index: number): Step | undefined {
  if (index < steps.length) return steps[index];
  if (afterwards === 'default') return undefined;
  return afterwards === 'last' ? steps.at(-1) : steps[index % steps.length];
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

/** `*` stands for any text. Walks the pieces in order, so that a hostile path costs no more than its length. */
function isLike(pattern: string, text: string): boolean {
  const [first = '', ...pieces] = pattern.split('*');
  const last = pieces.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let from = first.length;
  for (const piece of pieces) {
    const found = text.indexOf(piece, from);
    if (found === -1 || found + piece.length > end) return false;
    from = found + piece.length;
  }
  return true;
}

/** Object that a validation or an action is about. */
export function objectIdOf(request: Pick<Entry, 'envelope'>): string | undefined {
  const payload = request.envelope?.payload;
  const id = isObject(payload) ? payload['objectId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}
