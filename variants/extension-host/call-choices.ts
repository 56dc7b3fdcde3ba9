import { headerNames } from '../../contract/names.ts';
import { messageOf } from '../../contract/thrown.ts';
import { callbackHeaders, joinUrl, type Call } from '../../simulator/extension/call.ts';
import type { Calls } from '../../simulator/extension/areas/calls.ts';
import { CallbackError } from '../../simulator/extension/client.ts';
import { isObject } from '../../simulator/extension/envelope.ts';
import type { Step } from '../../simulator/extension/step.ts';
import { together } from './breaks.ts';
import { answeringCalls, breaks, type Freedom, type HostChoice, type HostVariant } from './choice.ts';

const laterMs = 1200;
const lookMs = 3500;
const documentedMembers = ['id', 'accessToken', 'baseAddress', 'informationFilter', 'payload'];
const longMessage = 'Der Gegenstand ist nicht gültig, und zwar aus vielen Gründen. '.repeat(100);
const ended = new AbortController().signal;

/** It takes the time that its profile tells, which is more than most do: too much of it for every run. */
export const longTask: HostChoice = {
  meets: 'a task takes longer than most, as its profile tells',
  by: lasting(30),
  binding: ({ samples, ...binding }) => ({
    ...binding,
    samples: { ...samples, task: { ...samples?.task, seconds: 33 } },
  }),
};

