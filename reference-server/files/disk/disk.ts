import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FilePlace, FileStore } from '../file-store.ts';
import { foundFolder, madeFolder, statsOf, whereabouts } from './folder.ts';
import { infoOf } from './info.ts';
import { listed, openedFile } from './reading.ts';
import { begunFile, openedToGrow, removedFile, withRoom, writtenFile } from './writing.ts';

/** Folder of what is being written, beside those of the areas. */
const incomingFolder = '.incoming';

/** Keeps the areas below a folder, which is made when something is first asked for; without one below a folder that goes when the store is closed. */
export function openFileStore(folder?: string): FileStore {
  const root = rootOf(folder);
  const located = async (place: FilePlace): Promise<{ readonly found?: string; readonly name: string }> => {
    const { folders, name } = whereabouts(place);
    const found = foundFolder(await root.path(), folders);
    return { name, ...(found !== undefined && { found }) };
  };
  const made = async (folders: readonly string[]): Promise<string> => madeFolder(await root.path(), folders);
  return {
    async describe(place) {
      const { found, name } = await located(place);
      const stats = found === undefined ? undefined : statsOf(join(found, name));
      return stats && infoOf(stats);
    },
    async write(place, content, options = {}) {
      const { folders, name } = whereabouts(place);
      const incoming = await made([incomingFolder]);
      return withRoom(writtenFile(incoming, { folder: () => made(folders), name }, content, options));
    },
    async begin(place, section, beginning) {
      const { folders, name } = whereabouts(place);
      const incoming = await made([incomingFolder]);
      return withRoom(begunFile(incoming, { folder: () => made(folders), name }, section, beginning));
    },
    async openToGrow(place) {
      const { found, name } = await located(place);
      return found === undefined ? undefined : openedToGrow(join(found, name));
    },
    async open(place) {
      const { found, name } = await located(place);
      return found === undefined ? undefined : openedFile(join(found, name));
    },
    async read(place, range) {
      return (await this.open(place))?.stream(range);
    },
    async remove(place) {
      const { found, name } = await located(place);
      return found === undefined ? false : removedFile(found, name);
    },
    async list(place) {
      const { folders, name } = whereabouts(place);
      const found = foundFolder(await root.path(), [...folders, name]);
      return found === undefined ? undefined : listed(found);
    },
    close: () => root.close(),
  };
}

interface Root {
  /** Free of links. */
  path(): Promise<string>;
  close(): Promise<void>;
}

function rootOf(folder: string | undefined): Root {
  let opened: Promise<string> | undefined;
  return {
    path: () => (opened ??= folder === undefined ? temporary() : kept(folder)),
    async close() {
      if (folder === undefined && opened !== undefined)
        await rm(await opened, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

async function temporary(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'svc-files-')));
}

async function kept(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  return realpath(folder);
}
