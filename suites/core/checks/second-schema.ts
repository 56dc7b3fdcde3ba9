import { isDeepStrictEqual } from 'node:util';
import type { SoftTypeProfile } from '../../../contract/profile.ts';
import { entriesPerPage } from '../../../contract/limits.ts';
import { dataOf, entriesOfPage, expandLink, pageLinks, versionOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { isObject } from '../../../judge/json.ts';
import { softTypesOf } from '../../../judge/service/soft-types.ts';
import { withFilter, withValue } from '../../../judge/service/queries.ts';
import type { Thing } from '../../../judge/things.ts';
import { lookAfterEachChange } from './each-change.ts';

/** Nor does the second schema show more to anybody else, whatever the role, and whichever schema was asked for before. */
export async function expectShapedForReaders(
  context: CaseContext,
  thing: Thing,
  { id }: NonNullable<SoftTypeProfile['secondOutputSchema']>,
  lacks: readonly string[],
): Promise<void> {
  const { service, expect, profile } = context;
  for (const as of ['reader', 'secondEditor', 'spaceAdministrator'] as const) {
    if (profile.all.identities[as] === undefined) continue;
    for (const changes of [{ as }, { as, outputSchemaId: id }, { as }]) {
      const read = await service.readLong(thing, changes);
      if (read.status !== 200) continue;
      for (const member of 'outputSchemaId' in changes ? lacks : [])
        expect(dataOf(read)[member], `${member} through the second schema for the ${as}`, read).toSatisfy(
          'left out',
          isLeftOut,
        );
    }
  }
}

/** A filter chooses entries and not members: whether it is taken with the second schema is left to the service, which then shows no more by it. */
export async function expectShapedThoughFiltered(
  context: CaseContext,
  thing: Thing,
  { id }: NonNullable<SoftTypeProfile['secondOutputSchema']>,
  lacks: readonly string[],
): Promise<void> {
  const { service, expect, notes, profile } = context;
  const { fixed, withValue: blank } = profile.all.filters ?? {};
  const requests = [
    ...(fixed === undefined ? [] : [withFilter(context, thing, service.requests.readLong(thing, id))]),
    ...(blank === undefined ? [] : [withValue(context, thing, 'any', service.requests.readLong(thing, id))]),
  ];
  for (const changes of requests) {
    const read = await service.readLong(thing, changes);
    notes.observe('status of a filtered read through the second schema', read.status, read);
    if (read.status !== 200) continue;
    for (const member of lacks)
      expect(dataOf(read)[member], `${member} in a filtered read through the second schema`, read).toSatisfy(
        'left out',
        isLeftOut,
      );
  }
}

/** Nor does the second schema of another SoftType show what the profile says that it lacks. */
export async function expectOtherTypesShaped(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const others = softTypesOf(profile.all).filter(({ definitionId }) => definitionId !== profile.primary.definitionId);
  for (const type of others) {
    const { secondOutputSchema, scalars = [] } = type;
    if (secondOutputSchema === undefined) continue;
    const { id, shows, lacks } = secondOutputSchema;
    const named = scalars.filter((member) => [...shows, ...lacks].includes(member));
    const thing = await given.object(Object.fromEntries(named.map((member) => [member, given.unique()])), { type });
    const [whole, part] = [await service.readLong(thing), await service.readLong(thing, { outputSchemaId: id })];
    expect(part).toAnswer(200);
    for (const member of Object.keys(thing.body).filter((name) => hasValue(dataOf(whole)[name]))) {
      const what = `${member} of a ${type.definitionId} through the second schema`;
      if (lacks.includes(member)) expect(dataOf(part)[member], what, part).toSatisfy('left out', isLeftOut);
      if (shows.includes(member)) expect(dataOf(part)[member], what, part).toSatisfy('there', hasValue);
    }
  }
}

/** Zero and false are values: a member that both schemas show alike, they show alike with these. */
export async function expectSmallValuesThrough(
  context: CaseContext,
  { id }: NonNullable<SoftTypeProfile['secondOutputSchema']>,
): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { scalars = [], numbers = [], flags = [] } = profile.primary;
  const mandatory = Object.keys(given.body());
  const bodies = [[given.unique(), 7, true] as const, ['0', 0, false] as const].map(([text, number, flag]) => ({
    ...Object.fromEntries(scalars.filter((name) => !mandatory.includes(name)).map((name) => [name, text])),
    ...Object.fromEntries(numbers.map((name) => [name, number])),
    ...Object.fromEntries(flags.map((name) => [name, flag])),
  }));
  let alike: readonly string[] = Object.keys(bodies[0] ?? {});
  for (const content of bodies) {
    const body = given.body(content);
    const created = await service.create(body);
    notes.observe(`status of a create with ${Object.values(content).join(', ')}`, created.status, created);
    if (!isSuccess(created.status)) return;
    const thing = await given.found(created, body);
    const [whole, part] = [await service.readLong(thing), await service.readLong(thing, { outputSchemaId: id })];
    const isAlike = (name: string): boolean =>
      dataOf(part)[name] !== undefined && isDeepStrictEqual(dataOf(whole)[name], dataOf(part)[name]);
    if (content === bodies[0]) alike = alike.filter(isAlike);
    else
      for (const name of alike)
        expect(dataOf(part)[name] ?? null, `${name} through the second schema`, part).toEqual(
          dataOf(whole)[name] ?? null,
        );
  }
}

