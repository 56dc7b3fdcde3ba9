import { entriesPerPage } from '../../contract/limits.ts';
import type { Reply } from '../exchange.ts';
import type { Port, Thing } from '../given.ts';
import type { Target } from '../target.ts';
import { PreconditionFailed } from '../violation.ts';
import { isRecord, plainInteger } from './entry.ts';

const mostPages = 1000;

/** The entries of one array port: those of the first read and, where it does not hold all, those of the further pages. */
export async function allEntries(target: Target, thing: Thing, port: Port, read: Reply): Promise<readonly unknown[]> {
  const first = firstEntries(read, port);
  const total = totalOf(read, port);
  if (total === undefined) return entriesByPage(target, thing, port, read);
  return [...first, ...(await pagesUpTo(target, thing, port, total - first.length))];
}

/** The same without trust in the total: pages are read until one is refused or empty. */
export async function entriesByPage(
  target: Target,
  thing: Thing,
  port: Port,
  read: Reply,
): Promise<readonly unknown[]> {
  const found = [...firstEntries(read, port)];
  if (found.length !== entriesPerPage) return found;
  for (let page = 1; page < mostPages; page += 1) {
    const entries = entriesIn(await target.page(thing, page, { port })) ?? [];
    if (entries.length === 0) return found;
    found.push(...entries);
  }
  return found;
}

/** Entries of a port in a read response; also beside `data`, since another rule judges where they stand. */
export function firstEntries(read: Reply, port: Port): readonly unknown[] {
  if (!isRecord(read.json)) return [];
  const { data } = read.json;
  const array = (isRecord(data) ? data[port.member] : undefined) ?? read.json[port.member];
  return Array.isArray(array) ? array : [];
}

/** `totalNumber` of the page link of a port; undefined where there is none. */
export function totalOf(read: Reply, port: Port): number | undefined {
  const links = isRecord(read.json) && Array.isArray(read.json['links']) ? read.json['links'].filter(isRecord) : [];
  const link = links.find((candidate) => candidate['rel'] === 'page' && names(candidate['sectionPath'], port));
  return plainInteger(link?.['totalNumber']);
}

/** `missing` entries beyond the first page, all pages asked for at once. A later page that is refused is the end, page 1 has to be there. */
async function pagesUpTo(target: Target, thing: Thing, port: Port, missing: number): Promise<readonly unknown[]> {
  const count = Math.min(mostPages, Math.max(0, Math.ceil(missing / entriesPerPage)));
  const numbers = Array.from({ length: count }, (_page, index) => index + 1);
  const replies = await Promise.all(numbers.map((number) => target.page(thing, number, { port })));
  return replies.flatMap((reply, index) => entriesIn(reply) ?? (index === 0 ? refuse(reply) : []));
}

function entriesIn(reply: Reply): readonly unknown[] | undefined {
  const data = reply.status === 200 && isRecord(reply.json) ? reply.json['data'] : undefined;
  return Array.isArray(data) ? data : undefined;
}

function refuse(reply: Reply): never {
  throw new PreconditionFailed('page 1 of an array whose total is above ten', reply, [
    'paging.page.documented-route-served',
    'paging.page-body.data-is-array',
    'paging.link.total-number',
  ]);
}

/** Whether a sectionPath names the port: the text that the profile binds, else one that ends with the member or the port id. */
function names(sectionPath: unknown, port: Port): boolean {
  if (port.sectionPath !== undefined) return sectionPath === port.sectionPath;
  const last = String(sectionPath).split(/[/.]/).at(-1)?.toLowerCase();
  return last === port.member.toLowerCase() || last === port.portId.toLowerCase();
}
