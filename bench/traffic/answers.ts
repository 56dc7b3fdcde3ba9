import { entriesPerPage } from '../../contract/limits.ts';
import { headerNames } from '../../contract/names.ts';
import { entriesOfEach, firstVersion, objectIds } from './ground.ts';

/** What an object holds that requests can change. */
interface Changing {
  version: number;
  note: string;
}

const objects: ReadonlyMap<string, Changing> = new Map(
  objectIds.map((oid) => [oid, { version: firstVersion, note: 'as it was' }]),
);
const pages = Array.from({ length: Math.ceil(entriesOfEach / entriesPerPage) }, (_page, number) =>
  JSON.stringify(entriesFrom(number * entriesPerPage, Math.min(entriesOfEach, (number + 1) * entriesPerPage))),
);
const versionHeader = new RegExp(`${headerNames.version}: (\\d+)`, 'i');

/** The answer to a read, a page or a merge edit of one of the objects, as it goes out; a wrong version is refused where `refuses` it. */
export function answerTo(head: string, body: string, refuses: boolean): string {
  const path = head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/'));
  const parts = path.split('/');
  const [page, oid] = [parts.at(-1), parts.at(-2)];
  if (path.includes('/page/'))
    return answer('200 OK', `{"href":"${path}","data":${pages[Number(page)] ?? '[]'},"links":[]}`);
  const object = objects.get(page ?? '');
  if (object === undefined) return answer('404 Not Found', `{"title":"${oid}/${page} is unknown"}`);
  return head.startsWith('GET')
    ? answer('200 OK', readResponse(path, page ?? '', object))
    : edited(object, head, body, refuses);
}

function edited(object: Changing, head: string, body: string, refuses: boolean): string {
  const stated = Number(versionHeader.exec(head)?.[1]);
  if (refuses && stated !== object.version) return answer('409 Conflict', '{"title":"another version"}');
  object.version += 1;
  object.note = (JSON.parse(body) as { readonly note: string }).note;
  return answer('200 OK', '', `${headerNames.version}: ${object.version}\r\n`);
}

function readResponse(path: string, oid: string, { version, note }: Changing): string {
  const link = `{"rel":"page","sectionPath":"files","pages":${pages.length},"totalNumber":${entriesOfEach},"href":"/page/{pageNumber}"}`;
  return `{"href":"${path}","version":${version},"links":[${link}],"data":{"$oid":"${oid}","$version":${version},"note":"${note}","title":"Measured","files":${pages[0]}}}`;
}

function entriesFrom(from: number, to: number): readonly object[] {
  return Array.from({ length: to - from }, (_, index) => ({
    $entryId: from + index + 1,
    name: `file ${from + index}`,
    comment: 'as delivered',
  }));
}

function answer(status: string, body: string, headers = ''): string {
  return `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n${headers}Content-Length: ${body.length}\r\nDate: Fri, 20 Nov 2026 12:00:00 GMT\r\nConnection: keep-alive\r\nKeep-Alive: timeout=72\r\n\r\n${body}`;
}
