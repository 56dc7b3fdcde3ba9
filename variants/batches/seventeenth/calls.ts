import { isContent } from '../../../reference-server/areas/content.ts';
import { capabilitiesOf, Misfit } from '../../../reference-server/areas/records.ts';
import { mimeTypeOf } from '../../../reference-server/areas/triggers.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo } from '../proofs.ts';
import { at, listAt } from '../service.ts';
import { always, passSteps, promoteOne, scheduled, sendEvent, validator } from './scenes.ts';

export const callsMistakes: Batch = {
  'calls.first-record-of-a-type': {
    source: 'extensions: Calls to extensions',
    breaks: 'A call goes to the endpoint of its record, also where the host has several records of the type.',
    kind: 'place',
    variant: replaces('callees', 'calleeOf', async (right, areas, reading, named) => {
      const callee = await right(areas, reading, named);
      if (callee === undefined || !('record' in callee)) return callee;
      const { extensionType } = callee.record;
      const first = callee.extension.records.find((record) => record.extensionType === extensionType);
      const other = first && (await right(areas, reading, { ...named, recordId: first.id }));
      return { ...callee, url: other?.url ?? callee.url };
    }),
    async shows(service) {
      const host = await service.host(() => ['one', 'two'].map((id) => ({ id, endpoint: `/${id}` })));
      await sendEvent(service, 'two');
      await passSteps(service, 2);
      return callsTo(host).some(({ path }) => path === '/one');
    },
  },

  'calls.subject-escaped-with-its-body': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The subject of a mail is as it was composed, also where its body is HTML.',
    kind: 'combination',
    variant: replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      const payload = right(areas, delivery, token);
      if (delivery.kind !== 'email' || !isContent(payload) || !String(payload['body']).startsWith('<')) return payload;
      return { ...payload, subject: String(payload['subject']).replaceAll('&', '&amp;') };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'Q & A', body: '<p>text</p>' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await passSteps(service, 2);
      return at(callsTo(host)[0]?.json, '/payload/subject') === 'Q &amp; A';
    },
  },

  'calls.no-query-token-on-a-retry': {
    source: 'extensions: Calls to extensions, last sentence',
    breaks: 'The call of a mail has the token in its query each time that it is tried.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      if (attempt === 1 || delivery.kind !== 'email') return request;
      return { ...request, url: request.url.replace(/[?&]access_token=[^&]*/, '') };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always(503));
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 'subject', body: 'body' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      await passSteps(service, 5);
      return callsTo(host).some(({ target }) => !target.includes('token='));
    },
  },

  'actions.array-as-an-object': {
    source: 'extensions: Payloads by extension type, action content payload',
    breaks: 'The content of a form action is what the form sends, the array of a batch as well.',
    kind: 'value',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const { contentPayload } = body;
      return right(areas, Array.isArray(contentPayload) ? { ...body, contentPayload: { ...contentPayload } } : body);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      const form = { kind: 'form', requestedRoute: '/api/space/main/batch', httpVerb: 'POST', contentPayload: [{}] };
      await service.edda.post('/api/space/main/externalAction/action', form);
      return !Array.isArray(at(callsTo(host)[0]?.json, '/payload/contentPayload'));
    },
  },
};

export const validationMistakes: Batch = {
  'validation.empty-list-for-all': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A validation applies to the SoftTypes that it lists, to none where it lists none.',
    kind: 'value',
    variant: replaces('validation', 'validatorsFor', async (right, areas, reading, softTypeId) => {
      const addresses = await areas.registry.recordsOfType(reading, 'ExternalValidation');
      const all = await Promise.all(addresses.map((address) => areas.triggeredCalls.addresseeAt(reading, address)));
      const open = all.filter((found) => found !== undefined && capabilitiesOf(found.record, 'SoftType').length === 0);
      return [...(await right(areas, reading, softTypeId)), ...open.flatMap((found) => found ?? [])];
    }),
    survives:
      'What an empty list says is open: it may as well be no restriction, as an empty list of file types is here.',
    async shows(service) {
      const host = await service.host(() => [validator('validation', [])]);
      await promoteOne(service);
      return callsTo(host).length > 0;
    },
  },
};

export const tasksMistakes: Batch = {
  'tasks.main-type-is-enough': {
    source: 'extensions: Extension metadata record, capability use',
    breaks: 'A task manages the file types that it lists, and not all of their kind.',
    kind: 'value',
    variant: replaces('triggers', 'assertManages', (right, areas, record, path) => {
      const [main] = mimeTypeOf(path).split('/');
      if (capabilitiesOf(record, 'MimeType').some((type) => type.startsWith(`${main}/`))) return;
      right(areas, record, path);
    }),
    async shows(service) {
      const capabilities = [{ capabilityType: 'MimeType', capabilities: ['text/csv'] }];
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask', capabilities }]);
      return (await scheduled(service, { inputPath: 'in.txt' })) !== '';
    },
  },
};

export const keysMistakes: Batch = {
  'keys.license-unknown': {
    source: 'extensions: Permission names',
    breaks: 'An extension may ask for the key of each of the five permissions, that of the license as well.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const isAsked = listAt(item, '/permissions/permissions').includes('LicenseCommunicationAPI');
      return isAsked ? new Misfit('/permissions', 'must be known') : right(areas, item);
    }),
    async shows(service) {
      const permissions = ['LicenseCommunicationAPI' as const];
      await service.host((url) => [{ id: 'event', permissions: { tokenCallback: `${url}/keys`, permissions } }]);
      return (await sendEvent(service)).status >= 400;
    },
  },
};
