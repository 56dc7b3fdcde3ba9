import type { Profile } from '../../contract/profile.ts';
import { isObject, pointer, valueAt } from '../json.ts';

type Bound = Pick<Profile, 'multiCreate'>;
type Item = { readonly $id: string };

/**
 * URI or id of the object that each item of a multi-create became, by the pointers of the profile, else by the `href` members of the answer, of
 * which there has to be one for each item; undefined where the answer does not tell them all.
 */
export function namesOfCreated(
  profile: Bound,
  answer: unknown,
  items: readonly Item[],
): readonly (string | number)[] | undefined {
  const bound = boundIn(profile, answer, items);
  const names = bound.every(isName) ? bound : hrefsOf(answer);
  return names.length === items.length ? names : undefined;
}

/** Whether such a name is a URI: an id may have slashes in it as well. */
export function isAddress(name: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:)?\/|(?:^|\/)softtype\//i.test(name);
}

/** The same of whatever a request created, by its body and by what was answered: a multi-create, by itself or in a batch, and the creates of a batch. */
export function namesOfAllCreated(profile: Bound, body: unknown, json: unknown): readonly string[] {
  const items = itemsIn(body);
  if (items !== undefined) return eachOf(profile, json, items) ?? hrefsOfCreated(json);
  if (!Array.isArray(body) || !Array.isArray(json)) return hrefsOfCreated(json);
  const { resultInBatch = '/body' } = profile.multiCreate ?? {};
  return json.flatMap((result: unknown, index) => {
    const several = itemsIn(valueAt(body[index], '/body'));
    return (several && eachOf(profile, valueAt(result, resultInBatch), several)) ?? hrefsOfCreated([result]);
  });
}

/** Items of one `$id`, which a service may take, are told apart by their `href` members alone. */
function eachOf(profile: Bound, answer: unknown, items: readonly Item[]): readonly string[] | undefined {
  const names = namesOfCreated(profile, answer, items)?.map(String);
  const areApart = new Set(items.map(({ $id }) => $id)).size === items.length;
  return areApart ? names : (namesOfCreated({}, answer, items)?.map(String) ?? names);
}

function itemsIn(body: unknown): readonly Item[] | undefined {
  if (!Array.isArray(body) || body.length === 0) return undefined;
  return body.every((item) => isObject(item) && '$softType' in item) ? (body as readonly Item[]) : undefined;
}

function boundIn({ multiCreate }: Bound, answer: unknown, items: readonly Item[]): readonly unknown[] {
  const { resultHref = '', resultId } = multiCreate ?? {};
  const at = (template: string, place: number, { $id }: Item) =>
    valueAt(
      answer,
      template.replaceAll('{index}', String(place)).replaceAll('{id}', () => pointer($id).slice(1)),
    );
  return items.map((item, index) => {
    const places = items
      .keys()
      .filter((place) => (resultId === undefined ? place === index : at(resultId, place, item) === item.$id));
    const place = places.next().value;
    return place === undefined ? undefined : at(resultHref, place, item);
  });
}

function isName(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function hrefsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(hrefsOf);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'href' && typeof inner === 'string' ? [inner] : hrefsOf(inner),
  );
}

/** URIs of new objects in the answer to a batch or a multi-create. */
function hrefsOfCreated(json: unknown): readonly string[] {
  if (!Array.isArray(json)) return [];
  return json.flatMap((item: unknown) => {
    if (!isObject(item)) return [];
    const isCreate = !('statusCode' in item) || item['statusCode'] === 201;
    const holder: unknown = 'body' in item ? item['body'] : item;
    if (Array.isArray(holder)) return hrefsOfCreated(holder);
    const href: unknown = valueAt(holder, '/href');
    return isCreate && typeof href === 'string' ? [href] : [];
  });
}
