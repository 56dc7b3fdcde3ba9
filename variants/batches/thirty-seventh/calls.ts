import { createHash } from 'node:crypto';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { Misfit } from '../../../reference-server/areas/records.ts';
import { headerValues } from '../../../simulator/extension/entry.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, callsTo, changeExtension, claimsIn, reached, registerEndpoint } from '../proofs.ts';
import { at, hostKey, many, signatureOver, type Service } from '../service.ts';

const emailPath = '/api/space/main/externalEmail';
const mail = { recordId: 'mail', to: 'to@example.org', subject: 'subject', body: 'body' };

/** Lifetime of the token in a call, in minutes. */
function lifeTimeIn(claims: unknown): number {
  return (Number(at(claims, '/exp')) - Number(at(claims, '/iat'))) / 60;
}

/** An extension that validates documents, and what it answers. */
function validating(service: Service, answer: unknown) {
  const capabilities = [{ capabilityType: 'SoftType' as const, capabilities: ['Document'] }];
  const record = { id: 'check', extensionType: 'ExternalValidation' as const, capabilities };
  return service.host(() => [record], always({ status: 200, json: answer }));
}

export const callsMistakes: Batch = {
  'calls.correlation-of-the-request-before': {
    source: 'core: Events',
    breaks: 'A call has the correlation id of the request that triggered it, not that of the one before.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'envelopeIdOf', (right) => {
      const kept = new Map<string, string>();
      return (areas, call) => {
        if (!call.correlationGiven) return kept.get(call.user.name) ?? right(areas, call);
        kept.set(call.user.name, call.correlationId);
        return right(areas, call);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const given = '5f1d0d2e-8a4f-4e0e-9f0a-3c1b2a4d5e6f';
      await service.edda.sendEvent('event', {}, { 'X-Correlation-Id': given });
      await service.edda.sendEvent('event', { second: true });
      await service.pass(1);
      const calls = await reached(host, 2);
      return calls.filter(({ envelope }) => envelope?.id === given).length === 2;
    },
  },

  'calls.description-without-a-name': {
    source: 'extensions: Registered external endpoint',
    breaks: 'An endpoint may be registered with a description and without a name.',
    kind: 'combination',
    variant: replaces('registrations', 'endpointFrom', (right, areas, body) => {
      const fields = right(areas, body);
      if (fields.description === undefined || fields.name !== undefined) return fields;
      throw new Refusal(400, 'Expected the name of what is described.', { pointer: '/name' });
    }),
    async shows(service) {
      const fields = { url: 'http://127.0.0.1:9/hook', description: 'what it is for' };
      return (await registerEndpoint(service, 'externalEndpoint', fields)).status >= 400;
    },
  },

  'calls.third-header-of-a-trusted-endpoint': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint has all fields of the simple one: each of its headers is set on the call.',
    kind: 'place',
    variant: replaces('requests', 'endpointRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      if (callee.endpoint.kind === 'externalEndpoint') return request;
      const headers = Object.entries(request.headers ?? {});
      return { ...request, headers: Object.fromEntries(headers.slice(0, 2)) };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const headers = ['content-type', 'x-one', 'x-two'].map((name) => ({ name, value: 'application/json' }));
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, headers });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const [entry] = await reached(host, 1);
      return entry !== undefined && headerValues(entry, 'x-two').length === 0;
    },
  },

  'calls.token-of-another-extension': {
    source: 'extensions: Registered extension',
    breaks: 'A token lives as long as the extension says that it is sent to, also behind a call of another one.',
    kind: 'copy',
    variant: breaks('requests', 'impersonationToken', (right) => {
      const kept = new Map<string, { readonly token: string; readonly until: number }>();
      return async (areas, userName, minutes) => {
        const now = areas.clock.now();
        const known = kept.get(userName);
        if (known !== undefined && now < known.until) return known.token;
        const token = await right(areas, userName, minutes);
        kept.set(userName, { token, until: now + minutes * 30_000 });
        return token;
      };
    }),
    async shows(service) {
      const one = await service.host(() => [{ id: 'one' }]);
      const other = await service.host(() => [{ id: 'other' }]);
      await changeExtension(service, { hostUri: other.url, tokenLifeTime: 5 });
      await service.edda.sendEvent('one');
      await service.pass(1);
      await reached(one, 1);
      await service.edda.sendEvent('other');
      await service.pass(1);
      const [entry] = await reached(other, 1);
      return entry !== undefined && lifeTimeIn(claimsIn(entry)) !== 5;
    },
  },

  'calls.version-with-two-hyphens': {
    source: 'extensions: Extension metadata record',
    breaks: 'The version of a record is one of SemVer, whose pre-release may have a hyphen of its own.',
    kind: 'value',
    variant: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const version = String(at(item, '/version'));
      return /-[^+]*-/.test(version) ? new Misfit('/version', 'is no version') : right(areas, item);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event', version: '1.0.0-rc-1.7+build' }]);
      return (await service.edda.sendEvent()).status >= 400;
    },
  },

  'calls.records-of-one-name-and-category': {
    source: 'extensions: Extension metadata record',
    breaks: 'Each record of a host is registered, also when another has its name and its category.',
    kind: 'combination',
    variant: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const { records, complaints } = right(areas, items);
      const named = new Map(records.toReversed().map((record) => [`${record.name} ${record.category}`, record]));
      return { records: records.filter((record) => [...named.values()].includes(record)), complaints };
    }),
    async shows(service) {
      await service.host(() => ['one', 'other'].map((id) => ({ id, name: 'same', category: 'same' })));
      return (await service.edda.sendEvent('other')).status >= 400;
    },
  },

  'calls.batch-of-a-form-by-roles': {
    source: 'extensions: Payloads by extension type',
    breaks: 'A form that sends a batch has the array as its payload, whatever roles its user has.',
    kind: 'role',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { payload } = triggered;
      const content = at(payload, '/contentPayload');
      const roles = areas.auth.rolesOf(call.user, call.space);
      if (roles.length < 2 || !Array.isArray(content)) return right(areas, call, triggered);
      return right(areas, call, { ...triggered, payload: { ...(payload as object), contentPayload: { ...content } } });
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      await service.emil.post('/api/space/main/externalAction/action', {
        kind: 'form',
        requestedRoute: '/api/space/main/batch',
        httpVerb: 'POST',
        contentPayload: [{ method: 'GET', href: '/api/space/main/softtype/one' }],
      });
      const [entry] = callsOf(host, 'action');
      return entry !== undefined && !Array.isArray(at(entry.json, '/payload/contentPayload'));
    },
  },

  'calls.token-of-a-repeated-mail': {
    source: 'extensions: Calls to extensions',
    breaks: 'The token is in the query of a call for a mail, of one that is tried again as well.',
    kind: 'place',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const bare = within(areas, { requests: { hasTokenQuery: () => false } });
      return right(attempt > 1 && delivery.kind === 'email' ? bare : areas, delivery, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'mail', extensionType: 'Email' }], [{ steps: [{ status: 503 }] }]);
      await service.edda.post(emailPath, mail);
      await service.pass(3, 2);
      const [, second] = await reached(host, 2);
      return second !== undefined && !second.target.includes('?');
    },
  },

  'calls.signature-of-a-route-with-a-slash-at-its-end': {
    source: 'extensions: Authentication 3',
    breaks: 'A call is signed over its route path, with the slash at the end of one that has it.',
    kind: 'place',
    variant: replaces('signing', 'signedPath', (right, areas, url) => right(areas, url).replace(/(.)\/$/, '$1')),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', endpoint: '/events/' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      const [entry] = await reached(host, 1);
      if (entry === undefined) return false;
      return headerValues(entry, 'authorization')[0] !== `Bearer ${signatureOver(entry.path, hostKey)}`;
    },
  },

  'calls.event-with-the-content-of-another': {
    source: 'extensions: Events 1',
    breaks: 'Each event is delivered, also one that says what another said that is queued still.',
    kind: 'place',
    variant: breaks('queue', 'enqueue', (right) => {
      const queued = new Map<string, string>();
      return async (areas, writing, delivery) => {
        const content = JSON.stringify(at(delivery.payload, '/contentPayload') ?? '');
        const digest = createHash('md5').update(`${delivery.recordId} ${delivery.userName} ${content}`).digest('hex');
        const known = await writing.delivery(queued.get(digest) ?? '');
        if (delivery.kind === 'event' && known !== undefined && known.attempts > 0) return true;
        queued.set(digest, delivery.id);
        return right(areas, writing, delivery);
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }], [{ steps: [{ status: 503 }] }]);
      await service.edda.sendEvent('event', { text: 'same' });
      await service.pass(1);
      await reached(host, 1);
      await service.edda.sendEvent('event', { text: 'same' });
      await service.pass(3, 4);
      return (await reached(host, 3, 1500)).length < 3;
    },
  },

  'calls.waits-that-begin-anew': {
    source: 'extensions: Errors 2',
    breaks: 'Once there are five minutes between two attempts, it stays so for as long as it takes.',
    kind: 'moment',
    variant: replaces('policies', 'nextRetryDelay', (right, areas, attempt) =>
      right(areas, attempt > 10 ? attempt - 10 : attempt),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event', retryForever: true }], always({ status: 503 }));
      await service.edda.sendEvent();
      await service.pass(50, 60);
      return callsTo(host).length >= 20;
    },
  },

  'calls.verdict-in-an-array': {
    source: 'extensions: Errors 5',
    breaks: 'The answer to a validation is a JSON object; one in an array is an error.',
    kind: 'place',
    variant: replaces('validation', 'verdictOf', (right, areas, outcome) => {
      if (outcome.kind !== 'answered' || !/^\s*\[/.test(outcome.body)) return right(areas, outcome);
      return right(areas, { ...outcome, body: outcome.body.replace(/^\s*\[/, '').replace(/\]\s*$/, '') });
    }),
    async shows(service) {
      await validating(service, [{ isValid: true, message: '' }]);
      const made = await service.edda.make('Document', { title: 'validated' });
      return (await service.edda.move(made, 1)).status < 300;
    },
  },

  'calls.tokens-of-administrators': {
    source: 'extensions: Limits',
    breaks: 'A token lives for the minutes of its extension, whatever role its user has.',
    kind: 'role',
    variant: replaces('requests', 'impersonationToken', (right, areas, userName, minutes) => {
      const holders = [...areas.configuration.spaces.values()].flatMap(({ participants }) => [
        ...participants.values(),
      ]);
      const isAdministrator = holders.some((roles) => roles.get(userName) === 'administrator');
      return right(areas, userName, isAdministrator ? Math.max(60, minutes) : minutes);
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 5 });
      await service.alma.sendEvent();
      await service.pass(1);
      const [entry] = await reached(host, 1);
      return entry !== undefined && lifeTimeIn(claimsIn(entry)) !== 5;
    },
  },

  'calls.update-that-changes-nothing': {
    source: 'extensions: Versioning',
    breaks: 'Metadata is fetched when an extension is updated, also with the fields that it has already.',
    kind: 'copy',
    variant: breaks('metadata', 'fetchMetadata', (right) => {
      const kept = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, extension, correlationId) => {
        const key = JSON.stringify(extension, Object.keys(extension).toSorted());
        const answer = kept.get(key) ?? (await right(areas, extension, correlationId));
        kept.set(key, answer);
        return answer;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await changeExtension(service, { hostUri: host.url });
      await changeExtension(service, { hostUri: host.url });
      return host.entries(({ kind }) => kind === 'metadata').length < 3;
    },
  },

  'calls.limit-of-the-record-before': {
    source: 'extensions: Registered external endpoint',
    breaks: 'An endpoint has five executions a minute unless it says otherwise, also behind one that did.',
    kind: 'copy',
    variant: breaks('registrations', 'endpointFrom', (right) => {
      let last: number | undefined;
      return (areas, body) => {
        const fields = right(areas, body);
        const given = at(body, '/rateLimitNumberOfExecutions');
        if (typeof given === 'number') last = given;
        return { ...fields, rateLimitNumberOfExecutions: last ?? fields.rateLimitNumberOfExecutions };
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'externalEndpoint', { id: 'first', url, rateLimitNumberOfExecutions: 100 });
      await registerEndpoint(service, 'externalEndpoint', { url });
      for (const number of many(7, (count) => count)) await service.edda.sendToEndpoint('hook', { number });
      await service.pass(1, 3);
      return (await reached(host, 6, 1500)).length > 5;
    },
  },
};
