import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { reached, registerEndpoint } from '../proofs.ts';
import { at } from '../service.ts';

export const callsMistakes: Batch = {
  'endpoints.get-loses-its-query': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'The token is appended to the parameters of the URL, also where the method is GET.',
    kind: 'combination',
    variant: replaces('requests', 'endpointUrl', async (right, areas, delivery, callee) => {
      const url = new URL(await right(areas, delivery, callee));
      if (callee.endpoint.method !== 'GET' || !url.searchParams.has('access_token')) return url.href;
      url.search = new URLSearchParams({ access_token: url.searchParams.get('access_token') ?? '' }).toString();
      return url.href;
    }),
    async shows(service) {
      const host = await service.host(() => []);
      await registerEndpoint(service, 'trustedExternalEndpoint', { method: 'GET', url: `${host.url}/hook?a=1` });
      await service.edda.sendToEndpoint();
      const [call] = await reached(host, 1);
      return call !== undefined && !call.target.includes('a=1');
    },
  },
  'emails.end-of-the-text-is-trimmed': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'The body of a mail is sent as it was given, its last line end included.',
    kind: 'value',
    survives:
      'What makes the service send a mail is not shown (ledger trigger-email-binding): it may take the text without the line end behind it.',
    variant: replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      const payload = right(areas, delivery, token);
      if (delivery.kind !== 'email') return payload;
      return { ...(payload as object), body: String(at(payload, '/body')).trimEnd() };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      const mail = { recordId: 'mail', to: 'a@b.example', subject: 's', body: 'text\n' };
      await service.edda.post('/api/space/main/externalEmail', mail);
      const [call] = await reached(host, 1);
      return call !== undefined && at(call.envelope?.payload, '/body') !== 'text\n';
    },
  },
};