/** How a host may take calls, and work on what they set off. */
export const callFreedoms: readonly Freedom[] = [
  {
    open: 'extensions: Calls to extensions, rows ExternalEvent and Email: what stands beside 200 or 201',
    choices: [
      { meets: 'events and mails are taken with 201 and nothing else', by: taking({ status: 201 }) },
      {
        meets: 'events and mails are taken with 200 and JSON',
        by: taking({ status: 200, json: { queued: true, id: 1 } }),
      },
      {
        meets: 'events and mails are taken with 201, a place and a page',
        by: taking({
          status: 201,
          text: '<p>ok',
          headers: { Location: '/queue/1', 'Content-Type': 'text/html; charset=iso-8859-1' },
        }),
      },
    ],
  },
  {
    open: 'task-and-validation-success',
    choices: [
      {
        meets: 'tasks are taken with 201 and a text, validations answered with 201',
        by: together(
          breaks(
            'tasks',
            'answer',
            (right) => async (call) => changedWhereWell(await right(call), { status: 201, text: 'accepted' }),
          ),
          breaks(
            'calls',
            'answerValidation',
            (right) => async (call) => changedWhereWell(await right(call), { status: 201 }),
          ),
        ),
      },
      {
        meets: 'tasks are taken with 202 and JSON',
        by: breaks(
          'tasks',
          'answer',
          (right) => async (call) =>
            changedWhereWell(await right(call), {
              status: 202,
              json: { state: 'queued' },
              headers: { Location: '/tasks/1', 'Retry-After': '5' },
            }),
        ),
      },
      {
        meets: 'tasks are taken with 204',
        by: breaks('tasks', 'answer', (right) => async (call) => changedWhereWell(await right(call), { status: 204 })),
      },
    ],
  },
  {
    open: 'extensions: Calls to extensions, row ExternalValidation: which message, and what else',
    choices: [
      {
        meets: 'a validation tells much, in any case, and more than is asked for',
        by: breaks('calls', 'validationBody', () => (objectId, isValid) => ({
          message: isValid ? 'All is well.' : longMessage,
          details: [{ objectId, severity: null }],
          isValid,
          IsValid: isValid,
        })),
      },
      {
        meets: 'a validation never says why',
        by: breaks('calls', 'validationBody', () => (_objectId, isValid) => ({ isValid, message: '' })),
      },
    ],
  },
  {
    open: 'extensions: Errors, rule 4: which location and version, and what else',
    choices: [
      {
        meets: 'actions answer with an absolute location, version 0 and further members',
        by: results((result) => ({
          ...result,
          location: 'https://service.example/api/space/main/softtype/Document/documentInput/00000007',
          svcUOIVersion: 0,
          message: 'done',
          data: { $oid: '00000007' },
        })),
      },
      {
        meets: 'actions answer with an empty location, and 204 for what has no content',
        by: results((result) => ({
          ...result,
          statusCode: Reflect.get(result, 'statusCode') === 200 ? 204 : Reflect.get(result, 'statusCode'),
          location: '',
        })),
      },
    ],
  },
  {
    open: 'extensions: Errors, rule 4: how many errors, and what else they have',
    choices: [
      {
        meets: 'a failing action has several errors with more than a message',
        by: breaks('calls', 'errorBody', () => (message) => ({
          errors: [
            { message, code: 7, path: null },
            { message: longMessage, severity: 'warning' },
          ],
          title: 'It failed',
          status: 500,
        })),
      },
      {
        meets: 'a failing action does not say why',
        by: breaks('calls', 'errorBody', () => () => ({ errors: [{ message: '' }] })),
      },
    ],
  },
  {
    open: 'token-query-names',
    choices: [
      {
        meets: 'who calls about validations, tasks and mails without a token in the query is not let in',
        by: answeringCalls((step, { kind, entry }) =>
          ['validation', 'task', 'email'].includes(kind) && !/[?&]access_token=./.test(entry.target)
            ? { status: 401, json: { message: 'The query has no access_token.' } }
            : step,
        ),
      },
      {
        meets: 'the token in the query goes by the name that downloads have for it, which its profile does not say',
        by: answeringCalls((step, { kind, entry }) =>
          ['validation', 'task', 'email'].includes(kind) && !/[?&]token=./.test(entry.target)
            ? { status: 401, json: { message: 'The query has no token.' } }
            : step,
        ),
      },
    ],
  },
  {
    open: 'token-claims',
    choices: [
      {
        meets: 'who calls with a token that is over is not let in',
        by: together(
          ...(['answerEvent', 'answerEmail', 'answerValidation', 'answerAction'] as const).map((method) =>
            breaks(
              'calls',
              method,
              (right, { surroundings: { clock } }) =>
                (call) =>
                  expiryOf(call) < clock.now() ? { status: 401, json: { message: 'The token is over.' } } : right(call),
            ),
          ),
        ),
      },
    ],
  },
  {
    open: 'extensions: Call envelope: what is done with members that nobody knows',
    choices: [
      {
        meets: 'an envelope with further members is refused',
        by: answeringCalls((step, { entry }) =>
          Object.keys(Object(entry.json)).some((name) => !documentedMembers.includes(name))
            ? { status: 422, json: { title: 'Unprocessable', errors: { $: ['further members'] } } }
            : step,
        ),
      },
    ],
  },
  {
    open: 'extensions: Call envelope; Payloads by extension type: what is done with one that is not as told',
    choices: [
      {
        meets: 'an envelope, a token or a payload that is not as the documents tell is refused',
        by: answeringCalls((step, call) => (isAsTold(call) ? step : { status: 400, json: { title: 'Not as told' } })),
      },
    ],
  },
  {
    open: 'extensions: Calls to extensions, row ExternalValidation: what is said of an object that is not there',
    choices: [
      {
        meets: 'validations know certain objects alone',
        by: breaks('calls', 'answerValidation', (right) => (call) => {
          const { objectId, contextObjectId = objectId } = call.payload;
          const isKnown = [objectId, contextObjectId].every((id) => /^(?:object|invalid)-1$/.test(String(id)));
          return isKnown ? right(call) : { status: 404, json: { title: `There is no ${String(objectId)}` } };
        }),
      },
    ],
  },
  {
    open: 'extensions: Calls to extensions: the type of what is JSON',
    choices: [
      {
        meets: 'JSON in answers to calls has no type',
        by: answeringCalls(({ json, ...step }) =>
          json === undefined ? step : { ...step, text: JSON.stringify(json) },
        ),
      },
      {
        meets: 'JSON in answers to calls goes by another type',
        by: answeringCalls((step) =>
          step.json === undefined
            ? step
            : { ...step, headers: { ...step.headers, 'Content-Type': 'text/json; charset=utf-8' } },
        ),
      },
    ],
  },
  {
    open: 'extensions: Limits, request timeout: how long a user may wait',
    choices: [
      {
        meets: 'validations and actions take their time',
        by: answeringCalls((step, { kind }) =>
          kind === 'validation' || kind === 'action' ? { ...step, delayMs: 400 } : step,
        ),
      },
    ],
  },
  {
    open: 'extensions: Calls to extensions: what there is at other paths',
    choices: [
      {
        meets: 'other paths let nobody in',
        by: breaks(
          'signing',
          'isAdmitted',
          (right) => (entry) => right(entry) && (entry.kind !== 'other' || entry.path.startsWith('/keys/')),
        ),
      },
    ],
  },
  {
    open: 'extensions: Events, rule 2: when the work begins',
    choices: [
      {
        meets: 'the work begins before the answer is out, which does not wait for it',
        by: breaks('background', 'start', (_right, background) => (call, work) => {
          if (!background.knows(call)) void background.run(call, work);
        }),
      },
      { meets: 'the work begins some time after the answer', by: workingAfter(laterMs) },
      { meets: 'the work begins when somebody looks for it, every few seconds', by: workingAfter(lookMs) },
    ],
  },
  {
    open: 'extensions: Events, rule 2; Payloads, ExternalTask, timeout: how long work takes, and how much of it is done at once',
    choices: [
      { meets: 'one task is worked on after the other', by: oneAfterTheOther((call) => call.kind === 'task') },
      { meets: 'a task takes some seconds', by: lasting(5) },
      { meets: 'all work is done one after the other', by: oneAfterTheOther(() => true) },
    ],
  },
  {
    open: 'extensions: Errors, rule 1: what a repeated event sets off',
    choices: [
      {
        meets: 'an event that comes again is worked on again',
        by: breaks('background', 'knows', (right) => (call) => call.kind !== 'event' && right(call)),
      },
    ],
  },
  {
    open: 'core: Information filter: which filter work is done with',
    choices: [
      {
        meets: 'requests have a filter of its own',
        by: breaks('calls', 'filterHeader', () => () => ({
          'svc-informationfilter': Buffer.from('{ "own": true }').toString('base64'),
        })),
      },
    ],
  },
  {
    open: 'extensions: Events, rule 5: what an event sets off',
    choices: [
      {
        meets: 'an event edits what it read',
        by: breaks('calls', 'workOnEvent', (right, calls) => async (call, signal) => {
          await right(call, signal);
          const content = call.payload['contentPayload'];
          const route = isObject(content) ? content['read'] : undefined;
          if (typeof route !== 'string') return;
          await edit(calls, call, route, signal, (version) => ({ method: 'PATCH', route, version, body: {} }));
        }),
      },
      {
        meets: 'an event posts a batch about what it read',
        by: breaks('calls', 'workOnEvent', (right, calls) => async (call, signal) => {
          await right(call, signal);
          const content = call.payload['contentPayload'];
          const href = isObject(content) ? content['read'] : undefined;
          if (typeof href !== 'string') return;
          await edit(calls, call, href, signal, (version) => {
            const headers = { [headerNames.version]: version };
            const body = [
              { method: 'GET', href },
              { method: 'PATCH', href, headers, body: {} },
            ];
            return { method: 'POST', route: '/api/space/main/batch', body };
          });
        }),
      },
    ],
  },
  {
    open: 'extensions: Calls to extensions, row ExternalValidation: what is asked before the answer',
    choices: [
      {
        meets: 'a validation reads the object before it answers',
        by: breaks('calls', 'answerValidation', (right, calls) => async (call) => {
          const { objectId, spaceId } = call.payload;
          const route = `/api/space/${String(spaceId)}/softtype/Document/documentFull/${encodeURIComponent(String(objectId))}`;
          await send(calls, call, { method: 'GET', route }, ended).catch(() => undefined);
          return right(call);
        }),
      },
    ],
  },
  {
    open: 'extensions: Payloads, ExternalAction, requestedRoute: who sends what the form would have sent',
    choices: [
      {
        meets: 'a form action sends what the service would have sent',
        by: breaks('calls', 'answerAction', (right, calls) => async (call) => {
          const { requestedRoute, httpVerb, contentPayload, svcUOIVersion } = call.payload;
          const isBatch = Array.isArray(contentPayload);
          if (typeof requestedRoute === 'string' && typeof httpVerb === 'string' && !isBatch) {
            const sent = { method: httpVerb, route: requestedRoute, body: contentPayload };
            const version = svcUOIVersion === undefined ? {} : { version: String(svcUOIVersion) };
            const failure = await send(calls, call, { ...sent, ...version }, ended).catch((error: unknown) => error);
            if (failure !== undefined) return { status: 500, json: calls.errorBody(messageOf(failure)) };
          }
          return right(call);
        }),
      },
    ],
  },
];

