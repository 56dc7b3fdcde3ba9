import { replacing, type Fault } from '../faults/fault.ts';
import type { Answer } from '../service.ts';
import { changingObjects, jsonIn, withJson } from './json.ts';

/** Members of every object stand in the opposite order. */
export const membersTurnedRound: Fault = changingObjects((object) =>
  Object.fromEntries(Object.entries(object).toReversed()),
);

/** JSON is indented, and written in ASCII alone. */
export const spaciousJson: Fault = replacing('finish', (right) => async (service, call, answer) => {
  const finished = await right(service, call, answer);
  const value = jsonIn(finished);
  if (value === undefined) return finished;
  return { ...typed(withJson(finished, undefined)), raw: asciiOf(JSON.stringify(value, undefined, ' \t')) };
});

/** Every text of JSON has its letters e and its slashes escaped, names of members included. */
export const escapedLetters: Fault = replacing('finish', (right) => async (service, call, answer) => {
  const finished = await right(service, call, answer);
  if (jsonIn(finished) === undefined) return finished;
  const text = finished.raw?.toString() ?? JSON.stringify(finished.body);
  return { ...typed(withJson(finished, undefined)), raw: text.replaceAll(/"(?:[^"\\]|\\.)*"/g, escapedIn) };
});

function escapedIn(text: string): string {
  return text.replaceAll(
    /\\.[0-9A-Fa-f]{0,4}|[e/]/g,
    (part) => ({ e: String.raw`\u0065`, '/': String.raw`\/` })[part] ?? part,
  );
}

function typed(answer: Answer): Answer {
  const stated = Object.keys(answer.headers ?? {}).some((name) => name.toLowerCase() === 'content-type');
  return stated ? answer : { ...answer, headers: { ...answer.headers, 'Content-Type': 'application/json' } };
}

function asciiOf(text: string): string {
  return text.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** JSON goes by a type of its own with the suffix, or with capitals and a parameter, by turns. */
export const otherJsonTypes: Fault = (behaviours) => {
  let turn = 0;
  const next = (): string =>
    ['application/vnd.strange+json', 'Application/JSON;Charset="UTF-8"'][(turn += 1) % 2] ?? '';
  return replacing('finish', (right) => async (service, call, answer) => {
    const finished = await right(service, call, answer);
    if (jsonIn(finished) === undefined) return finished;
    const { 'Content-Type': given = 'application/json', ...headers } = finished.headers ?? {};
    return { ...finished, headers: { ...headers, 'Content-Type': given === 'application/json' ? next() : given } };
  })(behaviours);
};
