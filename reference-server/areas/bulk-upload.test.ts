import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { onBulkStage } from './host.fixture.ts';

const levels = [
  ['/admin/fileupload', '/api/collection/fs/file'],
  ['/admin/fileupload/main', '/api/space/main/fs/file'],
  ['/admin/fileupload/main/owner', '/api/space/main/participant/owner/fs/file'],
] as const;
const [, [spacePath, space]] = levels;

function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

describe('a run', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => {
    const bytes = Buffer.from(text);
    return !/[\0/\\]|^\.+$/.test(text) && bytes.length < 200 && bytes.toString() === text;
  });
  const tree = fc.dictionary(
    fc.array(name, { minLength: 1, maxLength: 3 }).map((path) => path.join('/')),
    fc.uint8Array({ maxLength: 300 }),
    { maxKeys: 6, noNullPrototype: true },
  );

  test('keeps any structure below any target', () =>
    onBulkStage(async (stage) => {
      let run = 0;
      await fc.assert(
        fc.asyncProperty(tree, fc.array(name, { maxLength: 2 }), async (files, target) => {
          const paths = Object.keys(files);
          fc.pre(!paths.some((path) => paths.some((other) => other.startsWith(`${path}/`))));
          run += 1;
          const directory = `run${run}`;
          const targetDirectory = [`t${run}`, ...target].join('/');
          await mkdir(join(stage.source, directory));
          await stage.put(
            Object.fromEntries(Object.entries(files).map(([path, bytes]) => [join(directory, path), bytes])),
          );
          const sourceDirectory = join(stage.source, directory);
          const { report } = await stage.upload(spacePath, { sourceDirectory, targetDirectory });
          const drive = (path: string): boolean => /^[A-Za-z]:/.test(path);
          fc.pre(!paths.some(drive));
          expect(report.errors).toEqual([]);
          for (const [path, bytes] of Object.entries(files))
            expect(await stage.read(`${space}/${encoded(`${targetDirectory}/${path}`)}`)).toBe(
              new TextDecoder('utf-8', { ignoreBOM: false }).decode(bytes),
            );
          expect(report.statistics).toMatchObject({ total: paths.length, uploaded: paths.length });
        }),
        { numRuns: 40 },
      );
    }));

  test(
    'takes a large file without holding it',
    () =>
      onBulkStage(async ({ put, source, upload, server }) => {
        await put({ 'large.bin': 'start' });
        const size = 200 * 1024 * 1024;
        await truncate(join(source, 'large.bin'), size);
        // of this thread: others share the process
        const held = (): number => {
          const { heapUsed, external } = process.memoryUsage();
          return heapUsed + external;
        };
        const before = held();
        let most = before;
        const watch = setInterval(() => (most = Math.max(most, held())), 20);
        const { report } = await upload(spacePath);
        clearInterval(watch);
        expect(report.files).toEqual([{ path: 'large.bin', status: 'uploaded', size }]);
        expect(most - before).toBeLessThan(150 * 1024 * 1024);
        const headers = { authorization: 'Bearer svcpat-edda-7d1c0b9e5a' };
        const answer = await fetch(`${server.url}${space}/large.bin`, { headers });
        expect(answer.headers.get('content-length')).toBe(String(size));
        await answer.body?.cancel();
      }),
    60_000,
  );
});

describe('the target', () => {
  test.each([['in/deep'], ['/in/deep'], ['in/deep/'], ['/in/deep/']])('%s is one directory', (targetDirectory) =>
    onBulkStage(async ({ put, upload, read }) => {
      await put({ 'x/a.txt': 'one' });
      expect((await upload(spacePath, { targetDirectory })).status).toBe(200);
      expect(await read(`${space}/in/deep/x/a.txt`)).toBe('one');
      expect(await read(`${space}/x/a.txt`)).toBeUndefined();
    }),
  );

  test.each(['../../x', '..', 'a/../b', './a', 'a//b', 'a\\b', 'C:/a', 'a\0b', 'x'.repeat(256)])(
    '%.20j is refused',
    (targetDirectory) =>
      onBulkStage(async ({ put, upload, left }) => {
        await put({ 'a.txt': 'one' });
        expect((await upload(spacePath, { targetDirectory, deleteFilesAfterUpload: true })).status).toBe(400);
        expect(await left()).toEqual(['a.txt']);
      }),
  );

  test('in a space or at a participant that is not there is refused', () =>
    onBulkStage(async ({ put, upload }) => {
      await put({ 'a.txt': 'one' });
      for (const path of ['none', 'main/none', 'depot/owner'])
        expect((await upload(`/admin/fileupload/${path}`)).status).toBe(404);
    }));
});

describe('a file that is there', () => {
  test('and a directory in the way of the other are errors of their file', () =>
    onBulkStage(async ({ put, upload, read, source }) => {
      await put({ 'x/in.txt': 'in', y: 'file' });
      await upload(spacePath, {});
      const other = join(source, 'other');
      await mkdir(join(other, 'y'), { recursive: true });
      await writeFile(join(other, 'x'), 'no');
      await writeFile(join(other, 'y', 'in.txt'), 'no');
      await writeFile(join(other, 'z'), 'yes');
      const { report } = await upload(spacePath, {
        sourceDirectory: other,
        replaceFiles: true,
        deleteFilesAfterUpload: true,
      });
      expect(report.statistics).toEqual({ total: 3, uploaded: 1, replaced: 0, skipped: 0, failed: 2 });
      expect([await read(`${space}/x/in.txt`), await read(`${space}/y`), await read(`${space}/z`)]).toEqual([
        'in',
        'file',
        'yes',
      ]);
    }));
});

describe('links', () => {
  test('are told of and not followed, to files, directories, and in circles', () =>
    onBulkStage(async ({ put, upload, read, source, left }) => {
      await put({ 'in/a.txt': 'one' });
      await symlink('/etc', join(source, 'etc'));
      await symlink('/etc/hostname', join(source, 'in', 'host'));
      await symlink('.', join(source, 'self'));
      await symlink('nowhere', join(source, 'broken'));
      const before = await left();
      const { status, report } = await upload(spacePath, { deleteFilesAfterUpload: true });
      expect([status, report.statistics]).toMatchObject([200, { total: 5, uploaded: 1, failed: 4 }]);
      expect(await read(`${space}/in/host`)).toBeUndefined();
      expect(await left()).toEqual(before.filter((path) => path !== 'in/a.txt'));
    }));
});
