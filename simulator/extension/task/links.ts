import { isObject } from '../envelope.ts';
import { CallbackError } from '../client.ts';
import { withoutSlash } from '../../../contract/address.ts';

/** What a task may call. Source: extensions, External task links */
export interface Link {
  readonly id: string;
  readonly method: string;
  readonly url: string;
}

/** Of more links than these the rest is not looked at. */
const mostLinks = 100;

/** The usable links of a payload, made absolute. */
export function linksIn(links: unknown, baseAddress: string): readonly Link[] {
  if (!Array.isArray(links)) return [];
  return links.slice(0, mostLinks).flatMap((link: unknown) => {
    if (!isObject(link)) return [];
    const { id, method, url } = link;
    if (typeof id !== 'string' || typeof method !== 'string' || typeof url !== 'string') return [];
    return [{ id, method, url: makeAbsolute(url, baseAddress) }];
  });
}

/** @throws {CallbackError} the payload has no such link */
export function linkOf(links: readonly Link[], id: string): Link {
  const link = links.find((link) => link.id === id);
  if (link === undefined) throw new CallbackError(`Expected a link "${id}" in the payload of the task, found none`);
  return link;
}

/** The address that reports a status: `{status}` is filled in, or a segment is added where there is none. */
export function statusUrlOf({ url }: Link, status: string): string {
  return fillPlaceholder(url, 'status', status) ?? withSegments(url, [status]);
}

/** The address of a file: `{path}` is filled in with all of its path, else its segments below the link are added. */
export function fileUrlOf({ url }: Link, path: string, below: string): string {
  return fillPlaceholder(url, 'path', encodedPath(path)) ?? withSegments(url, below.split('/'));
}

/** The token goes into the query where the link waits for one there; undefined where it has to go into a header. */
export function withQueryToken(url: string, token: string): string | undefined {
  const [, query = ''] = url.split('?');
  const given = query.split('&').find((pair) => /^token(=|$)/.test(pair));
  if (given === undefined) return undefined;
  return /^token=./.test(given) ? url : url.replace(/([?&])token=?(?=&|$|#)/, `$1token=${encodeURIComponent(token)}`);
}

/** Path of the job's file in the unmanaged files: what its link has beyond that of the chunked upload; the name alone where they differ. */
export function inputPathOf(links: readonly Link[]): string {
  const input = pathOf(linkOf(links, 'inputFile').url);
  const area = links.find(({ id }) => id === 'uploadFile');
  const prefix = area === undefined ? undefined : `${withoutSlash(pathOf(area.url))}/`;
  const path =
    prefix !== undefined && input.startsWith(prefix) ? input.slice(prefix.length) : (input.split('/').at(-1) ?? '');
  return path.split('/').map(decodeSegment).join('/') || 'input';
}

/** Percent-encoded segment by segment. */
export function encodedPath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function makeAbsolute(url: string, baseAddress: string): string {
  if (URL.canParse(url) || !URL.canParse(url, baseAddress)) return url;
  const base = baseAddress.endsWith('/') ? baseAddress : `${baseAddress}/`;
  return new URL(url, base).href;
}

/** Both spellings: URLs have their braces encoded by some. */
function fillPlaceholder(url: string, name: string, value: string): string | undefined {
  const spelling = [`{${name}}`, `%7B${name}%7D`, `%7b${name}%7d`].find((spelling) => url.includes(spelling));
  return spelling === undefined ? undefined : url.replace(spelling, () => value);
}

function withSegments(url: string, segments: readonly string[]): string {
  const [path = '', ...query] = url.split('?');
  return [`${withoutSlash(path)}/${segments.map(encodeURIComponent).join('/')}`, ...query].join('?');
}

function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : (url.split('?')[0] ?? '');
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
