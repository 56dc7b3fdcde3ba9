import { describe, expect, test } from 'vitest';
import { controlledClock } from '../../clock/controlled.ts';
import { logsIn, onBulkStage } from './host.fixture.ts';

const [spacePath, space] = ['/admin/fileupload/main', '/api/space/main/fs/file'];

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