function taking(answer: Step): HostVariant {
  return together(
    breaks('calls', 'answerEvent', (right) => async (call) => changedWhereWell(await right(call), answer)),
    breaks('calls', 'answerEmail', (right) => async (call) => changedWhereWell(await right(call), answer)),
  );
}

function changedWhereWell(step: Step, answer: Step): Step {
  return step.status === 200 ? { ...step, ...answer } : step;
}

function results(change: (result: object) => object): HostVariant {
  return together(
    breaks('calls', 'successBody', (right) => (result) => change(right(result))),
    breaks('calls', 'batchResults', () => (results) => results.map(change)),
  );
}

function workingAfter(delayMs: number): HostVariant {
  return breaks(
    'background',
    'start',
    (right, { surroundings: { clock } }) =>
      (call, work) =>
        right(call, async (signal) => {
          // it waits beside the work that is under way
          void clock
            .sleep(delayMs, signal, 'work later')
            .then(() => work(signal))
            .catch(() => undefined);
        }),
  );
}

/** Time between the input and what comes of it, in s. */
function lasting(seconds: number): HostVariant {
  return breaks('tasks', 'inputRequest', (right, { surroundings: { clock } }) => async (task, signal) => {
    const request = await right(task, signal);
    await clock.sleep(seconds * 1000, signal, 'task work');
    return request;
  });
}

