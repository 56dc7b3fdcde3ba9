import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { Step, breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, claimsIn, reached, registerEndpoint } from '../proofs.ts';
import { at } from '../service.ts';

const mailPath = '/api/space/main/externalEmail';
const mail = { to: 'a@example.org', subject: 's', body: 'b' };

/** Calls to extensions and endpoints. */
export const callsMistakes: Batch = {
  'email.id-of-each-attempt': {
    source: 'core: Events',
    breaks: 'The correlation id of the trigger is passed on with a mail, on its later attempts as well.',
    kind: 'combination',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) =>
      delivery.kind === 'email' && attempt > 1
        ? right(areas, { ...delivery, envelopeId: `${delivery.envelopeId}.${attempt}` }, callee, attempt)
        : right(areas, delivery, callee, attempt),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }], always({ status: 503 }));
      await service.edda.post(mailPath, mail, { 'X-Correlation-Id': 'given' });
      await service.pass(1, 6);
      return callsOf(host, 'email').some(({ envelope }) => envelope?.id !== 'given');
    },
  },

  'endpoints.off-for-the-second-time': {
    source: 'extensions: Registered external endpoint, row active',
    breaks: 'An endpoint that is switched off gets no call, also when it has been off and on before.',
    kind: 'moment',
    variant: breaks('callees', 'isActive', (right) => {
      const states = new Map<string, 'off' | 'on again'>();
      return (areas, registration) => {
        const isActive = right(areas, registration);
        const state = states.get(registration.id);
        if (registration.kind === 'svcExtension' || state === 'on again') return isActive || state === 'on again';
        if (!isActive) states.set(registration.id, 'off');
        else if (state === 'off') states.set(registration.id, 'on again');
        return isActive;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [], always({ status: 200 }));
      const fields = {
        id: 'hook',
        url: `${host.url}/hook`,
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'application/json' }],
        rateLimitNumberOfExecutions: 100,
      };
      await registerEndpoint(service, 'externalEndpoint', fields);
      for (const active of [false, true, false]) {
        await service.cora.put('/api/admin/externalEndpoint/hook', undefined, { ...fields, active });
        await service.edda.sendToEndpoint('hook', { active });
        await service.pass(1);
      }
      return callsTo(host).length > 1;
    },
  },

  'endpoints.timeout-of-a-trusted-one': {
    source: 'extensions: Registered external endpoint, row requestTimeout',
    breaks: 'An answer is waited for 100 seconds unless the endpoint says otherwise, a trusted one as well.',
    kind: 'role',
    variant: replaces('registrations', 'trustedEndpointFrom', (right, areas, body) => {
      const fields = right(areas, body);
      return at(body, '/requestTimeout') === undefined ? { ...fields, requestTimeout: 60 } : fields;
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ never: true }) });
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook` });
      await service.edda.sendToEndpoint();
      await reached(host, 1);
      await service.pass(70);
      await service.pass(3);
      return (await reached(host, 2, 500)).length > 1;
    },
  },

  'email.without-what-is-empty': {
    source: 'extensions: Payloads by extension type, row Email',
    breaks: 'A mail is sent with its body, also with an empty one.',
    kind: 'value',
    survives:
      'How a text without characters comes in a payload, as one, as null or not at all, is not said: ledger optional-payload-members.',
    variant: replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      const payload = right(areas, delivery, token);
      if (delivery.kind !== 'email') return payload;
      return Object.fromEntries(Object.entries(Object(payload)).filter(([, text]) => text !== ''));
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      await service.edda.post(mailPath, { ...mail, body: '' });
      await service.pass(1);
      return at(callsOf(host, 'email')[0]?.envelope, '/payload/body') !== '';
    },
  },

  'email.token-of-the-first-mail': {
    source: 'extensions: Calls to extensions',
    breaks: 'The query of a mail has the token of who triggers it, also behind a mail of another user.',
    kind: 'copy',
    variant: breaks('requests', 'extensionRequest', (right) => {
      const urls = new Map<string, string>();
      return async (areas, delivery, callee) => {
        const request = await right(areas, delivery, callee);
        if (delivery.kind !== 'email') return request;
        const url = urls.get(callee.url) ?? request.url;
        urls.set(callee.url, url);
        return { ...request, url };
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }]);
      for (const user of [service.edda, service.emil]) {
        await user.post(mailPath, mail);
        await service.pass(1);
      }
      const call = callsOf(host, 'email').at(-1);
      return at(claimsIn(call), '/sub') !== at(claimsInQuery(call?.target), '/sub');
    },
  },

  'validation.which-errors-pass': {
    source: 'extensions: Limits, retries row 2',
    breaks: 'A validation is tried again after any 5xx.',
    kind: 'value',
    variant: (classes) => {
      const step = new Step();
      return together(
        replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) =>
          delivery.kind === 'validation'
            ? step.run(() => right(areas, delivery, retries))
            : right(areas, delivery, retries),
        ),
        replaces(
          'policies',
          'isTransient',
          (right, areas, outcome) =>
            right(areas, outcome) && !(step.isOn() && outcome.kind === 'answered' && outcome.status > 504),
        ),
      )(classes);
    },
    async shows(service) {
      const capabilities = [{ capabilityType: 'SoftType', capabilities: ['Document'] }];
      const host = await service.host(
        () => [{ id: 'check', extensionType: 'ExternalValidation', capabilities }],
        always({ status: 507 }),
      );
      const made = await service.edda.make('Document', { title: 't' });
      const moved = service.edda.move(made, 1);
      await reached(host, 1);
      await service.pass(1, 20);
      await moved;
      return callsOf(host, 'validation').length === 1;
    },
  },
};

function claimsInQuery(target = ''): unknown {
  const token = new URL(target, 'http://host').searchParams.get('access_token') ?? '';
  const [, payload = ''] = token.split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString() || 'null');
}
