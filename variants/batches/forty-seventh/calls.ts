import { jsonOf } from '../../../contract/json.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsTo, scheduleTask } from '../proofs.ts';
import { at, listAt } from '../service.ts';

const actionPath = '/api/space/main/externalAction/action';
const guid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What came with the triggers of deliveries, by their id. */
const forwardedHosts = new Map<string, string>();
const givenIds = new Map<string, string>();

/** Calls, and what follows from them. */
export const callsMistakes: Batch = {
  'action.version-of-the-request': {
    source: 'core: Names',
    breaks: 'An action learns the version of the selected object, whatever version its request speaks of.',
    kind: 'combination',
    survives: 'What a version header does on the request of an action is not shown.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const version = call.headers['svc-uoiversion'];
      const { payload } = triggered;
      if (version === undefined || at(payload, '/svcUOIVersion') === undefined) return right(areas, call, triggered);
      return right(areas, call, { ...triggered, payload: { ...Object(payload), svcUOIVersion: Number(version) } });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      const { oid } = await service.edda.make('Document', { title: 't' });
      await service.edda.post(actionPath, { kind: 'ribbon', objectId: oid }, { 'Svc-UOIVersion': '4' });
      return at(callsTo(host)[0]?.envelope?.payload, '/svcUOIVersion') === 4;
    },
  },

  'correlation.guid-in-lower-case': {
    source: 'core: Common request headers, X-Correlation-Id',
    breaks: 'The correlation id is passed on as it was given, a GUID in capital letters too.',
    kind: 'value',
    survives: 'Letter case makes no other GUID: a change of it is remarked, and texts that are none have to stay.',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
      const id = right(areas, call);
      return guid.test(id) ? id.toLowerCase() : id;
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const id = '4F2A9C61-7B1D-4E0A-9C3B-A1B2C3D4E5F6';
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': id });
      await service.pass(1);
      return callsTo(host)[0]?.envelope?.id === id.toLowerCase();
    },
  },

  'envelope.address-as-forwarded': {
    source: 'extensions: Call envelope, row baseAddress',
    breaks: 'The base address is the one that is configured, whatever a header of the trigger says of the host.',
    kind: 'combination',
    variant: together(
      replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
        const host = call.headers['x-forwarded-host'];
        if (host !== undefined) forwardedHosts.set(triggered.id, host);
        return right(areas, call, triggered);
      }),
      replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
        const request = await right(areas, delivery, callee);
        const host = forwardedHosts.get(delivery.id);
        if (host === undefined) return request;
        const envelope = { ...Object(jsonOf(request.body ?? '')), baseAddress: `http://${host}` };
        return { ...request, body: JSON.stringify(envelope) };
      }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', {}, { 'X-Forwarded-Host': 'other.example' });
      await service.pass(1);
      return callsTo(host)[0]?.envelope?.baseAddress === 'http://other.example';
    },
  },

  'events.status-in-the-body': {
    source: 'extensions: Events 2',
    breaks: 'An event is delivered by 200, and not sent again, whatever status the body speaks of.',
    kind: 'value',
    variant: replaces('policies', 'nextStepOf', (right, areas, delivery, policy, outcome) => {
      const said = outcome.kind === 'answered' ? Number(at(jsonOf(outcome.body), '/statusCode')) : NaN;
      const isOther = delivery.kind === 'event' && outcome.kind === 'answered' && said >= 500;
      return right(areas, delivery, policy, isOther ? { ...outcome, status: said } : outcome);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], always({ status: 200, json: { statusCode: 500 } }));
      await service.edda.sendEvent();
      await service.pass(1, 4);
      return callsTo(host).length > 1;
    },
  },

  'action.no-answers-of-a-batch': {
    source: 'extensions: Errors 4',
    breaks: 'An action that stands for a batch succeeds with an array of answers.',
    kind: 'value',
    survives: 'What whoever runs an action gets of its answer is not shown, but for the web client: recorded.',
    variant: replaces('triggers', 'runAction', async (right, areas, call) => {
      const answer = await right(areas, call);
      if (answer.status === 200 && Array.isArray(jsonOf(String(answer.raw))))
        throw new Refusal(502, 'The extension answered with no object.');
      return answer;
    }),
    async shows(service) {
      const answers = [{ statusCode: 204, location: '/', svcUOIVersion: 2 }];
      await service.host(
        () => [{ id: 'action', extensionType: 'ExternalAction' }],
        always({ status: 200, json: answers }),
      );
      const form = { kind: 'form', requestedRoute: '/api/space/main/batch', httpVerb: 'POST', contentPayload: [] };
      return (await service.edda.post(actionPath, form)).status === 502;
    },
  },

  'validation.retries-of-the-record': {
    source: 'extensions: Limits, retries, row 2',
    breaks: 'A validation has three retries, whatever its record says of retries.',
    kind: 'combination',
    variant: replaces('outgoingCalls', 'callWithRetries', async (right, areas, delivery, retries) => {
      const callee = await areas.store.read((reading) => areas.callees.calleeOf(reading, delivery));
      return right(areas, delivery, delivery.kind === 'validation' && callee?.retryForever ? Infinity : retries);
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType' as const, capabilities: ['Document'] }];
      const host = await service.host(
        () => [{ extensionType: 'ExternalValidation', retryForever: true, capabilities }],
        [{ steps: [503, 503, 503, 503].map((status) => ({ status })) }],
      );
      const moved = service.edda.move(await service.edda.make('Document', { title: 't' }), 1);
      while ((await Promise.race([moved, new Promise((resolve) => setTimeout(resolve, 50, 'not yet'))])) === 'not yet')
        await service.pass(4);
      return callsTo(host).length > 4;
    },
  },
};

