import { breaks, replaces } from '../../breaks.ts';
import { registrationsOf } from '../../../reference-server/areas/registry.ts';
import { detach } from '../../../reference-server/ports/store.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import type { Batch } from '../mistake.ts';
import { reached } from '../proofs.ts';
import { at, hostKey } from '../service.ts';
import { endpoint, events, logged, sendEvent } from './proofs.ts';

const day = 24 * 60 * 60;

export const registered: Batch = {
  'endpoint.headers-of-before-the-update': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks:
      'A call has the headers that are configured when it is made, also where one was made before they were changed.',
    kind: 'copy',
    variant: breaks('requests', 'endpointRequest', (right) => {
      const known = new Map<string, Readonly<Record<string, string>>>();
      return async (areas, delivery, callee) => {
        const request = await right(areas, delivery, callee);
        const headers = known.get(callee.name) ?? request.headers;
        known.set(callee.name, headers);
        return { ...request, headers };
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const body = { id: 'x', url: `${host.url}/x` };
      await endpoint(service, body);
      await sendEvent(service.edda, { endpointId: 'x', contentPayload: {} });
      await reached(host, 1);
      const headers = [
        { name: 'content-type', value: 'application/json' },
        { name: 'x-team', value: 'blue' },
      ];
      const all = { ...body, method: 'POST', category: 'proof', headers };
      await service.cora.send('PUT', '/api/admin/externalEndpoint/x', { body: all });
      await sendEvent(service.edda, { endpointId: 'x', contentPayload: {} });
      const calls = await reached(host, 2);
      return calls.length === 2 && !calls.at(-1)?.headers.some(([name]) => name.toLowerCase() === 'x-team');
    },
  },
  'metadata.again-at-the-start': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not when the service starts.',
    kind: 'moment',
    variant: replaces('jobs', 'startTasks', async (right, areas) => {
      await right(areas);
      const known = await areas.store.read((reading) => registrationsOf(reading, 'svcExtension'));
      for (const extension of known)
        if (extension.kind === 'svcExtension') await areas.metadata.fetchMetadata(extension, 'start');
    }),
    async shows(service) {
      const host = await service.host(() => [events()]);
      await service.restart();
      await sendEvent(service.edda, { recordId: 'e' });
      await reached(host, 1);
      return host.entries(({ kind }) => kind === 'metadata').length > 1;
    },
  },
  'metadata.again-behind-a-failure': {
    source: 'extensions: Versioning',
    breaks: 'Metadata is not asked for because a call failed for good.',
    kind: 'moment',
    variant: replaces('deliveries', 'recordOutcome', async (right, areas, writing, attempt) => {
      await right(areas, writing, attempt);
      const { callee, outcome } = attempt;
      if (outcome.kind !== 'answered' || outcome.status !== 404 || !('extension' in callee)) return;
      const { extension } = callee;
      detach(() => void areas.metadata.fetchMetadata(extension, 'refresh').catch(() => undefined));
    }),
    async shows(service) {
      const host = await service.host(() => [events()], [{ steps: [{ status: 404 }] }]);
      const headers = { 'X-Correlation-Id': 'gone' };
      await sendEvent(service.edda, { recordId: 'e' }, { headers });
      await logged(service, 'gone', 'removed', 1);
      const asked = await host.await(({ kind }) => kind === 'metadata', 2, AbortSignal.timeout(500));
      return asked.length > 1;
    },
  },
  'active.stays-on-once-it-was-switched-on-again': {
    source: 'extensions: Registered extension',
    breaks: 'An extension can be switched off a second time.',
    kind: 'moment',
    variant: breaks('callees', 'isActive', (right) => {
      const states = new Map<string, { wasOff: boolean; isOnForGood: boolean }>();
      return (areas, registration) => {
        const isActive = right(areas, registration);
        const state = states.get(registration.id) ?? { wasOff: false, isOnForGood: false };
        states.set(registration.id, state);
        if (!isActive) state.wasOff = true;
        else if (state.wasOff) state.isOnForGood = true;
        return isActive || state.isOnForGood;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [events()]);
      const listing = await service.cora.get('/api/admin/svcExtension');
      const id = String(at(listing.json, '/data/0/id'));
      for (const active of [false, true, false]) {
        const body = { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 60, active };
        await service.cora.send('PUT', `/api/admin/svcExtension/${id}`, { body });
        await sendEvent(service.edda, { recordId: 'e', contentPayload: { active } });
      }
      await reached(host, 1);
      return (await host.await(({ kind }) => kind === 'event', 2, AbortSignal.timeout(500))).length > 1;
    },
  },
  'trusted.retry-has-a-token-more': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'Each attempt has one token behind the query as it was registered.',
    kind: 'moment',
    variant: breaks('requests', 'endpointUrl', (right) => {
      const urls = new Map<string, string>();
      return async (areas, delivery, callee) => {
        const url = urls.get(delivery.id) ?? callee.endpoint.url;
        const next = await right(areas, delivery, { ...callee, endpoint: { ...callee.endpoint, url } });
        if (callee.endpoint.kind === 'trustedExternalEndpoint') urls.set(delivery.id, next);
        return next;
      };
    }),
    async shows(service) {
      await using host = await startExtensionHost({
        records: [],
        script: [{ steps: [{ status: 503 }, { status: 200 }] }],
      });
      await endpoint(service, { id: 'x', url: `${host.url}/x?a=1` }, true);
      const headers = { 'X-Correlation-Id': 'twice' };
      await sendEvent(service.edda, { endpointId: 'x', contentPayload: {} }, { headers });
      await logged(service, 'twice', 'transient-error', 1);
      await service.pass(2);
      const calls = await reached(host, 2);
      return (calls.at(-1)?.target.match(/access_token=/g)?.length ?? 0) > 1;
    },
  },
  'keys.each-request-puts-rotation-off': {
    source: 'extensions: Limits, permission key rotation',
    breaks: 'A key is another one a day after it was issued, however often it was asked for meanwhile.',
    kind: 'moment',
    variant: breaks('apiKeys', 'isKeyDue', () => {
      const asked = new Map<string, number>();
      return (areas, { key, issuedAt }) => {
        const now = areas.clock.now();
        const isDue = now >= (asked.get(key) ?? issuedAt) + day * 1000;
        asked.set(key, now);
        return isDue;
      };
    }),
    async shows(service) {
      const host = await service.host(
        (url) => [events({ permissions: { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI'] } })],
        [{ steps: [{ status: 200 }], afterwards: 'last' }],
      );
      const acquire = () =>
        service.cora.post('/api/collection/externalExtension/acquireAccessToken/e', {
          tokenCallback: `${host.url}/keys`,
          permissions: ['SnapshotAPI'],
        });
      await acquire();
      await service.pass(day / 2);
      await acquire();
      await service.pass(day / 2 + 1);
      await acquire();
      const keys = (await reached(host, 3)).map(({ json }) => at(json, '/SnapshotAPI/apiKey'));
      return keys.length === 3 && keys[2] === keys[0];
    },
  },
  'token.lives-on-once-it-was-used': {
    source: 'extensions: Authentication 4',
    breaks: 'A token ends after its minutes, also one that was used before.',
    kind: 'copy',
    variant: breaks('tokens', 'checkExpiry', (right) => {
      const known = new Set<string>();
      return (areas, claims) => {
        if (claims.jti !== undefined && known.has(claims.jti)) return;
        right(areas, claims);
        if (claims.jti !== undefined) known.add(claims.jti);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [events()]);
      const made = await service.edda.make('Document', { title: 't' });
      await sendEvent(service.edda, { recordId: 'e' });
      const [call] = await reached(host, 1);
      const authorization = `Bearer ${call?.envelope?.accessToken ?? ''}`;
      const first = await service.nobody.get(made.path, { authorization });
      await service.pass(61 * 60);
      return first.status === 200 && (await service.nobody.get(made.path, { authorization })).status === 200;
    },
  },
  'payload.space-of-the-event-before': {
    source: 'extensions: Payloads by extension type, ExternalEvent',
    breaks: 'An event tells the space that it was triggered in, whichever the one before it came from.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const spaces = new Map<unknown, unknown>();
      return (areas, call, triggered) => {
        const delivery = right(areas, call, triggered);
        if (triggered.kind !== 'event') return delivery;
        const key = triggered.registrationId;
        spaces.set(key, spaces.get(key) ?? call.space.id);
        return { ...delivery, payload: { ...Object(delivery.payload), spaceId: spaces.get(key) } };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [events()]);
      const { edda } = service;
      await sendEvent(edda, { recordId: 'e' });
      await reached(host, 1);
      await sendEvent(edda, { recordId: 'e' }, { space: 'depot' });
      const [, second] = await reached(host, 2);
      return at(second?.envelope?.payload, '/spaceId') === 'main';
    },
  },
};