function oneAfterTheOther(isMeant: (call: Call) => boolean): HostVariant {
  return breaks('background', 'start', (right) => {
    let last: Promise<void> = Promise.resolve();
    return (call, work) => {
      if (!isMeant(call)) return right(call, work);
      return right(call, (signal) => {
        const own = last.then(() => work(signal));
        last = own.catch(() => undefined);
        return own;
      });
    };
  });
}

/** Source: extensions, Call envelope and Payloads by extension type */
function isAsTold({ id, accessToken, baseAddress, informationFilter = '', payload, kind }: Call): boolean {
  const texts = (...names: readonly string[]): boolean => names.every((name) => typeof payload[name] === 'string');
  const isEnvelope =
    /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) &&
    /^[\w-]+\.[\w-]+\.[\w-]+$/.test(accessToken) &&
    URL.canParse(baseAddress) &&
    isObject(JSON.parse(Buffer.from(informationFilter, 'base64').toString() || 'null'));
  const { contentPayload, timeout, jobSettings, taskSettings, links } = payload;
  switch (kind) {
    case 'event':
      return isEnvelope && isObject(contentPayload) && texts('id', 'spaceId');
    case 'validation':
      return isEnvelope && texts('objectId', 'spaceId');
    case 'email':
      return isEnvelope && texts('to', 'from', 'subject', 'body');
    case 'task':
      return (
        isEnvelope && Number(timeout) > 0 && isObject(jobSettings) && isObject(taskSettings) && Array.isArray(links)
      );
    case 'action':
      return isEnvelope && texts('spaceId', 'informationFilter', 'email') && typeof contentPayload === 'object';
    default:
      return isEnvelope;
  }
}

/** ms since the epoch; endless for a token that does not tell. */
function expiryOf({ accessToken }: Call): number {
  try {
    const claims: unknown = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
    return isObject(claims) && typeof claims['exp'] === 'number' ? claims['exp'] * 1000 : Infinity;
  } catch {
    return Infinity;
  }
}

interface Sent {
  readonly method: string;
  readonly route: string;
  readonly version?: string;
  readonly body?: unknown;
}

async function versionRead(calls: Calls, call: Call, route: string, signal: AbortSignal): Promise<string> {
  const headers = { ...callbackHeaders(call.id, calls.tokenOf(call)), ...calls.filterHeader(call) };
  const url = joinUrl(call.baseAddress, route);
  const answer = await calls.surroundings.client.request({ method: 'GET', url, headers }, signal);
  answer.body.resume();
  return String(answer.headers[headerNames.version.toLowerCase()]);
}

/** Reads and edits; once more where others edited in between. */
async function edit(
  calls: Calls,
  call: Call,
  read: string,
  signal: AbortSignal,
  sentFor: (version: string) => Sent,
): Promise<void> {
  const once = async (): Promise<void> =>
    send(calls, call, sentFor(await versionRead(calls, call, read, signal)), signal);
  await once().catch((error: unknown) => {
    if (!(error instanceof CallbackError) || ![409, 500].includes(error.status ?? 0)) throw error;
    return once();
  });
}

async function send(
  calls: Calls,
  call: Call,
  { method, route, version, body }: Sent,
  signal: AbortSignal,
): Promise<void> {
  const headers = {
    ...callbackHeaders(call.id, calls.tokenOf(call)),
    ...calls.filterHeader(call),
    ...(version !== undefined && { [headerNames.version]: version }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const url = joinUrl(call.baseAddress, route);
  await calls.surroundings.client.demand(
    { method, url, headers, ...(body !== undefined && { body: JSON.stringify(body) }) },
    signal,
  );
}
