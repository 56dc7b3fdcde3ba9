import { randomUUID } from 'node:crypto';
import { requireValid } from '../../../reference-server/areas/validation.ts';
import type { Verdict } from '../../../reference-server/http/call.ts';
import type { CallKind, CallOutcome } from '../../../reference-server/ports/deliveries.ts';
import { type Variant, type Variants, together, replaces } from '../../breaks.ts';
import { isJson } from '../answers.ts';

/** The query of a call holds another token than the envelope. @param make of a right one for the same user and as long, and of the envelope's, what stands there */
export function ownQueryToken(make: (own: string, former: string) => string): Variant {
  return replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
    const request = await right(areas, delivery, callee);
    const own = await areas.requests.impersonationToken(delivery.userName, callee.extension.tokenLifeTime);
    const url = request.url.replace(/(?<=access_token=)[^&]*/, (former) => make(own, former));
    const signed = areas.signing.signatureHeaders(callee.extension.apiKey, url);
    return { ...request, url, headers: { ...request.headers, ...signed } };
  });
}

/** What calls of a kind are about is sent with each value inside changed; undefined leaves it out. */
function sendsChanged(kind: CallKind, change: (name: string, value: unknown) => unknown): Variant {
  return replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
    const { payload } = triggered;
    const isMeant = triggered.kind === kind && payload !== undefined;
    return right(
      areas,
      call,
      isMeant ? { ...triggered, payload: JSON.parse(JSON.stringify(payload), change) } : triggered,
    );
  });
}

/** So many ids are made, then they come again. */
const fewIds = 16;

