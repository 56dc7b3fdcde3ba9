import type { Profile, SoftTypeProfile } from '../../contract/profile.ts';
import { withQuery } from '../filters.ts';
import { entriesOf, isObject } from '../answer.ts';
import { dereferenced, type Json } from '../openapi/document.ts';
import type { CaseContext } from '../case.ts';
import type { Thing } from '../given.ts';
import { portOf } from '../profile.ts';
import { PreconditionFailed } from '../violation.ts';
import type { DescribedOperation } from './described.ts';

/** Filters that the documents name on reads of instances. Source: core, Server side paging 5 */
export interface DescribedFilters {
  readonly ids: readonly string[];
  /** Parameters that carry the value of a filter whose own is blank. */
  readonly values: readonly { readonly groupId: string; readonly criteriaPort: string }[];
}

type Filters = NonNullable<Profile['filters']>;

const mostFilters = 8;
const somethingElse = 'something else';

export function filtersIn(operations: readonly DescribedOperation[]): DescribedFilters {
  const parameters = operations.filter(({ method }) => method === 'GET').flatMap(parametersOf);
  const ids = parameters
    .filter(({ name }) => name === 'softTypeFilterId')
    .flatMap(({ schema }) => textsIn(schema['enum']));
  const dotted = [...new Set(parameters.map(({ name }) => name))].filter((name) => /^[^.]+\.[^.]+$/.test(name));
  return {
    ids: [...new Set(ids)].slice(0, mostFilters),
    values: dotted.slice(0, mostFilters).map((name) => {
      const [groupId = '', criteriaPort = ''] = name.split('.');
      return { groupId, criteriaPort };
    }),
  };
}

/** Those of the filters that are seen to choose entries of the array port by one of their members. */
export async function filtersOf(
  context: CaseContext,
  type: SoftTypeProfile,
  described: DescribedFilters,
): Promise<Filters | undefined> {
  const port = type.arrayPort;
  if (port === undefined || described.ids.length === 0) return undefined;
  const criteria = described.values.map(({ criteriaPort }) => criteriaPort);
  const members = [...new Set([...criteria, ...(port.mandatory === undefined ? [] : [port.mandatory])])].filter(
    (name) => name !== port.text,
  );
  for (const member of members) {
    const withValue = await blankIn(context, type, member, described);
    const fixed = await fixedIn(
      context,
      type,
      member,
      described.ids.filter((id) => id !== withValue?.id),
    );
    if (withValue ?? fixed) return { ...(fixed && { fixed }), ...(withValue && { withValue }) };
  }
  return undefined;
}

async function blankIn(
  context: CaseContext,
  type: SoftTypeProfile,
  member: string,
  { ids, values }: DescribedFilters,
): Promise<Filters['withValue']> {
  const [one, other] = ['one', 'other'] as const;
  const thing = values.length === 0 ? undefined : await holding(context, type, member, [one, other]);
  if (thing === undefined) return undefined;
  for (const id of ids)
    for (const { groupId, criteriaPort } of values) {
      const keptBy = (value: string) =>
        kept(context, thing, member, { softTypeFilterId: id, [`${groupId}.${criteriaPort}`]: value });
      const [first, second] = [await keptBy(one), await keptBy(other)];
      if (first?.join() === one && second?.join() === other) return { id, groupId, criteriaPort, member };
    }
  return undefined;
}

/** The value that a filter admits is nowhere told: its own id is tried, and that in the singular. */
async function fixedIn(
  context: CaseContext,
  type: SoftTypeProfile,
  member: string,
  ids: readonly string[],
): Promise<Filters['fixed']> {
  for (const id of ids) {
    const values = [...new Set([id, id.replace(/ies$/, 'y'), id.replace(/s$/, '')])];
    const thing = await holding(context, type, member, [...values, somethingElse]);
    const [value, ...others] = (thing && (await kept(context, thing, member, { softTypeFilterId: id }))) ?? [];
    if (value !== undefined && others.length === 0 && value !== somethingElse)
      return { id, matching: { [member]: value }, other: { [member]: somethingElse } };
  }
  return undefined;
}

/** An object with an entry for each value of the member; undefined where it is refused. */
async function holding(
  { given }: CaseContext,
  type: SoftTypeProfile,
  member: string,
  values: readonly string[],
): Promise<Thing | undefined> {
  const port = type.arrayPort && portOf(type.arrayPort);
  if (port === undefined) return undefined;
  try {
    const entries = values.map((value) => given.entry(given.unique('probe'), { [member]: value }, port));
    return await given.object({ [port.member]: entries }, { type });
  } catch (error) {
    if (error instanceof PreconditionFailed) return undefined;
    throw error;
  }
}

/** Values of the member in the entries that a filtered read shows; undefined where it is refused. */
async function kept(
  { service }: CaseContext,
  thing: Thing,
  member: string,
  query: Readonly<Record<string, string>>,
): Promise<readonly string[] | undefined> {
  const reply = await service.readLong(thing, { url: withQuery(service.requests.readLong(thing).url, query) });
  if (reply.status !== 200 || thing.type.arrayPort === undefined) return undefined;
  try {
    return entriesOf(reply, portOf(thing.type.arrayPort)).map(({ members }) => String(members[member]));
  } catch (error) {
    if (error instanceof PreconditionFailed) return undefined;
    throw error;
  }
}

function parametersOf({
  document,
  definition,
}: DescribedOperation): readonly { readonly name: string; readonly schema: Json }[] {
  const stated: readonly unknown[] = Array.isArray(definition['parameters']) ? definition['parameters'] : [];
  return stated.flatMap((each) => {
    const parameter = dereferenced(document, each);
    if (!isObject(parameter) || parameter['in'] !== 'query') return [];
    const schema = dereferenced(document, parameter['schema']);
    // 2.0 has no schema here
    return [{ name: String(parameter['name']), schema: isObject(schema) ? schema : parameter }];
  });
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