/** Tasks and their callbacks. */
export const tasksMistakes: Batch = {
  'task.status-link-of-the-request': {
    source: 'extensions: External task links, row taskStatus',
    breaks: 'The link leads to the job, also where the request that scheduled it has a correlation id.',
    kind: 'combination',
    variant: together(
      replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
        if (call.correlationGiven) givenIds.set(triggered.id, call.correlationId);
        return right(areas, call, triggered);
      }),
      replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, ...rest) =>
        right(areas, spaceId, givenIds.get(jobId) ?? jobId, ...rest),
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const body = { recordId: 'task', inputPath: 'folder/input.csv' };
      await service.edda.post('/api/space/main/dx', body, { 'X-Correlation-Id': 'given' });
      await service.pass(1);
      const links = listAt(callsTo(host)[0]?.envelope?.payload, '/links');
      return String(
        at(
          links.find((link) => at(link, '/id') === 'taskStatus'),
          '/url',
        ),
      ).includes('/dx/given/');
    },
  },

  'task.type-of-no-body': {
    source: 'extensions: States and transitions, row Completed',
    breaks: 'The body of a report is optional, also where its type is named.',
    kind: 'combination',
    survives: 'Whether a request without a body may say that it is JSON is not said: recorded.',
    variant: replaces('jobs', 'reportStatus', (right, areas, call, writing) => {
      if (call.body?.length === 0 && call.headers['content-type'] !== undefined)
        throw new Refusal(400, 'Unexpected end of JSON input.');
      return right(areas, call, writing);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const path = await scheduleTask(service);
      const sent = { headers: { 'content-type': 'application/json' }, body: '' };
      return (await service.edda.send('PUT', `${path}/status/Completed`, sent)).status === 400;
    },
  },

  'task.no-output-of-failures': {
    source: 'extensions: States and transitions, row Failed',
    breaks: 'A report of failure may name its files, the output beside the log too.',
    kind: 'combination',
    survives: 'Of a failure it is said that a log may be given, of an output nothing: recorded.',
    variant: replaces('jobs', 'reportedFilesOf', (right, areas, call) => {
      const files = right(areas, call);
      const isFailure = 'params' in call && at(call, '/params/status') === 'Failed';
      if (isFailure && files.outputFilePath !== undefined && files.logFilePath !== undefined)
        throw new Refusal(422, 'A task that failed has no output.');
      return files;
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const path = await scheduleTask(service);
      const files = { outputFilePath: 'folder/part.csv', logFilePath: 'folder/task.log' };
      return (await service.edda.put(`${path}/status/Failed`, undefined, files)).status === 422;
    },
  },
};
