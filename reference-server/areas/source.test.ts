import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { onBulkStage } from './host.fixture.ts';
import { entriesOf } from './bulk-upload.ts';

const [spacePath, space] = ['/admin/fileupload/main', '/api/space/main/fs/file'];

describe('a body', () => {
  test.each([
    ['/sourceDirectory', { sourceDirectory: undefined }],
    ['/sourceDirectory', { sourceDirectory: '' }],
    ['/sourceDirectory', { sourceDirectory: 'relative' }],
    ['/sourceDirectory', { sourceDirectory: '/nowhere/at/all' }],
    ['/sourceDirectory', { sourceDirectory: '/etc/hostname' }],
    ['/sourceDirectory', { sourceDirectory: '/tmp\0' }],
    ['/sourceDirectory', { sourceDirectory: ['/tmp'] }],
    ['/writeLog', { writeLog: undefined }],
    ['/writeLog', { writeLog: 'true' }],
    ['/replaceFiles', { replaceFiles: 1 }],
    ['/deleteFilesAfterUpload', { deleteFilesAfterUpload: null }],
    ['/targetDirectory', { targetDirectory: 1 }],
  ])('is refused at %s: %j', (pointer, change) =>
    onBulkStage(async ({ put, upload, left, read }) => {
      await put({ 'a.txt': 'one' });
      const { status, report } = await upload(spacePath, { deleteFilesAfterUpload: true, ...change });
      expect([status, report]).toMatchObject([400, { pointer }]);
      expect(await left()).toEqual(['a.txt']);
      expect(await read(`${space}/a.txt`)).toBeUndefined();
    }),
  );

  test('about an empty directory is a success of no files', () =>
    onBulkStage(async ({ upload }) => {
      const { status, report } = await upload(spacePath);
      expect([status, report.statistics.total]).toEqual([200, 0]);
    }));
});

describe('directories that may be taken from', () => {
  test('are those that the server was started with, and what is below them', () =>
    onBulkStage(async ({ source: root }) => {
      const allowed = join(root, 'allowed');
      await mkdir(join(allowed, 'below'), { recursive: true });
      await mkdir(join(root, 'allowed-not'));
      await symlink(join(root, 'allowed-not'), join(allowed, 'out'));
      await onBulkStage(
        async ({ upload }) => {
          const statusOf = async (sourceDirectory: string): Promise<number> =>
            (await upload(spacePath, { sourceDirectory })).status;
          expect(await statusOf(allowed)).toBe(200);
          expect(await statusOf(join(allowed, 'below'))).toBe(200);
          expect(await statusOf(`${allowed}/below/..`)).toBe(200);
          for (const elsewhere of [
            root,
            join(root, 'allowed-not'),
            join(allowed, 'out'),
            `${allowed}/..`,
            '/',
            '/nowhere',
          ])
            expect(await statusOf(elsewhere)).toBe(400);
        },
        { bulkSources: [allowed] },
      );
    }));
});

test('a run takes so many files and not one more', () =>
  onBulkStage(async ({ put, source }) => {
    await put({ a: '', 'b/c': '', 'b/d': '' });
    expect((await entriesOf(source, 3)).map(({ path }) => path.join('/'))).toEqual(['a', 'b/c', 'b/d']);
    await expect(entriesOf(source, 2)).rejects.toThrow(/at most 2 files/);
  }));
