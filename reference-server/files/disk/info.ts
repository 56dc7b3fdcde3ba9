import type { BigIntStats } from 'node:fs';
import type { FileInfo, PlaceInfo } from '../file-store.ts';

/** Undefined for what is neither a file nor a directory; a link is neither. */
export function infoOf(stats: BigIntStats): PlaceInfo | undefined {
  if (stats.isFile()) return fileInfoOf(stats);
  return stats.isDirectory() ? { kind: 'directory', modifiedAt: Number(stats.mtimeMs) } : undefined;
}

export function fileInfoOf(stats: BigIntStats): FileInfo {
  return {
    kind: 'file',
    size: Number(stats.size),
    modifiedAt: Number(stats.mtimeMs),
    stamp: stampOf(stats),
    fileId: stats.ino.toString(36),
  };
}

export function stampOf({ ino, size, mtimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs].map((number) => number.toString(36)).join('-');
}
