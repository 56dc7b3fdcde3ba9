import { rightAreas } from '../areas.ts';
import { replaces } from '../../variants/breaks.ts';
import { execFileSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { onBulkStage } from './host.fixture.ts';
import { openedSourceFile } from './bulk-upload.ts';
import { entriesOf } from './bulk-upload.ts';

const [spacePath, space] = ['/admin/fileupload/main', '/api/space/main/fs/file'];

describe('a source file', () => {
  test('is read as long as it was when it was opened', () =>
    onBulkStage(async ({ put, source }) => {
      const path = join(source, 'a');
      await put({ a: 'one' });
      await using file = await openedSourceFile(path);
      await writeFile(path, ' and two', { flag: 'a' });
      expect((await buffer(file.content())).toString()).toBe('one');
    }));

  test('is not deleted once it is another, or has changed', () =>
    onBulkStage(async ({ put, source, left }) => {
      await put({ a: 'one', b: 'one' });
      await using changed = await openedSourceFile(join(source, 'a'));
      await using replaced = await openedSourceFile(join(source, 'b'));
      await writeFile(join(source, 'a'), 'two');
      await put({ c: 'one' });
      await rename(join(source, 'c'), join(source, 'b'));
      for (const file of [changed, replaced]) await expect(file.remove()).rejects.toThrow('it has changed meanwhile');
      expect(await left()).toEqual(['a', 'b']);
      await using same = await openedSourceFile(join(source, 'a'));
      await same.remove();
      expect(await left()).toEqual(['b']);
    }));

  test('is regular, and no link leads there', () =>
    onBulkStage(async ({ put, source }) => {
      await put({ 'in/a': 'one' });
      await symlink('in', join(source, 'link'));
      await symlink('in/a', join(source, 'direct'));
      execFileSync('mkfifo', [join(source, 'pipe')]);
      await expect(openedSourceFile(join(source, 'link', 'a'))).rejects.toThrow('a link is on the way');
      await expect(openedSourceFile(join(source, 'direct'))).rejects.toThrow('a link is on the way');
      for (const path of ['pipe', 'in'])
        await expect(openedSourceFile(join(source, path))).rejects.toThrow('no regular file');
      expect(await entriesOf(join(source, 'link'))).toMatchObject([{ path: [], problem: expect.any(String) }]);
    }));
});

describe('a run', () => {
  test('does not take a file that is cut while it is read', () =>
    onBulkStage(async ({ source, put }) => {
      await put({ a: 'a long text', b: 'one' });
      await onBulkStage(
        async ({ upload, read }) => {
          const { report } = await upload(spacePath, { sourceDirectory: source, deleteFilesAfterUpload: true });
          expect(report.files).toMatchObject([
            { status: 'failed', error: 'it was cut while it was read' },
            { status: 'uploaded' },
          ]);
          expect([await read(`${space}/a`), await read(`${space}/b`)]).toEqual([undefined, 'one']);
          expect(await readFile(join(source, 'a'), 'utf8')).toBe('a lo');
        },
        {
          areas: replaces('fileAreas', 'inTurn', (right, areas, place, work) => {
            if (place.segments[0] === 'a') truncateSync(join(source, 'a'), 4);
            return right(areas, place, work);
          })(rightAreas),
        },
      );
    }));

  test('leaves a source that has changed since it was taken, and says so', () =>
    onBulkStage(async ({ source, put }) => {
      await put({ a: 'one' });
      await mkdir(join(source, 'sub'));
      await onBulkStage(
        async ({ upload, read }) => {
          const { report } = await upload(spacePath, { sourceDirectory: source, deleteFilesAfterUpload: true });
          expect(report.statistics).toMatchObject({ uploaded: 1 });
          expect(report.errors).toEqual([{ path: 'a', error: expect.stringContaining('it has changed meanwhile') }]);
          expect(await read(`${space}/a`)).toBe('one');
          expect(await readFile(join(source, 'a'), 'utf8')).toBe('another');
        },
        {
          areas: replaces('bulkUpload', 'isDeletedAfter', (right, areas, request, file) => {
            writeFileSync(join(source, 'a'), 'another');
            return right(areas, request, file);
          })(rightAreas),
        },
      );
    }));
});
