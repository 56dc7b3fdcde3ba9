import type { Party } from './party.ts';

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
  const base = new URL(profile.baseUrl).pathname.replace(/\/$/, '');
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
  const text = decoded(segment);
  const known = ids.get(text);
  if (known !== undefined) return known;
  if (text === '{pageNumber}') return text;
  if (/^\d+$/.test(text)) return '(number)';
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$|^(?=.*\d)[\w-]{16,}$/i.test(text) ? '(id)' : text;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function formOf(uri: string): 'with host' | 'from the host on' | 'relative' {
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(uri)) return 'with host';
  return uri.startsWith('/') ? 'from the host on' : 'relative';
}
