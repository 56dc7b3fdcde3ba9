import { headerNames } from '../../contract/names.ts';
import { replacing, together, type Fault } from '../faults/fault.ts';
import type { Answer, Transport } from '../service.ts';
import { withoutHeaders } from './choice.ts';
import { isObject, jsonIn } from './json.ts';

/** Answers are sent in another way by turns; `turn` counts from 1. */
function sending(transportOf: (turn: number) => Transport): Fault {
  return (behaviours) => {
    let turn = 0;
    return replacing('finish', (right) => async (service, call, answer) => {
      const finished = await right(service, call, answer);
      turn += 1;
      return { ...finished, transport: { ...finished.transport, ...transportOf(turn) } };
    })(behaviours);
  };
}

export const capitalHeaderNames: Fault = sending(() => ({ upperCaseHeaders: true }));

export const chunkedBodies: Fault = sending((turn) => ({ chunked: turn % 3 !== 0 }));

/** Every seventh answer takes 1 to 50 ms longer. */
export const slowAnswers: Fault = sending((turn) => (turn % 7 === 0 ? { delayMs: 1 + (turn % 50) } : {}));

/** Connections end after some answers, with and without saying so beforehand. */
export const endingConnections: Fault = sending((turn) => {
  if (turn % 5 !== 0) return {};
  return { close: turn % 2 === 0 ? 'announced' : 'silent' };
});

const further = {
  Server: 'strange',
  'X-Served-By': 'one of many',
  'API-Version': '3',
  'Set-Cookie': 'strange=1; Path=/; HttpOnly',
};

/** Headers that nobody asked for; those about caching and correlation are left out. */
export const otherHeaders: Fault = replacing('finish', (right) => async (service, call, answer) => {
  const finished = withoutHeaders(await right(service, call, answer), 'x-correlation-id', 'cache-control');
  return { ...finished, headers: { ...finished.headers, ...further } };
});

/** The version header comes with reads as well. */
export const versionOnReads: Fault = together(
  replacing(
    'readInstance',
    (right) =>
      async (...args) =>
        versioned(await right(...args)),
  ),
  replacing(
    'readPage',
    (right) =>
      async (...args) =>
        versioned(await right(...args)),
  ),
);

function versioned(answer: Answer): Answer {
  const body = jsonIn(answer);
  if (!isObject(body)) return answer;
  return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(body['version']) } };
}
