import { basePathOf } from '../../contract/address.ts';
import { entriesPerPage } from '../../contract/limits.ts';
import { type Entry, type LinkRead, wholeOf } from '../../contract/judge-read.ts';
import { memberOf, pageLinksOf } from '../service/answers.ts';
import type { Party } from './party.ts';
import type { Reply } from '../exchange.ts';
import { isObject } from '../json.ts';
import { stateFieldOf, stateIn } from '../service/maturity.ts';
import { readOf, readView, type Subject, type View } from '../model/object.ts';
import type { Port } from '../things.ts';
import { decodeSegment } from '../service/requests.ts';

/** What the ids, URIs and members of one implementation stand for, so that those of the other can be compared with them. */
export interface Roles {
  /** An object by its id. */
  note(oid: string, role: string): void;
  /** The route that a URI names, with ids as roles, and whether it names the host. */
  routeOf(
    uri: string,
    from: string,
  ): { readonly route: string; readonly form: 'with host' | 'from the host on' | 'relative' };
  /** Role of a member of `data`; undefined where only the SoftType knows it. */
  memberOf(name: string): string | undefined;
  /** What is of this deployment in a text. */
  isOid(text: string): boolean;
}

/** A member that no schema has; what becomes of it is left open. */
export const unknownMember = 'notInAnySchema';

export function openRoles({ loaded: { profile }, shape }: Pick<Party, 'loaded' | 'shape'>): Roles {
  const { primary } = profile.softTypes ?? {};
  const base = basePathOf(profile.baseUrl);
  const ids = new Map<string, string>();
  const fixed: readonly (readonly [string | undefined, string])[] = [
    [primary?.inputSchemaId, '(input schema)'],
    [primary?.outputSchemaId, '(output schema)'],
    [primary?.definitionId, '(definition)'],
    [profile.space, '(space)'],
    [profile.maturity?.processId, '(process)'],
    [profile.maturity?.levelId, '(level)'],
    ...shape.ports.map(({ portId }, index) => [portId, `(port ${index + 1})`] as const),
  ];
  for (const [id, role] of fixed) if (id !== undefined && !ids.has(id)) ids.set(id, role);
  const members = membersOf(shape);
  return {
    note: (oid, role) => ids.set(oid, role),
    isOid: (text) => ids.get(text)?.startsWith('(object') === true,
    memberOf: (name) => (name.startsWith('$') ? name : members.get(name)),
    routeOf: (uri, from) => {
      const url = new URL(uri, from);
      const path = url.pathname.startsWith(base) ? url.pathname.slice(base.length) : url.pathname;
      const names = [...new Set(url.searchParams.keys())].toSorted();
      const query = names.length === 0 ? '' : `?${names.join('&')}`;
      return {
        route:
          path
            .split('/')
            .map((segment) => segmentOf(segment, ids))
            .join('/') + query,
        form: formOf(uri),
      };
    },
  };
}

function membersOf({ scalars, object, ports }: Party['shape']): ReadonlyMap<string, string> {
  return new Map([
    ...scalars.map((name, index) => [name, `(scalar ${index + 1})`] as const),
    ...(object === undefined ? [] : [[object.member, '(object member)'] as const]),
    ...ports.map(({ member }, index) => [member, `(array ${index + 1})`] as const),
    [unknownMember, '(unknown member)'] as const,
  ]);
}

function segmentOf(segment: string, ids: ReadonlyMap<string, string>): string {
  const text = decodeSegment(segment);
  const known = ids.get(text);
  if (known !== undefined) return known;
  if (text === '{pageNumber}') return text;
  if (/^\d+$/.test(text)) return '(number)';
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$|^(?=.*\d)[\w-]{16,}$/i.test(text) ? '(id)' : text;
}

function formOf(uri: string): 'with host' | 'from the host on' | 'relative' {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(uri)) return 'with host';
  return uri.startsWith('/') ? 'from the host on' : 'relative';
}

/** One array as all reads show it. */
interface SeenArray {
  readonly port: Port;
  /** First read and the pages behind page 0, as far as they show other entries. */
  readonly whole: readonly Entry[];
  readonly links: readonly LinkRead[];
}