/** Through the second schema the object is the one of the first, after every way to change it. A text that both show alike they go on to show alike. */
export async function expectCurrentThrough(
  context: CaseContext,
  { id, shows }: NonNullable<SoftTypeProfile['secondOutputSchema']>,
): Promise<void> {
  const { given, service, expect, profile } = context;
  const { scalars = [] } = profile.primary;
  const thing = await given.object(Object.fromEntries(scalars.map((member) => [member, given.unique()])));
  const known = [await service.readLong(thing), await service.readLong(thing, { outputSchemaId: id })].map(dataOf);
  const alike = scalars.filter((member) => shows.includes(member) && known[0]?.[member] === known[1]?.[member]);
  const told = (read: Reply): object => ({
    version: versionOf(read),
    $version: dataOf(read)['$version'],
    ...Object.fromEntries(alike.map((member) => [member, dataOf(read)[member] ?? null])),
  });
  await lookAfterEachChange(context, thing, async (when) => {
    const parts = [];
    for (const _ of ['once', 'again']) parts.push(await service.readLong(thing, { outputSchemaId: id }));
    const whole = await service.readLong(thing);
    for (const part of parts) expect(told(part), `what the second schema shows ${when}`, part).toEqual(told(whole));
  });
}

/** What a read through the second schema shows of an array is its first page, and its links lead to the others. */
export async function expectPagesThroughSecond(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { arrayPort, secondArrayPort, secondOutputSchema } = profile.primary;
  if (secondOutputSchema === undefined) return;
  const [count, second] = [12, 21];
  const owner = await given.objectWithEntries(count, secondArrayPort && { second });
  const read = await service.readLong(owner, { outputSchemaId: secondOutputSchema.id });
  if (read.status !== 200) return;
  const links = pageLinks(read);
  for (const [port, length] of [
    [arrayPort, count],
    [secondArrayPort, second],
  ] as const) {
    const shown = port && dataOf(read)[port.member];
    if (port === undefined || !Array.isArray(shown) || shown.length === 0) continue;
    const what = `${length} entries of ${port.member} through the second schema`;
    expect(shown.length, `those shown of ${what}`, read).toSatisfy('at most 10', (found) => found <= entriesPerPage);
    const link = links.find(({ totalNumber }) => totalNumber === length);
    expect(link === undefined, `whether no page link tells of ${what}`, read).toEqual(false);
    if (link === undefined) return;
    const page = await service.get(expandLink(link, 1), { base: read });
    expect(page).toAnswer(200);
    const rest = Math.min(entriesPerPage, length - entriesPerPage);
    expect(entriesOfPage(page).length, `those on page 1 of ${what}`, page).toEqual(rest);
  }
}

export const isLeftOut = (value: unknown): boolean => !hasValue(value);

export function hasValue(value: unknown): boolean {
  return (
    value !== undefined &&
    value !== null &&
    !(Array.isArray(value) && value.length === 0) &&
    !(isObject(value) && Object.keys(value).length === 0)
  );
}
