import type { Profile, SoftTypeProfile } from '../../contract/profile.ts';
import { plainTextOf } from './answers.ts';
import type { CaseContext } from '../case.ts';
import type { Changes, RequestSpec } from '../exchange.ts';
import { isObject } from '../json.ts';
import type { Owner, Thing } from '../things.ts';
import { PreconditionFailed, UnfitProfile } from '../violation.ts';

/** An object with entries that the fixed filter admits and others that it does not, mixed. `second`: how many stand in its second array. */
export async function makeFilterable(
  { given, profile }: CaseContext,
  counts: { readonly matching: number; readonly other: number; readonly second?: number },
): Promise<{ owner: Owner; matching: readonly string[] }> {
  const fixed = profile.all.filters?.fixed;
  const total = counts.matching + counts.other;
  const matches = (index: number) =>
    Math.floor(((index + 1) * counts.matching) / total) > Math.floor((index * counts.matching) / total);
  const owner = await given.objectWithEntries(total, {
    members: (index) => (matches(index) ? fixed?.matching : fixed?.other) ?? {},
    ...(counts.second !== undefined && { second: counts.second }),
  });
  return { owner, matching: owner.texts.filter((_text, index) => matches(index)) };
}

/** Adds the fixed filter to an instance read. */
export function withFilter(
  { service, profile }: CaseContext,
  thing: Thing,
  { url }: RequestSpec = service.requests.read(thing),
): { readonly url: string } {
  return { url: withQuery(url, { softTypeFilterId: profile.all.filters?.fixed?.id ?? '' }) };
}

/** Adds the fixed filter to a page read. */
export function withFilterOnPage({ service, profile }: CaseContext, owner: Thing, pageNumber: number): Changes {
  return {
    url: withQuery(service.requests.page(owner, pageNumber).url, {
      softTypeFilter: profile.all.filters?.fixed?.id ?? '',
    }),
  };
}

/** Adds the filter with a blank value, and that value, to a page read. */
export function withValueOnPage(
  context: CaseContext,
  owner: Owner,
  pageNumber: number,
  value: string,
  url: string = context.service.requests.page(owner, pageNumber).url,
): Changes {
  return {
    url: withQuery(url, {
      softTypeFilter: blankFilter(context).id,
      ...valueParameter(context, value),
    }),
  };
}

/** The same on an instance read. */
export function withValue(
  context: CaseContext,
  thing: Thing,
  value: string,
  { url }: RequestSpec = context.service.requests.read(thing),
): { readonly url: string } {
  return {
    url: withQuery(url, { softTypeFilterId: blankFilter(context).id, ...valueParameter(context, value) }),
  };
}

/** A value of the query by which the filter with a blank one admits what the fixed one does, where both look at the same member. */
export function valueOfFixed({ profile }: CaseContext): string {
  const { fixed, withValue: blank } = profile.all.filters ?? {};
  return String(fixed?.matching[blank?.member ?? ''] ?? 'any');
}

/** Whether the filter with a blank value, given that one, admits what the fixed one does: one of equals that looks at a member by which that tells entries apart. */
export function isFixedByValue(filters: Profile['filters']): boolean {
  const { fixed, withValue: blank } = filters ?? {};
  if (fixed === undefined || blank?.equals !== true) return false;
  const value = fixed.matching[blank.member];
  return value !== undefined && value !== fixed.other[blank.member];
}

function valueParameter(context: CaseContext, value: string): Record<string, string> {
  const { groupId, criteriaPort } = blankFilter(context);
  return { [`${groupId}.${criteriaPort}`]: value };
}

function blankFilter({ profile }: CaseContext): { id: string; groupId: string; criteriaPort: string } {
  return profile.all.filters?.withValue ?? { id: '', groupId: '', criteriaPort: '' };
}

/** The filter of the profile, with another date where the profile says how one is chosen: as a time, or as its day alone. */
export function filterAt(
  { profile }: { readonly profile: { readonly all: Pick<Profile, 'informationFilter'> } },
  time: string,
): Readonly<Record<string, unknown>> {
  const { default: usual, dateMember, dateForm } = profile.all.informationFilter ?? {};
  if (dateMember === undefined) return { ...usual };
  return { ...usual, [dateMember]: dateForm === 'date' ? time.slice(0, 'yyyy-mm-dd'.length) : time };
}

/** The URL with these query parameters added. */
export function withQuery(url: string, parameters: Readonly<Record<string, string>>): string {
  const query = Object.entries(parameters).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return `${url}${url.includes('?') ? '&' : '?'}${query.join('&')}`;
}

/** An index may be behind what was written, in ms. */
const indexingMs = 5000;

/** What a listing has to do before its silence says anything. @throws {UnfitProfile} it does not */
export async function givenListed(context: CaseContext, text: string): Promise<void> {
  if (await isListedSoon(context, text)) return;
  throw new UnfitProfile(
    `a listing (routes.instanceListing of the profile) that shows more for the text of an object, here ${text}, than for a text that none holds`,
  );
}

/** Whether the listing comes to show such an instance. */
export function isListedSoon(context: CaseContext, text: string, type?: SoftTypeProfile): Promise<boolean> {
  return context.clock.look(
    indexingMs,
    () => isListed(context, text, type),
    (isShown) => isShown,
  );
}

/** Whether the listing of the deployment shows an instance of the SoftType that holds this text, and not only the text itself. */
export async function isListed(
  context: CaseContext,
  text: string,
  type: SoftTypeProfile = context.profile.primary,
): Promise<boolean> {
  const { echoes, items } = await listed(context, text, type);
  // a listing of all grows by what others make
  const isFiltered = isFilteredByText(context);
  // a second listing takes its time where there are many instances
  if (echoes === 0 && (items === 0 || !isFiltered)) return false;
  const nothing = await listed(context, context.given.unique('nowhere'), type);
  return echoes > nothing.echoes || (isFiltered && items > nothing.items);
}

/** How much the listing of the deployment shows of instances of the primary SoftType with this text: twice as much for two as for one. */
export async function shareListed(context: CaseContext, text: string): Promise<number> {
  const { echoes, items } = await listed(context, text, context.profile.primary);
  return isFilteredByText(context) ? items : echoes;
}

function isFilteredByText({ profile }: CaseContext): boolean {
  return profile.all.routes?.instanceListing?.includes('{text}') === true;
}

/** How often the listing shows the text, and how many things it lists. */
async function listed(
  { service, profile }: CaseContext,
  text: string,
  { definitionId }: SoftTypeProfile,
): Promise<{ echoes: number; items: number }> {
  const template = profile.all.routes?.instanceListing ?? '';
  const values: Record<string, string> = {
    spaceId: profile.all.space,
    definitionId,
    text,
  };
  const path = template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => encodeURIComponent(values[name] ?? whole));
  const reply = await service.get(path);
  if (reply.status !== 200)
    throw new PreconditionFailed('a listing of instances; see routes.instanceListing in the profile', reply);
  return { echoes: plainTextOf(reply).split(text).length - 1, items: itemsIn(reply.json) };
}

/** Items of all arrays, however deep. */
function itemsIn(value: unknown): number {
  const inside = (values: readonly unknown[]): number => values.reduce<number>((sum, one) => sum + itemsIn(one), 0);
  if (Array.isArray(value)) return value.length + inside(value);
  return isObject(value) ? inside(Object.values(value)) : 0;
}
