import { isContent } from '../../../reference-server/areas/content.ts';
import type { Verdict } from '../../../reference-server/http/call.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, scheduleTask } from '../proofs.ts';
import { at, listAt, movePath } from '../service.ts';

/** What calls hold, and what is made of their answers. */
export const payloadMistakes: Batch = {
  'calls.base-address-with-the-root-of-the-api': {
    source: 'extensions: Call envelope, row baseAddress',
    breaks: 'The base address is the configured one in every envelope, in that of a validation too.',
    kind: 'place',
    variant: replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      const envelope: unknown = JSON.parse(request.body ?? 'null');
      if (delivery.kind !== 'validation' || !isContent(envelope)) return request;
      return {
        ...request,
        body: JSON.stringify({ ...envelope, baseAddress: `${String(envelope['baseAddress'])}/api` }),
      };
    }),
    async shows(service) {
      const host = await service.host(() => [validator('Document')]);
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.move(made, 1);
      const [call] = callsOf(host, 'validation');
      return call?.envelope?.baseAddress !== service.url;
    },
  },

  'calls.no-query-token-with-a-context': {
    source: 'extensions: Calls to extensions, text below the table',
    breaks: 'The query of a validation call has the token, also when the object is validated in a context.',
    kind: 'place',
    variant: replaces('requests', 'extensionRequest', (right, areas, delivery, callee) => {
      const hasContext = delivery.kind === 'validation' && at(delivery.payload, '/contextObjectId') !== undefined;
      return right(hasContext ? within(areas, { requests: { hasTokenQuery: () => false } }) : areas, delivery, callee);
    }),
    async shows(service) {
      const host = await service.host(() => [validator('Document')]);
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.put(`${movePath(made)}?contextObjectId=${made.oid}`, 1);
      const [call] = callsOf(host, 'validation');
      return call !== undefined && !call.target.includes('access_token=');
    },
  },

  'validation.neighbours-are-asked-as-well': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to the SoftTypes of its own record, not to those of another one of its host.',
    kind: 'copy',
    variant: replaces('registry', 'validatorsOf', async (right, areas, reading, softTypeId) => {
      const found = await right(areas, reading, softTypeId);
      const hosts = new Set(found.map(({ registrationId }) => registrationId));
      const all = await areas.registry.recordsOfType(reading, 'ExternalValidation');
      return all.filter(({ registrationId }) => hosts.has(registrationId));
    }),
    async shows(service) {
      const host = await service.host(() => [validator('Document'), validator('Part')]);
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.move(made, 1);
      return callsOf(host, 'validation').length > 1;
    },
  },

  'validation.last-verdict-that-was-understood': {
    source: 'extensions: Errors 5',
    breaks: 'An answer that is no object with a verdict is an error, also behind one that was.',
    kind: 'moment',
    variant: breaks('validation', 'askValidator', (right) => {
      const verdicts = new Map<string, Verdict>();
      return async (areas, call, object, validator) => {
        const verdict = await right(areas, call, object, validator);
        if (verdict.kind !== 'error') verdicts.set(validator.recordId, verdict);
        return verdicts.get(validator.recordId) ?? verdict;
      };
    }),
    async shows(service) {
      const answers = [
        { status: 200, json: { isValid: true, message: '' } },
        { status: 200, text: 'no JSON' },
      ];
      await service.host(() => [validator('Document')], [{ steps: answers, afterwards: 'last' }]);
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.move(made, 1);
      return (await service.edda.move(made, 2)).status < 300;
    },
  },

  'email.ampersand-between-tags': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'The body of a mail is what was written, also where it is HTML with an ampersand in it.',
    kind: 'combination',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const delivery = right(areas, call, triggered);
      const { payload } = delivery;
      const body = isContent(payload) ? String(payload['body']) : '';
      if (delivery.kind !== 'email' || !isContent(payload) || !body.includes('<')) return delivery;
      return { ...delivery, payload: { ...payload, body: body.replaceAll('&', '&amp;') } };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const body = '<p>this &amp; that</p>';
      await service.edda.post('/api/space/main/externalEmail', { to: 'a@b.example', subject: 's', body });
      await service.pass(1);
      const [call] = callsOf(host, 'email');
      return at(call?.envelope?.payload, '/body') !== body;
    },
  },

  'actions.version-of-the-context': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'The version in an action is that of the selected object, also beside a context object.',
    kind: 'combination',
    variant: replaces('triggers', 'ribbonPayload', async (right, areas, call, reading, body, selected) => {
      const payload = await right(areas, call, reading, body, selected);
      const oid = body['contextObjectId'];
      const context = typeof oid === 'string' ? await reading.object(call.space.id, oid) : undefined;
      if (selected === undefined || context === undefined) return payload;
      return { ...payload, svcUOIVersion: context.version };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'act', extensionType: 'ExternalAction' }]);
      const [selected, context] = [
        await service.edda.make('Part', { name: 'selected' }),
        await service.edda.make('Part', { name: 'context' }),
      ];
      await service.edda.merge(context, 1, { note: 'n' });
      const body = { kind: 'ribbon', objectId: selected.oid, contextObjectId: context.oid };
      await service.edda.post('/api/space/main/externalAction/act', body);
      const [call] = callsOf(host, 'action');
      return at(call?.envelope?.payload, '/svcUOIVersion') !== 1;
    },
  },

  'tasks.input-file-with-a-number-sign': {
    source: 'extensions: External task links, row inputFile',
    breaks: 'The link to the input file leads to it, whatever characters are in its name.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) =>
      right(areas, spaceId, jobId, inputPath, token).map((link) =>
        link.id === 'inputFile' ? { ...link, url: decodeURI(link.url).replaceAll('%23', '#') } : link,
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await service.edda.upload('folder/no%231.csv', 'a,b');
      await scheduleTask(service, { inputPath: 'folder/no#1.csv' });
      const [call] = callsOf(host, 'task');
      const link = listAt(call?.envelope?.payload, '/links').find((each) => at(each, '/id') === 'inputFile');
      return (await service.nobody.get(String(at(link, '/url')))).text !== 'a,b';
    },
  },

  'tasks.log-without-output-is-lost': {
    source: 'extensions: States and transitions, row Completed',
    breaks: 'A completed task may name a log file alone, which the job then has.',
    kind: 'value',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) =>
      right(areas, job, status, status === 'Completed' && files.outputFilePath === undefined ? {} : files),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const path = await scheduleTask(service);
      await service.edda.put(`${path}/status/Completed`, undefined, { logFilePath: 'folder/task.log' });
      return at((await service.edda.get(path)).json, '/logFilePath') === undefined;
    },
  },
};

function validator(softTypeId: string): object {
  return {
    id: `validates ${softTypeId}`,
    extensionType: 'ExternalValidation',
    capabilities: [{ capabilityType: 'SoftType', capabilities: [softTypeId] }],
  };
}
