import { basePathOf, lacksBasePath, withoutSlash } from '../../contract/address.ts';
import type { ArrayPortProfile, Profile, SoftTypeProfile } from '../../contract/profile.ts';
import { linksOf } from '../service/answers.ts';
import type { CaseContext } from '../case.ts';
import type { Sent } from '../client/wire.ts';
import { headersIn, type Reply } from '../exchange.ts';
import { portOf } from '../profile.ts';
import { absoluteUrl, decodeSegment, isOfService } from '../service/requests.ts';
import type { Thing } from '../things.ts';
import { insteadOfRefusal, unlessRefused } from '../violation.ts';

/** So many entries are read in pages. Source: core, Server side paging 1 */
const moreThanAPage = 11;

const pagePath = /\/page\/[^/]+\/[^/]+\/([^/]+)\/[^/]+\/[^/]+$/;

/** The path of a link from the base URL on with the names of the profile for its parts; undefined where it leads elsewhere or has a query. */
export function templateOfLink(
  href: string,
  read: Reply,
  profile: Pick<Profile, 'baseUrl'>,
  values: Readonly<Record<string, string>>,
): string | undefined {
  if (!URL.canParse(href, read.url)) return undefined;
  const { origin, pathname, search } = new URL(href, read.url);
  const base = withoutSlash(absoluteUrl(profile, ''));
  if (search !== '' || !(origin + pathname).startsWith(`${base}/`)) return undefined;
  return (origin + pathname)
    .slice(base.length)
    .split('/')
    .map((segment, index, all) => {
      // a space may have the name of a route
      if (all[index - 1] === 'space') return '{spaceId}';
      const found = Object.entries(values).find(([, value]) => value === decodeSegment(segment));
      return found === undefined ? segment : `{${found[0]}}`;
    })
    .join('/');
}

/** Where answers lead. */
export interface Led {
  /** Hosts that the profile does not know as the service: nothing of theirs is followed. */
  readonly strangers: readonly string[];
  /** The path of the base URL, where addresses on its host leave it out. */
  readonly leftOut?: string;
}

export function ledBy(sent: readonly Sent[], profile: Profile): Led {
  const { baseUrl } = profile;
  const led = sent.flatMap(({ exchange: { response } }) => {
    const hrefs = response?.body.replaceAll('\\/', '/').matchAll(/"href"\s*:\s*"((?:https?:\/)?\/[^"?#\s]+)/gi) ?? [];
    return [...headersIn(response?.headers ?? [], 'location'), ...[...hrefs].map(([, address = '']) => address)];
  });
  const addresses = led.flatMap((address) => URL.parse(address, baseUrl) ?? []);
  const strange = addresses.filter(({ protocol, href }) => /^https?:$/.test(protocol) && !isOfService(href, profile));
  return {
    strangers: [...new Set(strange.map(({ host }) => host))],
    ...(addresses.some(({ href }) => lacksBasePath(href, baseUrl)) && { leftOut: basePathOf(baseUrl) }),
  };
}

/** What to do about the path that addresses leave out. */
export function leftOutAdvice(path: string): string {
  return `leave out ${path}, the path of baseUrl: where they lead nowhere, the gateway has to put it into links and Location`;
}

/** What the parts of a path may be of an object. */
export function idsIn({ type, oid }: Thing, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { definitionId, inputSchemaId, outputSchemaId } = type;
  return { objectId: oid, definitionId, inputSchemaId, outputSchemaId, ...more };
}

/** The path by which a link of a read deletes the object; undefined without such a link. */
export async function deletionLinked({ service, profile }: CaseContext, thing: Thing): Promise<string | undefined> {
  return unlessRefused(async () => {
    const read = await service.readLong(thing);
    const link = linksOf(read).find(({ rel, method }) => /^(delete|remove)$/i.test(String(rel)) || method === 'DELETE');
    const template = link && templateOfLink(String(link['href']), read, profile.all, idsIn(thing));
    return template?.includes('{objectId}') === true ? template : undefined;
  });
}

/** The port with the names that page links have for it; as it is where the array is not read in pages. */
export async function withPageNames(
  { given, service }: CaseContext,
  type: SoftTypeProfile,
  port: ArrayPortProfile,
): Promise<ArrayPortProfile> {
  return insteadOfRefusal(port, async () => {
    const entries = Array.from({ length: moreThanAPage }, () => given.entry(given.unique('probe'), {}, portOf(port)));
    const thing = await given.object({ [port.member]: entries }, { type });
    const links = linksOf(await service.readLong(thing)).filter(({ rel }) => rel === 'page');
    const [link] = links;
    if (link === undefined || links.length > 1) return port;
    const { href, sectionPath } = link;
    const portId = decodeSegment(pagePath.exec(String(href))?.[1] ?? port.member);
    const isFixed = typeof sectionPath === 'string' && sectionPath !== '' && !sectionPath.includes(thing.oid);
    return { ...port, ...(isFixed && { sectionPath }), ...(portId !== port.member && { portId }) };
  });
}
