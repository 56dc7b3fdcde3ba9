import { isContent } from '../../../reference-server/areas/content.ts';
import type { Script } from '../../../simulator/extension/script.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { changeExtension } from '../proofs.ts';
import { type Service, at, encoded, spaceFiles } from '../service.ts';

const eventsPath = '/api/space/main/externalEvent';

/** Acknowledges all calls of a task and does nothing. */
const idle: Script = [{ when: { kind: 'task' }, steps: [{ status: 200 }], afterwards: 'last' }];

/** Takes keys. */
const taking: Script = [{ when: { kind: 'other' }, steps: [{ status: 200 }], afterwards: 'last' }];

/** Claims of a JWT. */
function claimsOf(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Path of a job that has begun. */
async function begin({ edda, pass }: Service, recordId: string, inputPath = 'in.csv'): Promise<string> {
  const answer = await edda.post('/api/space/main/dx', { recordId, inputPath, taskSettings: {} });
  await pass(1);
  return answer.headers.get('location') ?? '';
}

function acquire({ cora }: Service, id: string, tokenCallback: string) {
  const path = `/api/collection/externalExtension/acquireAccessToken/${id}`;
  return cora.post(path, { tokenCallback, permissions: ['SnapshotAPI'] });
}

export const extensions: Batch = {
  'metadata.asked-for-again-with-keys': {
    source: 'extensions: Metadata exchange',
    breaks: 'Metadata is asked for when an extension is added or updated, and not when it acquires keys.',
    kind: 'moment',
    variant: replaces('apiKeys', 'bringKeys', async (right, areas, call, holder, request, keys) => {
      const registration = await areas.store.read((reading) =>
        areas.registry.registrationOf(reading, holder.registrationId),
      );
      if (registration?.kind === 'svcExtension') await areas.metadata.fetchMetadata(registration, call.correlationId);
      return right(areas, call, holder, request, keys);
    }),
    shows: async (service) => {
      const host = await service.host(
        (url) => [{ id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions: ['SnapshotAPI'] } }],
        taking,
      );
      await acquire(service, 'holder', `${host.url}/keys`);
      return host.entries(({ kind }) => kind === 'metadata').length !== 1;
    },
  },
  'keys.former-callback-still-counts': {
    source: 'extensions: Acquiring API keys',
    breaks: 'Keys are brought to the callback that is configured now, not to one that was.',
    kind: 'copy',
    variant: breaks('apiKeys', 'acquireComplaint', (right) => {
      const used = new Map<string, Set<string>>();
      return (areas, holder, request) => {
        const known = used.get(holder.registrationId) ?? new Set();
        used.set(holder.registrationId, known);
        const { tokenCallback } = request;
        const isKnown = holder.permissions !== undefined && known.has(tokenCallback);
        const asked = isKnown ? { ...holder, permissions: { ...holder.permissions, tokenCallback } } : holder;
        const complaint = right(areas, asked, request);
        if (complaint === undefined) known.add(tokenCallback);
        return complaint;
      };
    }),
    shows: async (service) => {
      const recordAt = (tokenCallback: string) => ({
        id: 'holder',
        version: '1.0.0',
        name: 'holder',
        endpoint: '/holder',
        extensionType: 'ExternalEvent',
        category: 'proof',
        permissions: { tokenCallback, permissions: ['SnapshotAPI'] },
      });
      const host = await service.host((url) => [recordAt(`${url}/former`)], taking);
      await acquire(service, 'holder', `${host.url}/former`);
      host.setRecords([recordAt(`${host.url}/present`)]);
      await changeExtension(service, { hostUri: host.url });
      return (await acquire(service, 'holder', `${host.url}/former`)).status < 400;
    },
  },
  'envelope.mail-has-no-filter': {
    source: 'extensions: Call envelope, informationFilter',
    breaks: 'The envelope of every call holds the information filter of the request behind it, that of a mail too.',
    kind: 'place',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const delivery = right(areas, call, triggered);
      return triggered.kind === 'email' ? { ...delivery, informationFilter: 'e30=' } : delivery;
    }),
    shows: async (service) => {
      const host = await service.host(() => [{ id: 'mailer', extensionType: 'Email' }]);
      const filter = encoded({ time: '2026-01-01T00:00:00Z' });
      const body = { recordId: 'mailer', to: 'a@example.org', subject: 's', body: 'b' };
      await service.edda.post('/api/space/main/externalEmail', body, { 'Svc-InformationFilter': filter });
      await service.pass(1);
      const [call] = host.entries(({ kind }) => kind === 'email');
      return call?.envelope?.informationFilter !== filter;
    },
  },
  'token.impersonation-deletes-no-file': {
    source: 'extensions: Authentication 4; File routes, row 4',
    breaks: 'With its token an extension may do what the user may, deleting a file included.',
    kind: 'role',
    variant: replaces('fileAreas', 'openArea', async (right, areas, call, kind) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      const token = credentials?.scheme === 'bearer' ? credentials.token : '';
      if (call.method === 'DELETE' && at(claimsOf(token), '/scope') !== undefined)
        throw areas.tokens.unusableToken('Tokens of extensions delete nothing.');
      return right(areas, call, kind);
    }),
    shows: async (service) => {
      const host = await service.host(() => [{ id: 'listener' }]);
      await service.edda.upload('partial.txt', 'half');
      await service.edda.post(eventsPath, { recordId: 'listener', contentPayload: {} });
      await service.pass(1);
      const [call] = host.entries(({ kind }) => kind === 'event');
      const authorization = `Bearer ${call?.envelope?.accessToken}`;
      return (await service.nobody.delete(`${spaceFiles}/partial.txt`, { authorization })).status >= 400;
    },
  },
  'validation.verdict-is-remembered': {
    source: 'extensions: Calls to extensions, ExternalValidation',
    breaks: 'Every promote asks the extension anew, also one of an object that was found wanting before.',
    kind: 'copy',
    variant: breaks('validation', 'askValidator', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, call, object, validator) => {
        const key = `${object.oid} ${object.version} ${validator.recordId}`;
        const verdict = known.get(key) ?? right(areas, call, object, validator);
        known.set(key, verdict);
        return verdict;
      };
    }),
    shows: async ({ host, edda }) => {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      const no = { status: 200, json: { isValid: false, message: 'not yet' } };
      await host(
        () => [{ extensionType: 'ExternalValidation', capabilities }],
        [{ when: { kind: 'validation' }, steps: [no] }],
      );
      const made = await edda.make('Document', { title: 'asked twice' });
      await edda.move(made, 1);
      return (await edda.move(made, 1)).status >= 400;
    },
  },
  'tasks.progress-shows-on-every-job': {
    source: 'extensions: Callbacks from an external task, progress',
    breaks: 'A progress message is shown on the job that it was sent for, and on no other of the same task.',
    kind: 'combination',
    variant: replaces('jobs', 'reportProgress', async (right, areas, found, writing) => {
      const answer = await right(areas, found, writing);
      for (const { id, text } of await writing.documents('job')) {
        const job: unknown = JSON.parse(text);
        if (!isContent(job) || job['recordId'] !== found.place.recordId || job['state'] !== 'Running') continue;
        await writing.putDocument('job', id, JSON.stringify({ ...job, progress: found.json }));
      }
      return answer;
    }),
    shows: async (service) => {
      await service.host(() => [{ id: 'tasks', extensionType: 'ExternalTask' }], idle);
      const [one, other] = [await begin(service, 'tasks'), await begin(service, 'tasks')];
      const { edda } = service;
      await edda.send('PUT', `${one}/progress`, { body: { message: 'half of it' } });
      return (await edda.get(other)).text.includes('half of it');
    },
  },
  'actions.version-of-the-first-call': {
    source: 'extensions: Payloads by extension type, ExternalAction',
    breaks:
      'An action gets the version that the selected object has when it is run, also when it is run again after an edit.',
    kind: 'copy',
    variant: breaks('requests', 'payloadOf', (right) => {
      const known = new Map<unknown, unknown>();
      return (areas, delivery, token) => {
        const payload = right(areas, delivery, token);
        if (delivery.kind !== 'action' || !isContent(payload) || payload['objectId'] === undefined) return payload;
        if (!known.has(payload['objectId'])) known.set(payload['objectId'], payload['svcUOIVersion']);
        return { ...payload, svcUOIVersion: known.get(payload['objectId']) };
      };
    }),
    shows: async (service) => {
      const host = await service.host(() => [{ id: 'acts', extensionType: 'ExternalAction' }]);
      const { edda } = service;
      const made = await edda.make('Document', { title: 'selected' });
      const body = { kind: 'ribbon', objectId: made.oid };
      await edda.post('/api/space/main/externalAction/acts', body);
      await edda.merge(made, 1, { note: 'edited' });
      await edda.post('/api/space/main/externalAction/acts', body);
      return at(host.entries(({ kind }) => kind === 'action').at(-1)?.envelope?.payload, '/svcUOIVersion') !== 2;
    },
  },
};
