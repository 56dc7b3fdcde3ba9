import { systemClock } from '../../clock/clock.ts';
import { extensionTypes } from '../../contract/names.ts';
import type { Areas } from '../../reference-server/areas.ts';
import { keepRegistration, registrationOf, registrationsOf } from '../../reference-server/areas/registry.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { detach } from '../../reference-server/ports/store.ts';
import { type Changes, Step, type Variant, together, within, replaces } from '../breaks.ts';
import { isObject, jsonIn, restateRefusalOf, withJson, withoutHeaders, type Choice } from './choice.ts';

const endpointMembers = [
  'url',
  'active',
  'id',
  'name',
  'description',
  'method',
  'category',
  'requestTimeout',
  'retryForever',
  'rateLimitNumberOfExecutions',
  'headers',
];

const usualKey = Buffer.alloc(64).toString('base64');

/** From an answer to what follows it, in ms of real time: time that is moved may stand still. */
const laterMs = 20;

type FetchingCall = Parameters<Areas['registrations']['putExtension']>[0];

const unasked: Changes = {
  metadata: {
    fetchMetadata: async () => ({ records: [], complaints: [] }),
    recordsInForce: (former) => former,
  },
};

export const registeringChoices: readonly Choice[] = [
  /** A registration is answered without Location, with all of it, and read inside a member. */
  {
    meets: 'registrations in answers of another shape',
    silences: ['registration-responses', 'registration-read-update-delete'],
    by: replaces('messages', 'finish', async (right, areas, call, answer) => {
      const finished = await right(areas, call, answer);
      const [path, id] = /^\/api\/admin\/\w+E(?:ndpoint|xtension)(\/[^/?]+)?$/.exec(call.url) ?? [];
      const body = jsonIn(finished);
      if (path === undefined || finished.status >= 300) return finished;
      if (call.method === 'GET')
        return id === undefined ? finished : withJson(finished, { registration: body, links: [] });
      return withJson(withoutHeaders(finished, 'location'), isObject(body) ? { kind: 'registration', ...body } : body);
    }),
  },
  /** An endpoint that is registered again is changed; a host is registered once. */
  {
    meets: 'endpoints overwritten, hosts registered once',
    silences: ['registration-duplicates'],
    by: together(
      replaces('registrations', 'createEndpoint', async (right, areas, call, writing) => {
        const former = await registrationOf(writing, call.json.id);
        if (former?.kind !== call.json.kind) return right(areas, call, writing);
        await keepRegistration(writing, call.json);
        return { status: 200, body: { id: former.id, replaced: true } };
      }),
      replaces('registrations', 'createExtension', async (right, areas, call) => {
        const known = await areas.store.read((reading) => registrationsOf(reading, 'svcExtension'));
        if (known.some((one) => one.kind === 'svcExtension' && one.hostUri === call.json.hostUri))
          throw new Refusal(409, 'The host is registered already.');
        return right(areas, call);
      }),
    ),
  },
  /** Bodies that do not fit, or hold more than the documents name, are refused with 422. */
  {
    meets: '422 for registrations with further members',
    silences: ['registration-validation-depth'],
    by: together(
      replaces('registrations', 'endpointFrom', (right, areas, body) => {
        assertNamed(body, endpointMembers);
        return restateRefusalOf({ 400: 422 }, () => right(areas, body));
      }),
      replaces('registrations', 'trustedEndpointFrom', (right, areas, body) => {
        assertNamed(body, [...endpointMembers, 'tokenLifeTime', 'permissions']);
        return restateRefusalOf({ 400: 422 }, () => right(areas, body));
      }),
      replaces('registrations', 'extensionFrom', (right, areas, body) => {
        assertNamed(body, ['hostUri', 'apiKey', 'tokenLifeTime', 'active']);
        return restateRefusalOf({ 400: 422 }, () => right(areas, body));
      }),
    ),
  },
  /** Whatever its form, a key is one: short ones, and texts that are no Base64. */
  {
    meets: 'keys of any form',
    silences: ['signature-key-format'],
    by: replaces('registrations', 'extensionFrom', (right, areas, body) => {
      const given: unknown = isObject(body) ? body['apiKey'] : undefined;
      if (!isObject(body) || typeof given !== 'string' || given === '') return right(areas, body);
      return { ...right(areas, { ...body, apiKey: usualKey }), apiKey: given };
    }),
  },
  /** No metadata are asked for while an extension is switched off; to switch it on is an update like any other. */
  {
    meets: 'no metadata of a host that is switched off',
    silences: ['registration-inactive-extension'],
    by: replaces('metadata', 'fetchMetadata', async (right, areas, extension, id) =>
      extension.active ? right(areas, extension, id) : { warning: 'It is switched off.' },
    ),
  },
  /** A host that does not answer rightly is asked again, twice. */
  {
    meets: 'metadata asked for again',
    silences: ['metadata-fetch-retry'],
    by: replaces('metadata', 'fetchMetadata', async (right, areas, extension, id) => {
      for (const delayMs of [2000, 4000]) {
        const answer = await right(areas, extension, id);
        if (!('warning' in answer)) return answer;
        await areas.clock.sleep(delayMs, { tag: 'metadata', signal: areas.outgoing.closing });
      }
      return right(areas, extension, id);
    }),
  },
  /** Metadata are asked for once the registration is answered; until they are put to use, those of before are in force. */
  {
    meets: 'metadata asked for after the answer',
    silences: ['metadata-fetch-timing'],
    by: metadataFetched({ afterMs: laterMs, usedAfterMs: 0 }),
  },
  {
    meets: 'no records where one is wrong',
    silences: ['metadata-invalid-record'],
    by: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const { records, complaints } = right(areas, items);
      return { records: complaints.length > 0 ? [] : records, complaints };
    }),
  },
  {
    meets: 'the last of two records',
    silences: ['metadata-duplicate-ids'],
    by: replaces('metadata', 'usableRecords', (right, areas, items) => {
      const byId = new Map(items.map((item, index) => [isObject(item) ? String(item['id']) : index, item]));
      return right(areas, [...byId.values()]);
    }),
  },
  {
    meets: 'types of records in any spelling',
    silences: ['metadata-type-spelling'],
    by: replaces('metadata', 'recordFrom', (right, areas, item) => {
      if (!isObject(item) || typeof item['extensionType'] !== 'string') return right(areas, item);
      const given = item['extensionType'].toLowerCase();
      const extensionType = extensionTypes.find((type) => type.toLowerCase() === given) ?? item['extensionType'];
      return right(areas, { ...item, extensionType });
    }),
  },
  /** A capability of a type that nothing is known of is left out. */
  {
    meets: 'two types of capabilities',
    silences: ['metadata-capability-type'],
    by: replaces('metadata', 'recordFrom', (right, areas, item) => {
      const capabilities: unknown = isObject(item) ? item['capabilities'] : undefined;
      if (!isObject(item) || !Array.isArray(capabilities)) return right(areas, item);
      const isKnown = (one: unknown): boolean =>
        !isObject(one) ||
        typeof one['capabilityType'] !== 'string' ||
        /^(?:SoftType|MimeType)$/.test(one['capabilityType']);
      return right(areas, { ...item, capabilities: capabilities.filter(isKnown) });
    }),
  },
  /** Keys are asked for by users, as the token of an envelope shows one, under the id of a record, and are brought unsigned once that is answered. */
  {
    meets: 'keys brought unsigned after the answer',
    silences: ['acquire-callback-details', 'acquire-credential', 'extension-identifier'],
    by: together(
      replaces('auth', 'authorize', (right, areas, user, access, call) => {
        if (!call.url.includes('/acquireAccessToken/')) right(areas, user, access, call);
      }),
      replaces(
        'signing',
        'isSignatureOf',
        (right, areas, key, path, given) => !path.includes('/acquireAccessToken/') && right(areas, key, path, given),
      ),
      replaces('apiKeys', 'extensionHolders', async (right, areas, reading, id) =>
        (await right(areas, reading, id)).filter(({ recordId }) => recordId === id),
      ),
      replaces('apiKeys', 'bringKeys', async (right, areas, call, { apiKey: _unsigned, ...holder }, request, keys) => {
        later(areas, laterMs, () => right(areas, call, holder, request, keys));
        return { status: 202, body: { permissions: keys.map(({ permission }) => permission) } };
      }),
    ),
  },
  {
    meets: 'keys for some of the names',
    silences: ['acquire-mixed-request'],
    by: together(
      replaces('apiKeys', 'excessPermissions', (right, areas, asked, configured) => {
        const excess = right(areas, asked, configured);
        return excess.length < asked.length ? [] : excess;
      }),
      replaces('apiKeys', 'grantedPermissions', (right, areas, asked, configured) =>
        right(areas, asked, configured).filter((name) => configured.includes(name)),
      ),
    ),
  },
  {
    meets: 'keys that end with the day',
    silences: ['key-rotation-overlap'],
    by: together(
      replaces('apiKeys', 'isKeyDue', (_right, areas, { issuedAt }) => dayOf(areas.clock.now()) > dayOf(issuedAt)),
      replaces('apiKeys', 'isKeyValid', (_right, areas, { issuedAt }) => dayOf(areas.clock.now()) === dayOf(issuedAt)),
    ),
  },
];

