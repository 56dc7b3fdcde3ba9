import { Misfit } from '../../../reference-server/areas/records.ts';
import { headerValues, textOf } from '../../../simulator/extension/entry.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf } from '../proofs.ts';
import { at, hostKey, listAt, many, signatureOver, type Received, type Service } from '../service.ts';

export const deliveryMistakes: Batch = {
  'delivery.deleted-between-retries': {
    source: 'extensions: Events 3',
    breaks: 'An event that a user deletes is cancelled, also when it was retried several times before.',
    kind: 'moment',
    variant: replaces('queue', 'cancelDelivery', async (right, areas, writing, id) => {
      const delivery = await writing.delivery(id);
      return delivery !== undefined && delivery.attempts >= 2 ? true : right(areas, writing, id);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], failing);
      const event = await service.edda.sendEvent();
      await service.pass(1, 8);
      await service.edda.delete(event.headers.get('location') ?? '');
      const before = callsOf(host, 'event').length;
      await service.pass(10, 6);
      return callsOf(host, 'event').length > before;
    },
  },
};

export const callsMistakes: Batch = {
  'calls.line-ends': {
    source: 'extensions: Registered external endpoint',
    breaks: 'The body of a call to an endpoint is what was configured, down to the ends of its lines.',
    kind: 'value',
    variant: replaces('requests', 'endpointRequest', async (right, areas, ...args) => {
      const { body, ...request } = await right(areas, ...args);
      return body === undefined ? request : { ...request, body: body.replaceAll('\r\n', '\n') };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await service.cora.post('/api/admin/externalEndpoint', {
        id: 'hook',
        url: `${host.url}/hook`,
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'text/plain' }],
      });
      const contentPayload = 'one\r\ntwo';
      await service.edda.post('/api/space/main/externalEvent', { endpointId: 'hook', contentPayload });
      await service.pass(1);
      const [entry] = host.entries(({ path }) => path === '/hook');
      return entry !== undefined && textOf(entry.body) !== contentPayload;
    },
  },

  'calls.second-slash-of-a-signature': {
    source: 'extensions: Authentication 2',
    breaks: 'In a signature each plus and each slash of the Base64 is replaced, not the first alone.',
    kind: 'value',
    variant: replaces('signing', 'signatureHeaders', (right, areas, apiKey, url) => {
      const [, signature = ''] = right(areas, apiKey, url).Authorization.split(' ');
      const [text = ''] = Buffer.from(signature, 'base64url').toString('base64').split('=', 1);
      return { Authorization: `Bearer ${text.replace('+', '-').replace('/', '_')}` };
    }),
    async shows(service) {
      const ids = many(5, (number) => `event-${number}`);
      const host = await service.host(() => ids.map((id) => ({ id, endpoint: `/${id}` })));
      for (const id of ids) await service.edda.sendEvent(id);
      await service.pass(1);
      return host
        .entries()
        .some((entry) => headerValues(entry, 'authorization')[0] !== `Bearer ${signatureOver(entry.path, hostKey)}`);
    },
  },

  'tasks.input-in-the-root': {
    source: 'extensions: External task links',
    breaks: 'Uploads of a task go where its input is unless it says otherwise, also when that is the root.',
    kind: 'place',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const links = right(areas, spaceId, jobId, inputPath, token);
      if (inputPath.replace(/^\/+/, '').includes('/')) return links;
      return links.map((link) => (link.id === 'uploadFileStream' ? { ...link, url: `${link.url}/undefined` } : link));
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const { edda } = service;
      await edda.upload('input.csv', 'a,b');
      await edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'input.csv' });
      await service.pass(1);
      const links = listAt(callsOf(host, 'task')[0]?.json, '/payload/links');
      const url = at(
        links.find((link) => at(link, '/id') === 'uploadFileStream'),
        '/url',
      );
      return url !== `${service.url}/api/space/main/fs/file/stream`;
    },
  },

  'tokens.used-before-their-end': {
    source: 'extensions: Authentication 4',
    breaks: 'A token of an envelope is worth nothing when its minutes are over, also one that was used before.',
    kind: 'copy',
    variant: breaks('tokens', 'verifyToken', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, token) => {
        const claims = known.get(token) ?? right(areas, token);
        claims.then(
          () => known.set(token, claims),
          () => undefined,
        );
        return claims;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const made = await service.edda.make('Document', { title: 'token' });
      await service.edda.sendEvent();
      await service.pass(1);
      const authorization = `Bearer ${callsOf(host, 'event')[0]?.envelope?.accessToken}`;
      await service.nobody.get(made.path, { authorization });
      await service.pass(61 * 60);
      return (await service.nobody.get(made.path, { authorization })).status === 200;
    },
  },
};

export const metadataMistakes: Batch = {
  'metadata.version-with-a-build': {
    source: 'extensions: Extension metadata record',
    breaks: 'A record may have any version that SemVer knows, one with a build behind it as well.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const version = at(item, '/version');
      return typeof version === 'string' && version.includes('+')
        ? new Misfit('/version', 'must be a version')
        : right(areas, item);
    }),
    async shows({ host, edda }) {
      await host(() => [{ id: 'event', version: '1.0.0-rc.1+build.5' }]);
      return (await edda.sendEvent()).status >= 400;
    },
  },

  'validation.second-capability': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to every SoftType that its capabilities list, wherever in the list.',
    kind: 'place',
    variant: replaces('validation', 'validatorsFor', async (right, areas, reading, softTypeId) => {
      const validators = await right(areas, reading, softTypeId);
      return validators.filter(({ record }) => record.capabilities?.[0]?.capabilities[0] === softTypeId);
    }),
    async shows(service) {
      const host = await service.host(() => [validator(['Part', 'Document'])]);
      await promoteOne(service);
      return callsOf(host, 'validation').length === 0;
    },
  },
};

/** Fails every call. */
const failing: Script = [{ steps: [{ status: 503 }], afterwards: 'last' }];

async function promoteOne({ edda }: Service): Promise<Received> {
  return edda.move(await edda.make('Document', { title: 'promoted' }), 1);
}

function validator(capabilities: readonly string[]) {
  return {
    id: 'validation',
    extensionType: 'ExternalValidation',
    capabilities: [{ capabilityType: 'SoftType', capabilities }],
  };
}
