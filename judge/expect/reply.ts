import { describe } from '../describe.ts';
import type { Reply } from '../exchange.ts';
import type { ReplyExpectation } from '../expect.ts';
import type { Check } from './open-expect.ts';

/** Assertions on the status and headers of a reply. */
export function replyExpectation(reply: Reply, check: Check): ReplyExpectation {
  const { status } = reply;
  const answered = (): string => `status ${status}${reply.text === '' ? '' : ` with ${describe(reply.text, 200)}`}`;
  const assert = (holds: boolean, expected: string): void => check(holds, expected, answered, reply);
  const succeeded = status >= 200 && status < 300;
  return {
    toAnswer: (...statuses) => assert(statuses.includes(status), `status ${statuses.join(' or ')}`),
    toSucceed: () => assert(succeeded, 'a status of 2xx'),
    toBeRefused: () => assert(status >= 400, 'a status of 400 or above'),
    notToSucceed: () => assert(!succeeded && status !== 304, 'a status other than 2xx and 304'),
    toCarry: (header) => {
      const value = reply.headers[header.toLowerCase()];
      check(
        value !== undefined,
        `a header ${header}`,
        () => `only ${Object.keys(reply.headers).join(', ') || 'no headers'}`,
        reply,
      );
      return value ?? '';
    },
  };
}
