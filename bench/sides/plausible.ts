import { createServer, type Socket } from 'node:net';
import { listen } from '../../fixtures/listening.fixture.ts';
import { answerParent, settingsOf } from '../harness/parent.ts';
import { entriesPerPage } from '../../contract/limits.ts';
import { headerNames } from '../../contract/names.ts';
import { entriesOfEach, firstVersion, objectIds } from '../traffic/ground.ts';

const objects: ReadonlyMap<string, Changing> = new Map(
  objectIds.map((oid) => [oid, { version: firstVersion, note: 'as it was' }]),
);

const pages = Array.from({ length: Math.ceil(entriesOfEach / entriesPerPage) }, (_page, number) =>
  JSON.stringify(entriesFrom(number * entriesPerPage, Math.min(entriesOfEach, (number + 1) * entriesPerPage))),
);

const versionHeader = new RegExp(`${headerNames.version}: (\\d+)`, 'i');

/**
 * A target that costs as little as Node allows, so that whoever loads it is the bottleneck: bytes of the documents' shape, made
 * beforehand, over bare sockets. It takes well-formed requests without chunked bodies only.
 */
export interface PlausibleSettings {
  /** Whether an edit under a version that is not the latest one is refused, as it should be. */
  readonly refusesOldVersions: boolean;
}

const { refusesOldVersions } = settingsOf<PlausibleSettings>();
const server = createServer({ noDelay: true }, (socket) => {
  let kept = '';
  socket.on('data', (piece: Buffer) => {
    kept = answered(socket, kept + piece.toString('latin1'));
  });
  socket.on('error', () => socket.destroy());
});
const { url } = await listen(server);
answerParent(url, async () => process.exit());

/** Answers the request once it is whole. Returns what is to be kept of it until then. */
function answered(socket: Socket, text: string): string {
  const headEnd = text.indexOf('\r\n\r\n') + 4;
  if (headEnd < 4) return text;
  const head = text.slice(0, headEnd);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  if (text.length < headEnd + length) return text;
  socket.write(answerTo(head, text.slice(headEnd, headEnd + length), refusesOldVersions), 'latin1');
  return answered(socket, text.slice(headEnd + length));
}

/** What an object holds that requests can change. */
interface Changing {
  version: number;
  note: string;
}

/** The answer to a read, a page or a merge edit of one of the objects, as it goes out; a wrong version is refused where `refuses` it. */
function answerTo(head: string, body: string, refuses: boolean): string {
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
