import type { CaseContext } from '../case.ts';
import type { AreaName } from '../files/files.ts';

/** Nominal chunk sizes that are tried, in bytes; every service takes the last one. Source: extensions, Limits */
const sizes = [1, 1024, 65_536, 262_144, 1_048_576, 4_194_304];

/** The smallest nominal chunk size that the service takes; undefined where that is 1, or where it takes no chunks at all. */
export async function smallestChunkSize(context: CaseContext, name: AreaName): Promise<number | undefined> {
  for (const size of sizes) if (await takes(context, name, size)) return size === 1 ? undefined : size;
  return undefined;
}

async function takes({ files, given }: CaseContext, name: AreaName, chunkSize: number): Promise<boolean> {
  const area = files.areas.find((each) => each.name === name);
  if (area === undefined) return false;
  const path = given.filePath();
  const replies = await files.chunks(area, { path, file: given.bytes(chunkSize + 1), chunkSize });
  const isTaken = replies.length > 1 && replies.every(({ status }) => status < 300);
  if (isTaken) await files.remove(area, path);
  return isTaken;
}
