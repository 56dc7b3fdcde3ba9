import { CallbackError } from '../../simulator/extension/client.ts';
import { machineClock, type HostClock } from '../../simulator/extension/clock.ts';
import { together } from '../breaks.ts';
import { breaks, type HostFaults } from './breaks.ts';

const announcedTimeoutSeconds = 0.5;
const heldMs = 800;
/** Longest time of the machine that it takes, where nobody moves the host's clock. */
const mostHeldMs = 2000;
const slowAnswerMs = 40;
const unheard = new AbortController().signal;

export const callsFaults = {
  'calls.host.event-acknowledged': breaks('calls', 'answerEvent', (right) => async (call) => ({
    ...(await right(call)),
    status: 202,
  })),
  'calls.host.event-acknowledged-first': breaks(
    'background',
    'start',
    (right, background) => (call, work) => (call.kind === 'event' ? background.run(call, work) : right(call, work)),
  ),
  'calls.host.answers-within-timeout': together(
    breaks('metadata', 'announcedRecords', (right) => (records) => {
      const hasted = records.map((record) =>
        record.extensionType === 'ExternalEvent' ? { ...record, requestTimeout: announcedTimeoutSeconds } : record,
      );
      return right(hasted);
    }),
    breaks('calls', 'answerEvent', (right, { surroundings }) => async (call) => {
      await holdBack(surroundings.clock);
      return right(call);
    }),
  ),
  'calls.host.email-acknowledged': breaks(
    'calls',
    'answerEmail',
    (right) => (call) =>
      /<[a-z!]/i.test(String(call.payload['body']))
        ? { status: 400, json: { message: 'Expected a plain text.' } }
        : right(call),
  ),
  'calls.host.validation-object': breaks(
    'calls',
    'validationBody',
    (right) => (objectId, isValid) => (isValid ? { isValid } : right(objectId, isValid)),
  ),
  'calls.host.validation-outcome': breaks('calls', 'isValid', () => () => true),
  'calls.host.action-success-body': breaks('calls', 'successBody', (right) => (result) => {
    const { statusCode, ...body } = Object.assign({ statusCode: 0 }, right(result));
    return { statusCode: String(statusCode), ...body };
  }),
  'calls.host.action-error-body': breaks('calls', 'errorBody', () => (message) => ({ error: message })),
  'calls.host.action-batch-body': breaks('calls', 'batchResults', () => (results) => results[0]),
  'calls.host.uses-envelope-token': breaks('calls', 'tokenOf', (right) => {
    let first: string | undefined;
    return (call) => (first ??= right(call));
  }),
  'calls.host.uses-base-address': breaks('calls', 'workOnEvent', (right) => {
    let first: string | undefined;
    return async (call, signal) => {
      first ??= call.baseAddress;
      await right({ ...call, baseAddress: first }, signal).catch((error: unknown) => {
        if (!(error instanceof CallbackError) || error.status !== undefined) throw error;
        // a configuration that leads nowhere would be corrected
        first = call.baseAddress;
        return right(call, signal);
      });
    };
  }),
  'calls.host.redelivery': breaks(
    'calls',
    'answerEvent',
    (right, { background }) =>
      async (call) =>
        background.knows(call) ? { status: 409 } : right(call),
  ),
  'calls.host.concurrent-calls': breaks('calls', 'answerEvent', (right) => {
    let running = 0;
    return async (call) => {
      if (running > 0) return { status: 503 };
      running += 1;
      const answer = await right(call);
      await machineClock.sleep(slowAnswerMs, unheard);
      running -= 1;
      return answer;
    };
  }),
} satisfies HostFaults;

async function holdBack(clock: HostClock): Promise<void> {
  const over = new AbortController();
  const times = [clock.sleep(heldMs, over.signal, 'held answer'), machineClock.sleep(mostHeldMs, over.signal)];
  await Promise.race(times);
  over.abort();
  await Promise.allSettled(times);
}
