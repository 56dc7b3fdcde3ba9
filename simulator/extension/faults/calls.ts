import { isRepeated, callId } from '../calls/call.ts';
import { machineClock, type HostClock } from '../clock.ts';
import { CallbackError } from '../work/client.ts';
import { replacing, together, type FaultsOf } from './fault.ts';

const announcedTimeoutSeconds = 0.5;
const heldMs = 800;
/** Longest time of the machine that it takes, where nobody moves the host's clock. */
const mostHeldMs = 2000;
const slowAnswerMs = 40;
const unheard = new AbortController().signal;

export const callsFaults: FaultsOf<'calls'> = {
  'calls.host.event-acknowledged': replacing('eventAnswer', (right) => async (host, call) => ({
    ...(await right(host, call)),
    status: 202,
  })),
  'calls.host.event-acknowledged-first': replacing(
    'startWork',
    (right) => (host, call, work) =>
      call.kind === 'event' ? host.background.run(callId(call), work) : right(host, call, work),
  ),
  'calls.host.answers-within-timeout': together(
    replacing('announcedRecords', (right) => (records, host) => {
      const hasted = records.map((record) =>
        record.extensionType === 'ExternalEvent' ? { ...record, requestTimeout: announcedTimeoutSeconds } : record,
      );
      return right(hasted, host);
    }),
    replacing('eventAnswer', (right) => async (host, call) => {
      await held(host.clock);
      return right(host, call);
    }),
  ),
  'calls.host.email-acknowledged': replacing(
    'emailAnswer',
    (right) => (call) =>
      /<[a-z!]/i.test(String(call.payload['body']))
        ? { status: 400, json: { message: 'Expected a plain text.' } }
        : right(call),
  ),
  'calls.host.validation-object': replacing(
    'validationBody',
    (right) => (objectId, isValid) => (isValid ? { isValid } : right(objectId, isValid)),
  ),
  'calls.host.validation-outcome': replacing('isValid', () => () => true),
  'calls.host.action-success-body': replacing('successBody', (right) => (result) => {
    const { statusCode, ...body } = Object.assign({ statusCode: 0 }, right(result));
    return { statusCode: String(statusCode), ...body };
  }),
  'calls.host.action-error-body': replacing('errorBody', () => (message) => ({ error: message })),
  'calls.host.action-batch-body': replacing('batchResults', () => (results) => results[0]),
  'calls.host.uses-envelope-token': (behaviours) => {
    let first: string | undefined;
    return replacing('tokenOf', (right) => (call) => (first ??= right(call)))(behaviours);
  },
  'calls.host.uses-base-address': (behaviours) => {
    let first: string | undefined;
    return replacing('workOnEvent', (right) => async (host, call, signal) => {
      first ??= call.baseAddress;
      await right(host, { ...call, baseAddress: first }, signal).catch((error: unknown) => {
        if (!(error instanceof CallbackError) || error.status !== undefined) throw error;
        // a configuration that leads nowhere would be corrected
        first = call.baseAddress;
        return right(host, call, signal);
      });
    })(behaviours);
  },
  'calls.host.redelivery': replacing(
    'eventAnswer',
    (right) => async (host, call) => (isRepeated(host, call) ? { status: 409 } : right(host, call)),
  ),
  'calls.host.concurrent-calls': (behaviours) => {
    let running = 0;
    return replacing('eventAnswer', (right) => async (host, call) => {
      if (running > 0) return { status: 503 };
      running += 1;
      const answer = await right(host, call);
      await machineClock.sleep(slowAnswerMs, unheard);
      running -= 1;
      return answer;
    })(behaviours);
  },
};

async function held(clock: HostClock): Promise<void> {
  const over = new AbortController();
  const times = [clock.sleep(heldMs, over.signal, 'held answer'), machineClock.sleep(mostHeldMs, over.signal)];
  await Promise.race(times);
  over.abort();
  await Promise.allSettled(times);
}
