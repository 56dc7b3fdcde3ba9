import { execFileSync } from 'node:child_process';
import { endWithTest } from '../../fixtures/end-with-test.fixture.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';

/** A file system of so many bytes, until its test ends; undefined where none can be mounted: root alone may. */
export function mountSmallDisk(bytes: number): string | undefined {
  const folder = makeFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  endWithTest(() => execFileSync('umount', [folder]));
  return folder;
}
