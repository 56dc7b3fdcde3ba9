import { createHmac } from 'node:crypto';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, claimsIn, reached } from '../proofs.ts';
import { at, hostKey, many, signatureOver } from '../service.ts';

const guid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What is registered, and the calls to it. */
export const callsMistakes: Batch = {
  'signing.first-of-each-replaced': {
    source: 'extensions: Authentication 2, second sentence',
    breaks: 'Every plus and every slash of a signature is replaced, and not the first ones alone.',
    kind: 'value',
    variant: replaces('signing', 'signPath', (_right, _areas, apiKey, path) => {
      const mac = createHmac('sha512', Buffer.from(apiKey, 'base64')).update(path, 'utf8').digest('base64');
      const [text = ''] = mac.split('=', 1);
      return text.replace('+', '-').replace('/', '_');
    }),
    async shows(service) {
      const paths = many(100, (number) => `/event-${number}`);
      const endpoint = paths.find((path) => signatureOver(path, hostKey).split('-').length > 3) ?? '';
      const host = await service.host(() => [{ id: 'event', endpoint }]);
      const answer = await service.edda.sendEvent();
      if (answer.status >= 400) return true;
      const [call] = await reached(host, 1);
      const [given] = call === undefined ? [] : headerValues(call, 'authorization');
      return given !== `Bearer ${signatureOver(endpoint, hostKey)}`;
    },
  },

  'envelope.id-through-a-type-for-guids': {
    source: 'extensions: Call envelope, row id',
    breaks: 'The id equals the correlation id of the trigger, also a GUID in capital letters.',
    kind: 'value',
    survives: 'A GUID in other letters is the same GUID; how it is spelled is open.',
    variant: replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
      const id = right(areas, call);
      return guid.test(id) ? id.toLowerCase() : id;
    }),
    async shows(service) {
      const id = 'A1B2C3D4-E5F6-4A7B-8C9D-0E1F2A3B4C5D';
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': id });
      const [call] = await reached(host, 1);
      return call?.envelope?.id !== id;
    },
  },

  'metadata.one-capability-of-a-type': {
    source: 'extensions: Extension metadata record, text on capability use',
    breaks: 'A validation applies to every SoftType that is listed, also where two items list them.',
    kind: 'combination',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const record = right(areas, item);
      if (record instanceof Misfit || record.capabilities === undefined) return record;
      const byType = new Map(record.capabilities.toReversed().map((each) => [each.capabilityType, each]));
      return { ...record, capabilities: [...byType.values()] };
    }),
    async shows(service) {
      const capabilities = ['ChangeRequest', 'Document'].map((id) => ({
        capabilityType: 'SoftType',
        capabilities: [id],
      }));
      const host = await service.host(() => [{ id: 'check', extensionType: 'ExternalValidation', capabilities }]);
      await service.edda.move(await service.edda.make('Document', { title: 't' }), 1);
      return callsOf(host, 'validation').length === 0;
    },
  },

  'calls.token-query-of-the-first-attempt': {
    source: 'extensions: Calls to extensions, text below the table',
    breaks: 'The token is in the query of every call with a mail, also of one that is tried again.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', async (right, areas, delivery, callee, attempt) => {
      const request = await right(areas, delivery, callee, attempt);
      if (attempt === 1 || !('extension' in callee)) return request;
      return { ...request, url: request.url.split('?', 1)[0] ?? '' };
    }),
    async shows(service) {
      const host = await service.host(
        () => [{ id: 'mail', extensionType: 'Email' }],
        [{ when: { kind: 'email' }, steps: [{ status: 503 }] }],
      );
      await service.edda.post('/api/space/main/externalEmail', { to: 'a@b.example', subject: 's', body: 'b' });
      await reached(host, 1);
      await service.pass(3);
      const [, again] = await reached(host, 2);
      return again !== undefined && !again.target.includes('access_token=');
    },
  },

  'tokens.kept-for-the-extension': {
    source: 'extensions: Call envelope, row accessToken',
    breaks: 'The token speaks for the user whose request led to the call, also when another one came before.',
    kind: 'copy',
    variant: breaks('requests', 'impersonationToken', (right) => {
      const kept = new Map<number, { readonly token: Promise<string>; readonly until: number }>();
      return (areas, userName, lifeTimeMinutes) => {
        const known = kept.get(lifeTimeMinutes);
        const now = areas.clock.now();
        if (known !== undefined && now < known.until) return known.token;
        const token = right(areas, userName, lifeTimeMinutes);
        kept.set(lifeTimeMinutes, { token, until: now + lifeTimeMinutes * 30_000 });
        return token;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await reached(host, 1);
      await service.emil.sendEvent();
      const [, second] = await reached(host, 2);
      return second !== undefined && at(claimsIn(second), '/sub') !== 'emil';
    },
  },
};
