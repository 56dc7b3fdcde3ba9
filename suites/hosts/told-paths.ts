import { type Arrival, chunkOf } from '../../judge/host/arrival.ts';
import type { HostContext } from '../../judge/host/context.ts';
import { isObject } from '../../judge/json.ts';
import { decodeSegment } from '../../judge/service/requests.ts';
import { beginTask, type Begun, directoryOf, endMsOf, endOf, pathOf, statusOf, uploadsOf } from './task-work.ts';

/** Whether a path may mean that one, encoded or not: a file may have a name that looks encoded. */
function means(begun: Begun, path: string, there: string): boolean {
  return [path, path.split('/').map(decodeSegment).join('/')].some((name) => isSpelledAs(begun, name, there));
}

/** Whether a path is that one: as one of the file area, or going on from the directory of the input, or with more before it. */
function isSpelledAs({ task }: Begun, path: string, there: string): boolean {
  return path === there || path.endsWith(`/${there}`) || `${directoryOf(task)}${path}` === there;
}

/** Whether a path means the input, or a file that may have come by ways that are not looked at. */
export function isThere(begun: Begun, path: string): boolean {
  const elsewhere = begun.installation.arrivals({ kind: ['other', 'keyed'] });
  return means(begun, path, begun.task.inputPath) || elsewhere.length > 0;
}

/** The upload of the file, where it is none that was there. */
export async function expectThere(
  { clock, notes }: HostContext,
  begun: Begun,
  what: string,
  path: string,
): Promise<Arrival | undefined> {
  if (isThere(begun, path)) return undefined;
  const isNamed = (arrival: Arrival): boolean =>
    means(begun, path, pathOf(arrival)) && !isInRootAlone(begun, path, arrival) && !isCutShort(begun, path, arrival);
  const upload = await begun.installation.arrived({ kind: ['upload', 'chunk'], where: isNamed });
  clock.expectCame(`an upload of the file that ${what} (${path}) names`, upload?.arrivedAt);
  if (upload === undefined) return undefined;
  const odd = oddSpellingOf(begun, path, upload);
  if (odd !== undefined) notes.remark(`${what} (${path}) ${odd}, and the path of the file is ${pathOf(upload)}`);
  return upload;
}

/**
 * Asserts that who sends a result again under another name, as the first is refused, tells the name of what was taken: the first is none of its files.
 * Whether a host does so is not said. Source: extensions, States and transitions
 */
export async function expectNameTaken(context: HostContext): Promise<void> {
  let refused: string | undefined;
  const isRefused = (arrival: Arrival): boolean => pathOf(arrival) === (refused ??= pathOf(arrival));
  const task = await beginTask(context, { sample: context.samples.task('success') }, (place) => {
    for (const kind of ['upload', 'chunk'] as const) place.refuse(kind, 409, isRefused);
  });
  const final = await endOf(context, task, endMsOf(context));
  if (final === undefined || refused === undefined || statusOf(final) !== 'Completed' || isThere(task, refused)) return;
  const { outputFilePath, logFilePath } = isObject(final.json) ? final.json : {};
  if (typeof outputFilePath !== 'string') return;
  const uploads = uploadsOf(task);
  const again = uploads.find(
    (arrival) =>
      !isRefused(arrival) &&
      !means(task, String(logFilePath), pathOf(arrival)) &&
      uploads.some((first) => isRefused(first) && bytesOf(first).equals(bytesOf(arrival))),
  );
  if (again === undefined || means(task, outputFilePath, pathOf(again))) return;
  context
    .expect(
      means(task, outputFilePath, refused) ? 'refused' : 'another',
      `the file that outputFilePath (${outputFilePath}) names, of which ${pathOf(again)} was taken in the place of ${refused}`,
      final.seen,
    )
    .toEqual('another');
}

function bytesOf(arrival: Arrival): Buffer {
  return Buffer.from(chunkOf(arrival)?.bytes ?? arrival.bytes);
}

/** What is odd in how the path of an upload is told, where that is another than its own. */
function oddSpellingOf(begun: Begun, path: string, upload: Arrival): string | undefined {
  const there = pathOf(upload);
  const directory = directoryOf(begun.task);
  if (!isSpelledAs(begun, path, there)) return 'is encoded as in an address';
  if (directory !== '' && `${directory}${path}` === there) return 'goes on from the directory of the input';
  if (path.endsWith(`/${there}`) && /(?:^|\/)fs\/(?:file|dir)\//.test(path.slice(0, -there.length)))
    return 'begins with the path of a route';
  return undefined;
}

/** Whether a path is in the directory of the input, and what was streamed in the root: that is none of its spellings. A chunk may say where it goes from that directory on. */
function isInRootAlone({ task }: Begun, path: string, upload: Arrival): boolean {
  const directory = directoryOf(task);
  return upload.kind === 'upload' && directory !== '' && path === `${directory}${pathOf(upload)}`;
}

/** Whether a file of the directory of the input went into a part of that directory alone: from it on a chunk may say where it goes, or from the area on. */
function isCutShort({ task }: Begun, path: string, upload: Arrival): boolean {
  const [directory, there] = [directoryOf(task), pathOf(upload)];
  const names = directory.split('/').slice(0, -1);
  return (
    path.startsWith(directory) &&
    names.some((_name, index) => index > 0 && `${names.slice(0, index).join('/')}/${there}` === path)
  );
}
