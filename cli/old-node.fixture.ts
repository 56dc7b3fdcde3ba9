import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';

/** The Node of the system, beside the one that the clone brings, where it is older than what the program needs. */
export const oldNode = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => folder !== '' && !folder.split(sep).includes('node_modules'))
  .map((folder) => join(folder, 'node'))
  .find((file) => existsSync(file) && majorOf(file) < 24);

function majorOf(file: string): number {
  const { stdout } = spawnSync(file, ['--version'], { encoding: 'utf8' });
  return Number(/^v(\d+)/.exec(stdout)?.[1] ?? Number.POSITIVE_INFINITY);
}
