import type { Profile, SoftTypeProfile } from '../../contract/profile.ts';
import { isObject } from '../answer.ts';
import { pointer } from '../json-pointer.ts';
import type { CaseContext } from '../case.ts';
import type { Reply } from '../exchange.ts';
import type { Thing } from '../given.ts';

/** Makes two objects at once and looks where the answer names them; undefined where that cannot be told. */
export async function multiCreateOf(context: CaseContext, like: Thing): Promise<Profile['multiCreate']> {
  const { service } = context;
  const reply = await service.multiCreate([itemLike(context, like.type), itemLike(context, like.type)]);
  if (reply.status >= 300) return undefined;
  for (const place of placesOf(reply.json)) {
    const uri = uriOf(reply, place.text, like);
    if (uri !== undefined && (await service.get(uri)).status === 200) return { resultHref: place.pointer };
  }
  return undefined;
}

/** An item with fresh content. */
export function itemLike({ given }: CaseContext, type: SoftTypeProfile) {
  return { $id: given.unique('item'), $softType: type.definitionId, data: given.body({}, type) };
}

interface Place {
  readonly pointer: string;
  readonly text: string;
}

/** Texts below the first element of each array of two. */
function placesOf(json: unknown, before: readonly string[] = []): readonly Place[] {
  if (Array.isArray(json)) return json.length < 2 ? [] : textsIn(json[0], [...before, '{index}']);
  if (!isObject(json)) return [];
  return Object.entries(json).flatMap(([name, value]) => placesOf(value, [...before, name]));
}

function textsIn(value: unknown, path: readonly string[]): readonly Place[] {
  if (typeof value === 'string') return [{ pointer: pointer(...path), text: value }];
  return isObject(value) ? Object.entries(value).flatMap(([name, inner]) => textsIn(inner, [...path, name])) : [];
}

/** A URI below the SoftTypes of the space, or an id put in the place of that of another object. */
function uriOf(reply: Reply, text: string, like: Thing): string | undefined {
  if (/\/softtype\//i.test(text) && URL.canParse(text, reply.url)) return new URL(text, reply.url).href;
  const isId = text.length === like.oid.length && text !== like.type.definitionId && !/[\s/]/.test(text);
  return isId ? like.location.replace(encodeURIComponent(like.oid), encodeURIComponent(text)) : undefined;
}
