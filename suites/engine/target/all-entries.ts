import { entriesPerPage } from '../../../contract/limits.ts';
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
  if (total !== undefined) return [...first, ...(await pagesUpTo(target, thing, port, total - first.length))];
  return first.length === entriesPerPage ? [...first, ...(await pagesUntilEmpty(target, thing, port))] : first;
}

/** Entries of a port in a read response. */
export function firstEntries(read: Reply, port: Port): readonly unknown[] {
  const data = isRecord(read.json) ? read.json['data'] : undefined;
  const array = isRecord(data) ? data[port.member] : undefined;
  return Array.isArray(array) ? array : [];
}

/** `totalNumber` of the page link of a port; undefined where there is none. */
export function totalOf(read: Reply, port: Port): number | undefined {
  const links = isRecord(read.json) && Array.isArray(read.json['links']) ? read.json['links'].filter(isRecord) : [];
  const link = links.find((candidate) => candidate['rel'] === 'page' && names(candidate['sectionPath'], port));
  return plainInteger(link?.['totalNumber']);
}

/** `missing` entries beyond the first page, all pages asked for at once. */
async function pagesUpTo(target: Target, thing: Thing, port: Port, missing: number): Promise<readonly unknown[]> {
  const count = Math.min(mostPages, Math.max(0, Math.ceil(missing / entriesPerPage)));
  const replies = await Promise.all(
    Array.from({ length: count }, (_page, index) => target.page(thing, index + 1, { port })),
  );
  return replies.flatMap((reply) => entriesIn(reply) ?? refuse(reply));
}

/** Without a total: a page that is refused or empty is the end. */
async function pagesUntilEmpty(target: Target, thing: Thing, port: Port): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (let page = 1; page < mostPages; page += 1) {
    const entries = entriesIn(await target.page(thing, page, { port })) ?? [];
    if (entries.length === 0) return found;
    found.push(...entries);
  }
  return found;
}

function entriesIn(reply: Reply): readonly unknown[] | undefined {
  const data = reply.status === 200 && isRecord(reply.json) ? reply.json['data'] : undefined;
  return Array.isArray(data) ? data : undefined;
}

function refuse(reply: Reply): never {
  throw new PreconditionFailed('a page of the array', reply, [
    'paging.page.documented-route-served',
    'paging.page-body.data-is-array',
  ]);
}

/** Whether a sectionPath names the port: the text that the profile binds, else one that ends with the member or the port id. */
function names(sectionPath: unknown, port: Port): boolean {
  if (port.sectionPath !== undefined) return sectionPath === port.sectionPath;
  const last = String(sectionPath).split(/[/.]/).at(-1)?.toLowerCase();
  return last === port.member.toLowerCase() || last === port.portId.toLowerCase();
}