/** @param after what of real time they are asked for, and put to use once they are there */
export function metadataFetched({
  afterMs,
  usedAfterMs,
}: {
  readonly afterMs: number;
  readonly usedAfterMs: number;
}): Variant {
  return (classes) => {
    const fetching = new Step();
    const latest = new Map<string, FetchingCall>();
    const fetchLater = (areas: Areas, id: string, call: FetchingCall): void => {
      latest.set(id, call);
      // what is asked for a registration that was changed meanwhile tells nothing of it any more
      const fetchMetadata: Areas['metadata']['fetchMetadata'] = async (...args) => {
        const answer = await areas.metadata.fetchMetadata(...args);
        if (latest.get(id) !== call) throw new Error('the registration has changed');
        if (usedAfterMs > 0) await systemClock.sleep(usedAfterMs);
        return answer;
      };
      const informed = within(areas, { metadata: { fetchMetadata } });
      later(areas, afterMs, () => fetching.run(() => informed.registrations.putExtension(call)));
    };
    return together(
      replaces('registrations', 'createExtension', async (right, areas, call) => {
        const answer = await right(within(areas, unasked), call);
        const id = isObject(answer.body) ? String(answer.body['id']) : '';
        fetchLater(areas, id, { ...call, params: { id } });
        return { ...answer, status: 202 };
      }),
      replaces('registrations', 'putExtension', async (right, areas, call) => {
        if (fetching.isOn()) return right(areas, call);
        const answer = await right(within(areas, unasked), call);
        fetchLater(areas, String(call.params['id']), call);
        return { ...answer, status: 202 };
      }),
    )(classes);
  };
}

function dayOf(ms: number): number {
  return Math.floor(ms / (24 * 60 * 60 * 1000));
}

/** Begins what follows an answer; that it may fail is nobody's concern by then. */
function later(areas: Areas, afterMs: number, work: () => Promise<unknown>): void {
  detach(() => {
    void areas.outgoing.activity
      .work(() => systemClock.sleep(afterMs))
      .then(work)
      .catch(() => undefined);
  });
}

function assertNamed(body: unknown, members: readonly string[]): void {
  const stranger = isObject(body) ? Object.keys(body).find((name) => !members.includes(name)) : undefined;
  if (stranger !== undefined) throw new Refusal(422, `A registration has no ${stranger}.`);
}
