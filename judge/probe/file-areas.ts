import type { Profile } from '../../contract/profile.ts';
import type { CaseContext } from '../case.ts';
import type { AreaName } from '../files/files.ts';
import { isSuccess } from '../exchange.ts';

/** Nominal chunk sizes that are tried, in bytes; every service takes the last one. Source: extensions, Limits */
const sizes = [1, 1024, 65_536, 262_144, 1_048_576, 4_194_304];

/** What of the files a deployment serves, as the key of its profile. */
export async function filesIn(context: CaseContext): Promise<Profile['files']> {
  const usable = await usableAreas(context);
  const [area] = usable;
  if (area === undefined) return undefined;
  const minChunkSize = await smallestChunkSize(context, area);
  return {
    areas: Object.fromEntries(usable.map((name) => [name, { as: context.files.area(name).as }])),
    ...(minChunkSize !== undefined && { minChunkSize }),
  };
}

/** Areas whose identity can upload a small file, read it and delete it again. */
async function usableAreas({ files, given }: CaseContext): Promise<readonly AreaName[]> {
  const tried = await Promise.all(
    files.areas.map(async (area) => {
      const path = given.filePath();
      const bytes = given.bytes(100);
      const uploaded = await files.upload(area, path, bytes);
      if (uploaded.status >= 300) return [];
      const read = await files.download(area, path);
      const removed = await files.remove(area, path);
      return Buffer.from(read.bytes).equals(bytes) && isSuccess(removed.status) ? [area.name] : [];
    }),
  );
  return tried.flat();
}

/** The smallest nominal chunk size that the service takes; undefined where that is 1, or where it takes no chunks at all. */
async function smallestChunkSize(context: CaseContext, name: AreaName): Promise<number | undefined> {
  for (const size of sizes) if (await takes(context, name, size)) return size === 1 ? undefined : size;
  return undefined;
}

async function takes({ files, given }: CaseContext, name: AreaName, chunkSize: number): Promise<boolean> {
  const area = files.areas.find((each) => each.name === name);
  if (area === undefined) return false;
  const path = given.filePath();
  const replies = await files.chunks(area, { path, file: given.bytes(chunkSize + 1), chunkSize });
  const isTaken = replies.length > 1 && replies.every(({ status }) => isSuccess(status));
  if (isTaken) await files.remove(area, path);
  return isTaken;
}
