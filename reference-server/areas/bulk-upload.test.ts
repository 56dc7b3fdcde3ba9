import { mkdir, symlink, truncate, writeFile, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { onBulkStage, logsIn } from './host.fixture.ts';
import { entriesOf, openedSourceFile } from './bulk-upload.ts';
import { rightAreas } from '../areas.ts';
import { replaces } from '../../variants/breaks.ts';
import { execFileSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { controlledClock } from '../../clock/controlled.ts';

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
        const size = 96 * 1024 * 1024;
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
        expect(most - before).toBeLessThan(72 * 1024 * 1024);
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

describe('the log', () => {
  test('is left in the root, with the content of the answer, whatever else goes', () => {
    const clock = controlledClock({ startAt: Date.UTC(2031, 1, 3, 4, 5, 6, 789) });
    return onBulkStage(
      async ({ put, upload, source, left, read }) => {
        await put({ 'a.txt': 'one', 'in/FileUpload_20310203040506.log': 'not mine' });
        const { report } = await upload(spacePath, {
          writeLog: true,
          deleteFilesAfterUpload: true,
          targetDirectory: 't',
        });
        expect(await left()).toEqual(['FileUpload_20310203040506.log']);
        expect(JSON.parse(Object.values(await logsIn(source))[0] ?? '')).toEqual(report);
        expect(report).toMatchObject({
          settings: {
            area: { kind: 'space', spaceId: 'main' },
            targetDirectory: 't',
            replaceFiles: false,
            writeLog: true,
          },
          startedAt: '2031-02-03T04:05:06.789Z',
          files: [{ path: 'a.txt', status: 'uploaded', size: 3 }, { path: 'in/FileUpload_20310203040506.log' }],
          errors: [],
        });
        const again = await upload(spacePath, { writeLog: true });
        expect(again.report.statistics.total).toBe(0);
        expect(await left()).toEqual(['FileUpload_20310203040506.log', 'FileUpload_20310203040506_1.log']);
        expect(await read(`${space}/t/in/FileUpload_20310203040506.log`)).toBe('not mine');
      },
      { clock },
    );
  });
});
