import { within, breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, changeExtension, reached, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at, listAt, signatureOver, type Service } from '../service.ts';
import { headerValues, textOf } from '../../../simulator/extension/entry.ts';

/** Another key of a host, Base64. */
const nextKey = Buffer.alloc(64, 9).toString('base64');

export const deliveryMistakes: Batch = {
  'endpoints.body-says-who': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'The body of a call is what was configured and no more, when an administrator triggers it as well.',
    kind: 'role',
    variant: replaces('requests', 'endpointRequest', (right, areas, delivery, callee) => {
      const space = areas.configuration.spaces.get(delivery.spaceId);
      const roles = [...(space?.participants.values() ?? [])].map((holders) => holders.get(delivery.userName));
      const { payload } = delivery;
      const isObject = typeof payload === 'object' && payload !== null && !Array.isArray(payload);
      if (!isObject || !roles.includes('administrator')) return right(areas, delivery, callee);
      return right(areas, { ...delivery, payload: { ...payload, triggeredBy: delivery.userName } }, callee);
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook` });
      await service.alma.sendToEndpoint('hook', { text: 'x' });
      await service.pass(1);
      const [entry] = await reached(host, 1);
      return entry !== undefined && textOf(entry.body) !== '{"text":"x"}';
    },
  },

  'signing.key-of-the-first-attempt': {
    source: 'extensions: Authentication 3',
    breaks: 'A call is signed with the key of the extension, one that was changed between two attempts as well.',
    kind: 'moment',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const keys = new Map<string, string>();
      return (areas, delivery, callee) => {
        const apiKey = keys.get(delivery.id) ?? callee.extension.apiKey;
        keys.set(delivery.id, apiKey);
        return right(areas, delivery, { ...callee, extension: { ...callee.extension, apiKey } });
      };
    }),
    survives:
      'Whether what waits is signed with the key of the trigger or with that of the moment is not said: recorded.',
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/event' }], always({ status: 503 }));
      await service.edda.sendEvent();
      await service.pass(1);
      await reached(host, 1);
      await changeExtension(service, { hostUri: host.url, apiKey: nextKey });
      await service.pass(1, 4);
      const last = (await reached(host, 2)).at(1);
      const expected = `Bearer ${signatureOver('/event', nextKey)}`;
      return last !== undefined && headerValues(last, 'authorization')[0] !== expected;
    },
  },

  'retries.not-behind-a-refusal': {
    source: 'extensions: Errors 1',
    breaks: 'A 503 is transient, whatever the endpoint answered to an event before.',
    kind: 'copy',
    variant: breaks('policies', 'nextStepOf', (right) => {
      const refusing = new Set<string>();
      return (areas, delivery, policy, outcome) => {
        const step = right(areas, delivery, policy, outcome);
        if (step.kind === 'failed' && !areas.policies.isTransient(outcome)) refusing.add(policy.endpoint);
        return step.kind === 'retry' && refusing.has(policy.endpoint) ? { kind: 'failed' } : step;
      };
    }),
    async shows(service) {
      const steps = [{ status: 404 }, { status: 503 }];
      const host = await service.host(() => [{ id: 'event' }], [{ steps }]);
      await service.edda.sendEvent();
      await service.pass(1);
      await reached(host, 1);
      await service.edda.sendEvent();
      await service.pass(1, 5);
      return (await reached(host, 3, 1500)).length === 2;
    },
  },
};

export const payloadMistakes: Batch = {
  'tasks.input-directory-of-a-retry': {
    source: 'extensions: External task links',
    breaks: 'The input directory is that of the file, when the task is called again as well.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const taskLinks: typeof areas.requests.taskLinks = (...args) =>
        areas.requests
          .taskLinks(...args)
          .map((link) => (link.id === 'inputDir' ? { ...link, url: link.url.replace(/\/dir\/.*$/, '/dir') } : link));
      return right(attempt === 1 ? areas : within(areas, { requests: { taskLinks } }), delivery, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'task', extensionType: 'ExternalTask' }],
        [{ when: { kind: 'task' }, steps: [{ status: 503 }, { status: 200 }], afterwards: 'last' }],
      );
      await scheduleTask(service);
      await service.pass(1, 4);
      const links = listAt((await reached(host, 2)).at(1)?.envelope?.payload, '/links');
      const found = links.find((link) => at(link, '/id') === 'inputDir');
      return found !== undefined && !String(at(found, '/url')).endsWith('/folder');
    },
  },

  'actions.dollar-members': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The payload of a form is what the service would have sent, for editors with its system members as well.',
    kind: 'role',
    variant: replaces('triggers', 'runAction', (right, areas, call) => {
      const { contentPayload } = call.json;
      const isAdministrator = areas.auth.rolesOf(call.user, call.space).includes('administrator');
      if (isAdministrator || !Array.isArray(contentPayload)) return right(areas, call);
      const cleaned = contentPayload.map((item: unknown) =>
        typeof item === 'object' && item !== null
          ? Object.fromEntries(Object.entries(item).filter(([name]) => !name.startsWith('$')))
          : item,
      );
      return right(areas, { ...call, json: { ...call.json, contentPayload: cleaned } });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      await service.edda.post('/api/space/main/externalAction/action', {
        kind: 'form',
        requestedRoute: '/space/main/softtype',
        httpVerb: 'POST',
        contentPayload: [{ $id: 'a', $softType: 'Part', data: { name: 'n' } }],
      });
      return at((await reached(host, 1))[0]?.envelope?.payload, '/contentPayload/0/$id') === undefined;
    },
  },
};

export const metadataMistakes: Batch = {
  'metadata.category-of-administrators': {
    source: 'extensions: Extension metadata record',
    breaks: 'A category is a tag for the user interface, which keeps no editor from the record.',
    kind: 'role',
    variant: replaces('triggers', 'runAction', async (right, areas, call) => {
      const found = await areas.store.read((reading) =>
        areas.triggeredCalls.foundAddressee(reading, 'ExternalAction', call.place),
      );
      const isAdministrator = areas.auth.rolesOf(call.user, call.space).includes('administrator');
      if (!isAdministrator && /admin/i.test(found?.record.category ?? '')) return { status: 403 };
      return right(areas, call);
    }),
    async shows(service) {
      const record = { id: 'action', extensionType: 'ExternalAction' as const, category: 'Administration' };
      const host = await service.host(() => [record]);
      await service.edda.post('/api/space/main/externalAction/action', { kind: 'ribbon' });
      return callsOf(host, 'action').length === 0;
    },
  },

  'metadata.custom-capability-takes-all': {
    source: 'extensions: Extension metadata record',
    breaks: 'A record with a capability of its own has its own SoftTypes, not those of the record before it.',
    kind: 'copy',
    variant: breaks('metadata', 'recordFrom', (right) => {
      let before: readonly string[] = [];
      return (areas, item) => {
        const record = right(areas, item);
        if (!('capabilities' in record) || record.capabilities === undefined) return record;
        const isCustom = record.capabilities.some(({ capabilityType }) => !known.includes(capabilityType));
        const kept = before;
        before = record.capabilities.flatMap((one) => (one.capabilityType === 'SoftType' ? one.capabilities : []));
        if (!isCustom || kept.length === 0) return record;
        return {
          ...record,
          capabilities: [...record.capabilities, { capabilityType: 'SoftType', capabilities: [...kept] }],
        };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [
        validator('one', [{ capabilityType: 'SoftType', capabilities: ['Document'] }]),
        validator('two', [
          { capabilityType: 'SoftType', capabilities: ['Part'] },
          { capabilityType: 'Region', capabilities: ['north'] },
        ]),
      ]);
      const made = await service.edda.make('Document', { title: 't' });
      await service.edda.move(made, 1);
      return callsOf(host, 'validation').length > 1;
    },
  },

  'metadata.permissions-of-name-values': {
    source: 'extensions: Extension metadata record',
    breaks: 'A record of any type may configure permissions, one of name values as well.',
    kind: 'place',
    survives: 'What a service does with records of name values is not shown: it may pass over them as a whole.',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      if (!('extensionType' in record) || record.extensionType !== 'NameValue') return record;
      const { permissions: _permissions, ...rest } = record;
      return rest;
    }),
    async shows(service) {
      const host = await service.host((url) => [
        { ...asking('names', url, ['SnapshotAPI']), extensionType: 'NameValue' },
      ]);
      return (await acquire(service, 'names', host.url, ['SnapshotAPI'])) >= 300;
    },
  },
};

const known = ['SoftType', 'MimeType', 'BaseType'];

type PermissionName = 'SnapshotAPI' | 'TaskUploadAPI';

function asking(id: string, url: string, permissions: readonly PermissionName[]) {
  return { id, permissions: { tokenCallback: `${url}/keys`, permissions: [...permissions] } };
}

function validator(id: string, capabilities: { capabilityType: string; capabilities: string[] }[]) {
  return { id, extensionType: 'ExternalValidation' as const, capabilities };
}

/** @returns the status */
async function acquire(
  { cora }: Service,
  id: string,
  url: string,
  permissions: readonly PermissionName[],
): Promise<number> {
  const path = `/api/collection/externalExtension/acquireAccessToken/${id}`;
  return (await cora.post(path, { tokenCallback: `${url}/keys`, permissions })).status;
}
