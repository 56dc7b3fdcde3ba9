import type { CaseContext } from '../case.ts';
import type { AreaName } from '../files/files.ts';

/** Areas whose identity can upload a small file, read it and delete it again. */
export async function usableAreas({ files, given }: CaseContext): Promise<readonly AreaName[]> {
  const tried = await Promise.all(
    files.areas.map(async (area) => {
      const path = given.filePath();
      const bytes = given.bytes(100);
      const uploaded = await files.upload(area, path, bytes);
      if (uploaded.status >= 300) return [];
      const read = await files.download(area, path);
      const removed = await files.remove(area, path);
      return Buffer.from(read.bytes).equals(bytes) && removed.status < 300 ? [area.name] : [];
    }),
  );
  return tried.flat();
}
