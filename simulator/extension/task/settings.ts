import { isObject } from '../envelope.ts';

/** What the taskSettings of a payload ask of the bundled task; everything may be left out. */
export interface TaskSettings {
  readonly operation: 'upper-case' | 'copy';
  /** Fails with this message after the input was read. */
  readonly fail?: string;
  /** Ends as canceled after the input was read. */
  readonly cancel: boolean;
  /** Uploads no result. */
  readonly noOutput: boolean;
  /** Further time that the task takes, in seconds. */
  readonly seconds: number;
  /** Way of the result; by its size unless given. */
  readonly upload?: 'stream' | 'chunks';
  /** Nominal chunk size, in bytes. */
  readonly chunkSize: number;
  /** Name of the result, without directories. */
  readonly outputName?: string;
}

/** Source: extensions, Limits, chunk size in the sample */
const usualChunkBytes = 4 * 1024 * 1024;
const mostChunkBytes = 64 * 1024 * 1024;

/** Settings that are not understood are left aside. */
export function settingsOf(taskSettings: unknown): TaskSettings {
  const given = isObject(taskSettings) ? taskSettings : {};
  const { operation, fail, cancel, noOutput, seconds, upload, chunkSize, outputName } = given;
  return {
    operation: operation === 'copy' ? 'copy' : 'upper-case',
    ...((fail === true || typeof fail === 'string') && { fail: fail === true ? 'it was told to' : fail }),
    cancel: cancel === true,
    noOutput: noOutput === true,
    seconds: typeof seconds === 'number' && seconds > 0 ? seconds : 0,
    ...((upload === 'stream' || upload === 'chunks') && { upload }),
    chunkSize: isChunkSize(chunkSize) ? chunkSize : usualChunkBytes,
    ...(typeof outputName === 'string' && isFileName(outputName) && { outputName }),
  };
}

function isChunkSize(size: unknown): size is number {
  return Number.isSafeInteger(size) && Number(size) >= 1 && Number(size) <= mostChunkBytes;
}

function isFileName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/.test(name) && name.length <= 200;
}
