import { randomUUID } from 'node:crypto';
import type { Areas } from '../../reference-server/areas.ts';
import type { Delivery, OutgoingRequest } from '../../reference-server/ports/deliveries.ts';
import { type Changes, type Variant, together, within, replaces } from '../breaks.ts';
import { type Json, isObject, type Choice } from './choice.ts';

const optional: Readonly<Record<string, Json>> = {
  validation: { contextObjectId: null },
  action: { objectId: null, svcUOIVersion: null, requestedRoute: null, httpVerb: null, email: null },
};

export const callChoices: readonly Choice[] = [
  /** The token stands in the query of every call to an extension, and under another name. */
  {
    meets: 'tokens in the query of every call',
    silences: ['token-query-names', 'token-query-other-types'],
    by: together(
      replaces('requests', 'hasTokenQuery', () => true),
      replaces('requests', 'tokenParameter', (right, areas, kind) =>
        kind === 'endpoint' ? right(areas, kind) : 'impersonation',
      ),
    ),
  },
  /** One token does for all attempts of a call, however late they are made. */
  {
    meets: 'one token for all attempts',
    silences: ['token-on-retry'],
    by: (classes) => {
      const kept = new Map<string, Promise<string>>();
      return replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
        const impersonationToken: Areas['requests']['impersonationToken'] = (userName, minutes) => {
          const token = kept.get(delivery.id) ?? areas.requests.impersonationToken(userName, minutes);
          kept.set(delivery.id, token);
          return token;
        };
        return right(within(areas, { requests: { impersonationToken } }), delivery, callee, attempt);
      })(classes);
    },
  },
  {
    meets: 'other claims in tokens of calls',
    silences: ['token-claims'],
    by: replaces('tokens', 'signClaims', (right, areas, claims) =>
      claims['scope'] === 'impersonation'
        ? right(areas, without({ ...claims, nbf: claims['iat'], roles: ['impersonated'] }, 'scope', 'jti'))
        : right(areas, claims),
    ),
  },
  /** An id that the service makes up is one of its own for each attempt, in capitals and braces. */
  {
    meets: 'ids of attempts in capitals and braces',
    silences: ['envelope-id-guid-form', 'envelope-id-on-retry'],
    by: (classes) => {
      const made = new Set<string>();
      const fresh = (): string => {
        const id = `{${randomUUID().toUpperCase()}}`;
        made.add(id);
        return id;
      };
      return together(
        replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) =>
          call.correlationGiven ? right(areas, call) : fresh(),
        ),
        replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) =>
          right(
            areas,
            attempt > 1 && made.has(delivery.envelopeId) ? { ...delivery, envelopeId: fresh() } : delivery,
            callee,
            attempt,
          ),
        ),
      )(classes);
    },
  },
  /** The information filter is written anew, and names the members that it lacks. */
  {
    meets: 'information filters written anew',
    silences: ['information-filter-without-trigger'],
    by: replaces('triggeredCalls', 'passedFilter', (right, areas, call) => {
      const filter: unknown = JSON.parse(Buffer.from(right(areas, call), 'base64').toString());
      return Buffer.from(JSON.stringify({ role: null, ...(isObject(filter) ? filter : {}) }, undefined, 1)).toString(
        'base64',
      );
    }),
  },
  {
    meets: 'null for payload members that do not apply',
    silences: ['optional-payload-members'],
    by: payloads((payload, { kind }) => ({ ...optional[kind], ...payload })),
  },
  {
    meets: 'versions as text in payloads',
    silences: ['uoi-version-type'],
    by: payloads((payload) =>
      typeof payload['svcUOIVersion'] === 'number'
        ? { ...payload, svcUOIVersion: String(payload['svcUOIVersion']) }
        : payload,
    ),
  },
  /** Payloads and envelopes hold more than the documents name, and null and empty values among it. */
  {
    meets: 'more members in payloads and envelopes',
    silences: [],
    by: together(
      payloads((payload, { kind }) => ({ $kind: kind, tags: [], parent: null, hints: {}, ...payload })),
      requests((request) =>
        changedBody(request, (envelope) => ({ version: 2, sender: { name: '' }, ...envelope, extra: null })),
      ),
    ),
  },
  /** The body is indented, its type goes without charset, and no header tells the correlation id. */
  {
    meets: 'calls of plain JSON',
    silences: ['request-body-encoding'],
    by: requests((request) => {
      const { 'Content-Type': _type, 'X-Correlation-Id': _id, ...headers } = request.headers;
      const body = JSON.stringify(JSON.parse(request.body ?? '{}'), undefined, 2);
      return { ...request, headers: { ...headers, 'content-type': 'application/json', Accept: '*/*' }, body };
    }),
  },
  /** The path is signed as the route below the host, with its letters decoded. */
  {
    meets: 'signatures over the route below the host',
    silences: ['signature-host-base-path', 'signature-path-encoding'],
    by: together(
      replaces('requests', 'extensionRequest', (right, areas, delivery, callee) =>
        right(within(areas, signingBelow(callee.extension.hostUri)), delivery, callee),
      ),
      replaces('metadata', 'metadataRequest', (right, areas, extension, id) =>
        right(within(areas, signingBelow(extension.hostUri)), extension, id),
      ),
    ),
  },
  /** An endpoint is put behind the address of its host as it is, whatever it begins with. */
  {
    meets: 'endpoints put behind their host as they are',
    silences: ['endpoint-joining'],
    by: replaces('callees', 'calleeOf', async (right, areas, reading, address) => {
      const callee = await right(areas, reading, address);
      if (callee === undefined || !('record' in callee)) return callee;
      const base = callee.extension.hostUri.replace(/\/+$/, '');
      return { ...callee, url: new URL(`${base}/${callee.record.endpoint}`).href };
    }),
  },
  /** Links name what is to be filled in otherwise, hold the token wherever one is needed, and lead to the status without a segment for it. */
  {
    meets: 'other links for tasks',
    silences: ['task-link-templates'],
    by: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) =>
      right(areas, spaceId, jobId, inputPath, token)
        .map((link) => ({
          ...link,
          url:
            link.id === 'content'
              ? link.url.replace(/\/api\/.*/, '/contents/{contentId}')
              : link.url
                  .replace(/\/\{status\}$/, '')
                  .replace('{path}', '{subdirectories}/{fileName}')
                  .replace(/\?token=$/, `?token=${token}`),
          title: '',
        }))
        .toReversed(),
    ),
  },
];

function signingBelow(hostUri: string): Changes {
  const base = new URL(hostUri).pathname.replace(/\/+$/, '');
  return { signing: { signedPath: (url) => decodeURI(new URL(url).pathname.slice(base.length)) } };
}

function payloads(change: (payload: Json, delivery: Delivery) => Json): Variant {
  return replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
    const payload = right(areas, delivery, token);
    return isObject(payload) ? change(payload, delivery) : payload;
  });
}

/** Requests to extensions. */
function requests(change: (request: OutgoingRequest) => OutgoingRequest): Variant {
  return replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) =>
    change(await right(areas, delivery, callee)),
  );
}

function changedBody(request: OutgoingRequest, change: (envelope: Json) => Json): OutgoingRequest {
  const envelope: unknown = JSON.parse(request.body ?? 'null');
  return isObject(envelope) ? { ...request, body: JSON.stringify(change(envelope)) } : request;
}

function without(object: Json, ...names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
