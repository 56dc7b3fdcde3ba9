import { link, rename, rm, stat, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { UsageError } from '../usage.ts';

/** @throws {UsageError} the file is there and may not be replaced, or its folder is not there */
export async function assertFree(file: string, force: boolean): Promise<void> {
  if (!(await stat(dirname(file)).catch(() => undefined))?.isDirectory())
    throw new UsageError(`There is no folder ${dirname(file)}; make it, or name another file with --out.`);
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory()) throw new UsageError(`${file} is a folder; name a file with --out.`);
  if (found !== undefined && !force) throw existing(file);
}

/** Writes a file whole or not at all. @throws {UsageError} it is there and may not be replaced, or its folder cannot be written */
export async function writeNew(file: string, text: string, force: boolean): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { flag: 'wx' });
    await (force ? rename(draft, file) : link(draft, file));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw code === 'EEXIST'
      ? existing(file)
      : new UsageError(`Cannot write ${file} (${code}); name another file with --out.`);
  } finally {
    await rm(draft, { force: true });
  }
}

function existing(file: string): UsageError {
  return new UsageError(`${file} is there already; name another file with --out, or replace it with --force.`);
}
