import type { WireAnswer, WireRequest } from '../client/wire.ts';
import {
  directoryAt,
  hostDirectory,
  makeDirectoryAt,
  removeDirectoryAt,
  type SourceDirectory,
} from '../files/source-directory.ts';
import type { BoundProfile } from '../profile.ts';
import { answered, fileScheme, type TimedSent } from './kind.ts';

/** What was done to files on the disk of the service, beside the requests: told as requests to an address of that disk. */

/** The time in a name is another one each time: it is told as zeros. */
const timeInName = /\d{14}/g;
const zeros = '0'.repeat(14);

function timeless(name: string): string {
  return name.replaceAll(timeInName, zeros);
}

/** The directory with everything that is done to it noted. @param path as the service sees it */
export function notedDirectory(directory: SourceDirectory, note: (deed: TimedSent) => void): SourceDirectory {
  const { path } = directory;
  const told = (
    method: string,
    name: string,
    status: number,
    more: { body?: Uint8Array; seen?: string } = {},
  ): void => {
    const request = {
      method,
      url: `${fileScheme}${path}/${timeless(name)}`,
      headers: [],
      ...(more.body && { body: more.body }),
    };
    note({ at: performance.now(), sent: answered(request, { status, body: more.seen ?? '' }) });
  };
  told('PUT', '', 201);
  return {
    path,
    names: async () => {
      const names = await directory.names();
      told('GET', '', 200, { seen: JSON.stringify(names.map(timeless)) });
      return names;
    },
    read: async (name) => {
      const bytes = await directory.read(name);
      told('GET', name, 200, { seen: Buffer.from(bytes).toString() });
      return bytes;
    },
    write: async (name, body) => {
      await directory.write(name, body);
      told('PUT', name, 201, { body });
    },
    remove: async (name) => {
      await directory.remove(name);
      told('DELETE', name, 204);
    },
  };
}

/** Does it again. @param made takes the directories that are made, with what removes them */
export async function doAgain(
  { method, url, body = new Uint8Array() }: WireRequest,
  profile: BoundProfile,
  made: Map<string, () => Promise<void>>,
): Promise<Pick<WireAnswer, 'status' | 'headers' | 'bytes'>> {
  const { path, mountedAt = path } = hostDirectory(profile);
  const [top = '', ...rest] = url.slice(fileScheme.length + path.replace(/[/\\]+$/, '').length + 1).split('/');
  const place = `${mountedAt}/${top}`;
  const directory = directoryAt(place, '');
  const name = rest.join('/');
  const nothing = { status: 200, headers: [], bytes: new Uint8Array() };
  if (method === 'PUT' && name === '') {
    made.set(place, () => removeDirectoryAt(place));
    await makeDirectoryAt(place);
  } else if (method === 'PUT') await directory.write(name, body);
  else if (method === 'DELETE') await directory.remove(name);
  else if (name === '')
    return { ...nothing, bytes: Buffer.from(JSON.stringify((await directory.names()).map(timeless))) };
  else {
    const isMeant = (one: string): boolean => timeless(one) === name;
    return { ...nothing, bytes: await directory.read((await directory.names()).find(isMeant) ?? name) };
  }
  return nothing;
}