/** An object as one look at it finds it. */
export interface Seen {
  readonly view: View;
  /** By the short route, else by the long one. */
  readonly instance: Reply;
  readonly data: Readonly<Record<string, unknown>>;
  readonly version: unknown;
  readonly arrays: readonly SeenArray[];
  /** What can be compared with the look of the other one at its object: aspect -> value. */
  readonly facets: ReadonlyMap<string, string>;
}

/** How ids of entries and states of one object are numbered: in the order in which they are first seen. */
export interface Numbering {
  readonly entries: Map<string, number>;
  readonly states: Map<string, number>;
  readonly tags: Map<string, number>;
}

/** Reads an object by all routes. Answers with an unexpected status count as empty. */
export async function look(party: Party, subject: Subject, numbering: Numbering): Promise<Seen | undefined> {
  const { context, shape } = party;
  const view = await readView(context, shape, subject);
  const [instance] = view.instances;
  if (instance === undefined) return undefined;
  const data = dataIn(instance);
  const read = readOf(view, shape.ports);
  const hasLinks = Array.isArray(memberOf(instance, 'links'));
  const arrays = shape.ports.map((port) => ({
    port,
    whole: wholeOf(read, port.member),
    links: hasLinks ? pageLinksOf(instance, port, false) : [],
  }));
  const version = memberOf(instance, 'version');
  const seen = { view, instance, data, version, arrays };
  return { ...seen, facets: facetsOf(party, subject, seen, numbering) };
}

function facetsOf(
  party: Party,
  { thing }: Subject,
  read: Omit<Seen, 'facets'>,
  numbering: Numbering,
): ReadonlyMap<string, string> {
  const { shape, context } = party;
  const { instance, data, version, arrays } = read;
  if (instance.status !== 200) return new Map([['read', String(instance.status)]]);
  const state = isObject(stateFieldOf(context, instance)) ? stateIn(context, instance) : undefined;
  return new Map([
    ['read', '200'],
    ['version', typeof version === 'number' ? `created + ${version - thing.version}` : 'no number'],
    ...shape.scalars.map((name, index) => [`scalar ${index + 1}`, valueText(data[name])] as const),
    ...(shape.object === undefined
      ? []
      : [['object member', innerText(data[shape.object.member], shape.object.scalars)] as const]),
    ...arrays.flatMap((array, index) => arrayFacets(array, index, numbering)),
    ['unknown member', unknownMember in data ? 'shown' : 'not shown'],
    ...(instance.headers['etag'] === undefined
      ? []
      : [['tag of a read', numberOf(instance.headers['etag'], numbering.tags)] as const]),
    ...(typeof state === 'string' ? [['state', numberOf(state, numbering.states)] as const] : []),
  ]);
}

function arrayFacets(
  { port, whole, links }: SeenArray,
  index: number,
  { entries }: Numbering,
): readonly (readonly [string, string])[] {
  const name = `array ${index + 1}`;
  const texts = whole.map((entry) => valueText(entry.members[port.text]));
  return [
    [name, [`${whole.length} entries`, ...texts.toSorted()].join(' ')],
    [`order of ${name}`, texts.join(' ')],
    [`entry ids of ${name}`, whole.map(({ entryId }) => numberOf(entryId, entries)).join(' ')],
    [
      `page links of ${name}`,
      whole.length > entriesPerPage || links.length === 0 ? String(links.length) : 'there, though all is on one page',
    ],
  ];
}

function numberOf(name: string, known: Map<string, number>): string {
  if (!known.has(name)) known.set(name, known.size + 1);
  return String(known.get(name));
}

/** Nothing may be shown as null, as an empty text of its own, or by its absence. */
function valueText(value: unknown): string {
  return value === undefined || value === null ? 'none' : JSON.stringify(value);
}

function innerText(value: unknown, names: readonly string[]): string {
  if (!isObject(value)) return valueText(value);
  const texts = names.map((name) => valueText(value[name]));
  return texts.every((text) => text === 'none') ? 'none' : texts.join(' ');
}

/** `data` of an answer, empty where there is none. */
export function dataIn(reply: Reply): Readonly<Record<string, unknown>> {
  const data = memberOf(reply, 'data');
  return isObject(data) ? data : {};
}
