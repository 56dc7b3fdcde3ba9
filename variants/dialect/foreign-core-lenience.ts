import { longHref } from '../../reference-server/areas/objects.ts';
import type { Member } from '../../reference-server/configuration.ts';
import { type Variant, together, replaces } from '../breaks.ts';
import { isObject } from './choice.ts';

/** Numbers and truth values are taken for texts, and texts that spell a number for numbers. */
export const scalarsCoerced: Variant = together(
  replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
    if (!isObject(body)) return right(areas, rules, softType, view, body);
    const pairs = Object.entries(body).map(([name, value]) => {
      const member = softType.members.get(view.names.get(name) ?? '');
      return [name, coerced(member, value)] as const;
    });
    return right(areas, rules, softType, view, Object.fromEntries(pairs));
  }),
  replaces('operations', 'addValue', async (right, areas, run, target, value, at) =>
    right(areas, run, target, coerced(target.kind === 'array' ? undefined : target.member, value), at),
  ),
  replaces('operations', 'replaceValue', async (right, areas, run, target, value, at) =>
    right(areas, run, target, coerced(target.kind === 'array' ? undefined : target.member, value), at),
  ),
);

/** An object may be a draft: entries have to be whole, it has not. */
export const drafts: Variant = replaces('contents', 'assertComplete', () => undefined);

/** Where a reference leads is not looked at, but that a batch makes none from one of its operations to another. */
export const referencesUnchecked: Variant = replaces(
  'contents',
  'assertReference',
  async (right, areas, call, reading, to, reference, at) => {
    const oid = isObject(reference['value']) ? reference['value']['$oid'] : undefined;
    if (typeof oid !== 'string' || call.isSibling?.(oid)) return right(areas, call, reading, to, reference, at);
  },
);

/** What a request lacks is told before it is looked who sends it. */
export const headersBeforeAccess: Variant = replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
  const isNamed = areas.configuration.spaces.has(call.params['spaceId'] ?? '');
  if (isNamed && 'filter' in route.needs && call.headers['authorization'] !== undefined) {
    areas.messages.informationFilterOf(call);
    if ('version' in route.needs && route.needs.version === 'required') areas.versioning.versionHeaderOf(call);
  }
  return right(areas, route, call);
});

/** An instance is where its definition and its output schema are named. */
export const longUris: Variant = together(
  replaces('objects', 'instanceHref', (_right, _areas, object, softType, view) => longHref(object, softType, view)),
  replaces('editing', 'createObject', async (right, areas, call, writing) => {
    const answer = await right(areas, call, writing);
    const { Location: short = '', ...headers } = answer.headers ?? {};
    const oid = decodeURIComponent(short.split('/').at(-1) ?? '');
    const { softType } = call.place;
    const view = areas.objects.outputViewOf(softType, undefined);
    return { ...answer, headers: { ...headers, Location: longHref({ spaceId: call.space.id, oid }, softType, view) } };
  }),
);

export const oneSession: Variant = (classes) => {
  const latest = new Map<string, string>();
  const ended = new Set<string>();
  return together(
    replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
      const name = form.get('username');
      if (name !== undefined) {
        const before = latest.get(name);
        if (before !== undefined) ended.add(before);
        latest.set(name, token);
      }
      return right(areas, form, token);
    }),
    replaces('tokens', 'verifyToken', async (right, areas, token) => {
      if (ended.has(token)) throw areas.tokens.unusableToken('Another token was granted meanwhile.');
      return right(areas, token);
    }),
  )(classes);
};

function coerced(member: Member | undefined, value: unknown): unknown {
  switch (member?.kind) {
    case 'string':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    case 'integer':
    case 'number':
      return typeof value === 'string' && /^-?\d{1,9}$/.test(value) ? Number(value) : value;
    case 'list':
      return Array.isArray(value) ? value.map((item) => coerced({ kind: member.of, mandatory: false }, item)) : value;
    case 'object':
      return isObject(value) ? coercedIn(member.members, value) : value;
    case 'entries':
      return Array.isArray(value)
        ? value.map((item: unknown) => (isObject(item) ? coercedIn(member.members, item) : item))
        : value;
    default:
      return value;
  }
}

function coercedIn(members: ReadonlyMap<string, Member>, value: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, coerced(members.get(name), inner)]));
}
