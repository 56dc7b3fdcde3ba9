import { entriesPerPage } from '../../contract/limits.ts';
import { headerNames, pageNumberTemplate } from '../../contract/names.ts';
import {
  type Entry,
  entriesIn as entriesOfArray,
  type LinkRead,
  pageLinksOf as linksOfArray,
} from '../../contract/judge-read.ts';
import type { SoftTypeProfile } from '../../contract/profile.ts';
import type { Reply } from '../exchange.ts';
import { isObject, memberIn, ownMembers } from '../json.ts';
import { plainInteger } from './target.ts';
import type { Port } from '../things.ts';
import { assertNotLost, PreconditionFailed } from '../violation.ts';

/** `data` of a read response. Throws PreconditionFailed where the content is not in there: other rules judge that. */
export function dataOf(reply: Reply): Readonly<Record<string, unknown>> {
  assertRead(reply);
  const data = memberOf(reply, 'data');
  if (!isObject(data) || Object.keys(data).length === 0)
    throw new PreconditionFailed('a read response with an object in data', reply, ['reading.body.data-is-object']);
  return ownMembers(data);
}

/** Throws PreconditionFailed for a refusal: whether the route answers is judged by the rules about it. */
export function assertRead(reply: Reply): void {
  assertNotLost(reply);
  if (reply.status >= 400)
    throw new PreconditionFailed('an answer with content', reply, [
      'reading.instance.short-route-served',
      'reading.instance.long-route-served',
      'paging.page.documented-route-served',
    ]);
}

/** The version that an answer about anything states: in its version header, else as member of its body. */
export function statedVersion(reply: Reply): number | undefined {
  const body = isObject(reply.json) ? reply.json : {};
  return [reply.headers[headerNames.version.toLowerCase()], body['version'], body['$version']]
    .map(plainInteger)
    .find((version) => version !== undefined);
}

/** The entries of a port in an instance read; an absent array counts as empty. */
export function entriesOf(reply: Reply, port: Port): readonly Entry[] {
  return entriesIn(dataOf(reply)[port.member] ?? [], reply);
}

export function entriesOfPage(reply: Reply): readonly Entry[] {
  if (reply.status !== 200)
    throw new PreconditionFailed('a page answered with 200', reply, [
      'paging.page.documented-route-served',
      'paging.link.expanded-href-works',
    ]);
  return entriesIn(memberOf(reply, 'data'), reply);
}

function entriesIn(array: unknown, reply: Reply): readonly Entry[] {
  if (!Array.isArray(array))
    throw new PreconditionFailed('an array of entries', reply, ['paging.page-body.data-is-array']);
  return entriesOfArray(array);
}

/** Values of the text member, by which the suite tells entries apart. */
export function textsOf(entries: readonly Entry[], port: Port): readonly unknown[] {
  return entries.map((entry) => entry.members[port.text]);
}

export function idsOf(entries: readonly Entry[]): readonly string[] {
  return entries.map((entry) => entry.entryId);
}

/** `version` of a read or page response as it stands there. */
export function versionOf(reply: Reply): unknown {
  assertRead(reply);
  return memberOf(reply, 'version');
}

/** The links of a read response that are objects. */
export function linksOf(reply: Reply): readonly LinkRead[] {
  assertRead(reply);
  const links = memberOf(reply, 'links');
  if (!Array.isArray(links))
    throw new PreconditionFailed('a read response with an array in links', reply, ['reading.body.links-is-array']);
  return links.filter(isObject);
}

export function pageLinks(reply: Reply): readonly LinkRead[] {
  return linksOf(reply).filter((link) => link['rel'] === 'page');
}

/** The page link of a read that has only one: which of several is that of an array of references is not told. */
export function onlyPageLink(reply: Reply): LinkRead | undefined {
  const [link, ...others] = pageLinks(reply);
  return others.length === 0 ? link : undefined;
}

/** Whether a read shows a whole page of an array that the profile does not name, as one that the service itself fills: its link looks like that of an array inside an entry. */
export function hasOtherLongArray(
  read: Reply,
  { arrayPort, secondArrayPort, reference, scalarList }: SoftTypeProfile,
): boolean {
  const named = [arrayPort?.member, secondArrayPort?.member, reference?.port, scalarList];
  return Object.entries(dataOf(read)).some(
    ([name, value]) => Array.isArray(value) && value.length >= entriesPerPage && !named.includes(name),
  );
}

/** The page link of an array of that length inside an entry; undefined where it may be that of an array that the profile does not name. */
export function innerPageLink(read: Reply, type: SoftTypeProfile, length: number): LinkRead | undefined {
  if (hasOtherLongArray(read, type)) return undefined;
  return pageLinks(read).find(({ totalNumber }) => totalNumber === length);
}

export function pageLinksOf(reply: Reply, port: Port, onlyLongArray = true): readonly LinkRead[] {
  return linksOfArray(linksOf(reply), port, onlyLongArray);
}

/** The href of a link as text, with the page number put in. */
export function expandLink(link: LinkRead, pageNumber: number): string {
  return String(link['href']).replaceAll(pageNumberTemplate, String(pageNumber));
}

/** A member of a read or page response. */
export function memberOf(reply: Reply, name: string): unknown {
  return memberIn(reply.json, name);
}

/** The text of an answer to look for something in: JSON with every character as itself, whichever of them the target escaped. */
export function plainTextOf({ json, text }: Pick<Reply, 'json' | 'text'>): string {
  return json === undefined ? text : JSON.stringify(json);
}