/** Something of another call, mostly of the one before. */
export const subtleCallFaults = {
  /** What counts as false counts as absent. */
  'subtle.correlation.zero-is-none': replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) =>
    call.correlationId === '0' ? randomUUID() : right(areas, call),
  ),

  'subtle.action.empty-members-are-dropped': sendsChanged('action', (name, value) =>
    isJson(value) && Object.keys(value).length === 0 && /\D/.test(name) ? undefined : value,
  ),

  'subtle.event.names-with-dollar-are-dropped': sendsChanged('event', (name, value) =>
    name.startsWith('$') ? undefined : value,
  ),

  'subtle.event.texts-are-cut': sendsChanged('event', (_name, value) =>
    typeof value === 'string' ? value.slice(0, 20_000) : value,
  ),

  'subtle.endpoint.texts-are-cut': sendsChanged('endpoint', (_name, value) =>
    typeof value === 'string' ? value.slice(0, 8000) : value,
  ),

  /** An action that is run while the one before is under way gets the answer of that. */
  'subtle.action.shares-call-under-way': (classes) => {
    const underWay = new Map<string, Promise<CallOutcome>>();
    return replaces('outgoingCalls', 'callWithRetries', (right, areas, delivery, retries) => {
      const key = areas.policies.endpointKeyOf(delivery);
      const outcome = underWay.get(key) ?? right(areas, delivery, retries);
      if (delivery.kind === 'action') underWay.set(key, outcome);
      return outcome.finally(() => underWay.delete(key));
    })(classes);
  },

  /** Once its registration was updated, the tokens of an extension speak for who updated it. */
  'subtle.token.of-who-updated-registration': (classes) => {
    const updaters = new Map<string, string>();
    return together(
      replaces('registrations', 'putExtension', async (right, areas, call) => {
        const answer = await right(areas, call);
        updaters.set(call.params['id'] ?? '', call.user.name);
        return answer;
      }),
      replaces('requests', 'extensionRequest', (right, areas, delivery, callee) => {
        const userName = updaters.get(delivery.registrationId) ?? delivery.userName;
        return right(areas, { ...delivery, userName }, callee);
      }),
    )(classes);
  },

  /** A token for a trusted endpoint lives as long as that of the endpoint called before. */
  'subtle.token.life-time-of-endpoint-before': (classes) => {
    let before: number | undefined;
    return replaces('requests', 'endpointUrl', (right, areas, delivery, callee) => {
      if (callee.endpoint.kind !== 'trustedExternalEndpoint') return right(areas, delivery, callee);
      const { tokenLifeTime } = callee.endpoint;
      const endpoint = { ...callee.endpoint, tokenLifeTime: before ?? tokenLifeTime };
      before = tokenLifeTime;
      return right(areas, delivery, { ...callee, endpoint });
    })(classes);
  },

  /** A verdict holds for the object as it is by then, whose version is not compared any more. */
  'subtle.validation.edit-meanwhile-counts-for-nothing': together(
    replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isJudged = 'verdicts' in call && call.verdicts !== undefined;
      return isJudged ? object.version : right(areas, call, object);
    }),
    replaces('validation', 'assertValidated', async (right, areas, call, reading, object) => {
      const [verdict] = call.verdicts?.values() ?? [];
      return verdict === undefined ? right(areas, call, reading, object) : requireValid(verdict);
    }),
  ),

  /** The token in the query of a call is one of its own, whose signature is that of the one in the envelope. */
  'subtle.token.in-query-signed-as-another': ownQueryToken((own, former) =>
    [...own.split('.').slice(0, 2), former.split('.')[2]].join('.'),
  ),

  'subtle.envelope.fresh-ids-come-again': (classes) => {
    const ids: string[] = [];
    let made = 0;
    return replaces('triggeredCalls', 'envelopeIdOf', (right, areas, call) => {
      if (call.correlationGiven) return right(areas, call);
      const id = ids[made % fewIds] ?? right(areas, call);
      ids[made % fewIds] = id;
      made += 1;
      return id;
    })(classes);
  },

  /** The information filter of the first event for a record stays. */
  'subtle.filter.of-first-event-for-record': (classes) => {
    const filters = new Map<string, string>();
    return replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const delivery = right(areas, call, triggered);
      if (delivery.kind !== 'event') return delivery;
      const key = areas.policies.endpointKeyOf(delivery);
      const informationFilter = filters.get(key) ?? delivery.informationFilter;
      filters.set(key, informationFilter);
      return { ...delivery, informationFilter };
    })(classes);
  },

  /** What was found invalid is not asked about again until it has another version. */
  'subtle.validation.negative-verdict-is-kept': (classes) => {
    const kept = new Map<string, Verdict>();
    return replaces('validation', 'verdictOn', async (right, areas, call, object, validators) => {
      const key = `${object.oid} ${object.version}`;
      const verdict = kept.get(key) ?? (await right(areas, call, object, validators));
      if (verdict.kind === 'invalid') kept.set(key, verdict);
      return verdict;
    })(classes);
  },

  /** What is said beside a verdict is searched for an objection. */
  'subtle.validation.words-count-as-verdict': replaces(
    'validation',
    'askValidator',
    async (right, areas, call, object, validator) => {
      const verdict = await right(areas, call, object, validator);
      const isDoubted = verdict.kind === 'valid' && /invalid|false/.test(verdict.message);
      return isDoubted ? { kind: 'invalid', message: verdict.message } : verdict;
    },
  ),

  /** An answer that says nothing counts as the answer before, whatever object that was about. */
  'subtle.validation.verdict-of-object-before': (classes) => {
    const last = new Map<string, Verdict>();
    return replaces('validation', 'askValidator', async (right, areas, call, object, validator) => {
      const key = `${validator.registrationId} ${validator.recordId}`;
      const verdict = await right(areas, call, object, validator);
      const isMute = verdict.kind === 'error' && verdict.message === 'the answer is no object with isValid';
      if (isMute) return last.get(key) ?? verdict;
      last.set(key, verdict);
      return verdict;
    })(classes);
  },

  /** All mail speaks for the user who sent the first. */
  'subtle.token.of-first-sender-of-mail': (classes) => {
    let first: string | undefined;
    return replaces('requests', 'extensionRequest', (right, areas, delivery, callee) => {
      if (delivery.kind !== 'email') return right(areas, delivery, callee);
      first ??= delivery.userName;
      return right(areas, { ...delivery, userName: first }, callee);
    })(classes);
  },

  /** Names of members are kept as words of the language, and of a word with a slash in it only the end is written. */
  'subtle.content.names-lose-what-stands-before-a-slash': together(
    replaces('requests', 'endpointRequest', (right, areas, delivery, callee) =>
      right(areas, { ...delivery, payload: shortNamed(delivery.payload) }, callee),
    ),
    replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
      const payload = right(areas, delivery, token);
      return delivery.kind === 'action' ? shortNamed(payload) : payload;
    }),
  ),

  /** An action tells the version that the last edit of the content has made, and a promote is none. */
  'subtle.action.version-lags-after-promote': (classes) => {
    const promoted = new Set<string>();
    return together(
      replaces('maturity', 'versionAfterPromote', (right, areas, object) => {
        promoted.add(object.oid);
        return right(areas, object);
      }),
      replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
        const payload = right(areas, delivery, token);
        if (delivery.kind !== 'action' || !isJson(payload) || !promoted.has(String(payload['objectId'])))
          return payload;
        return { ...payload, svcUOIVersion: Number(payload['svcUOIVersion']) - 1 };
      }),
    )(classes);
  },

  /** An empty list is none. */
  'subtle.task.settings-lack-empty-lists': replaces('requests', 'payloadOf', (right, areas, delivery, token) => {
    const payload = right(areas, delivery, token);
    return delivery.kind === 'task' ? emptyAsNone(payload) : payload;
  }),
} satisfies Variants;

function shortNamed(value: unknown): unknown {
  return rebuilt(value, (name, member) => [name.slice(name.lastIndexOf('/') + 1), member]);
}

function emptyAsNone(value: unknown): unknown {
  return rebuilt(value, (name, member) => [name, Array.isArray(member) && member.length === 0 ? null : member]);
}

function rebuilt(value: unknown, change: (name: string, member: unknown) => readonly [string, unknown]): unknown {
  if (Array.isArray(value)) return value.map((item) => rebuilt(item, change));
  if (!isJson(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => change(name, rebuilt(member, change))));
}
