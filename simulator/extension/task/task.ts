import type { Call } from '../call.ts';
import { isObject } from '../envelope.ts';
import { inputPathOf, linksIn, type Link } from './links.ts';

/** Source: extensions, External task status */
export type FinalStatus = 'Completed' | 'Canceled' | 'Failed';

/** Paths in the unmanaged files that a report names. */
export interface ReportedPaths {
  readonly outputFilePath?: string;
  readonly logFilePath?: string;
}

/** How the work on a task ended. */
export interface Outcome {
  readonly status: FinalStatus;
  readonly outputFilePath?: string;
  /** Why there is no result. */
  readonly problem?: string;
  /** The time of the task ran out. */
  readonly isLate?: true;
}

/** A file of a task on its way to the service. */
export interface Upload {
  /** Below the file area, without a slash at its end unless empty. */
  readonly directory: string;
  readonly name: string;
  readonly type: string;
}

/** A job's task as the host sees it. */
export interface Task {
  /** Id of the job, that of the envelope. */
  readonly id: string;
  readonly token: string;
  readonly baseAddress: string;
  readonly links: readonly Link[];
  readonly settings: TaskSettings;
  /** Lines of its log so far. */
  readonly log: string[];
  /** Files of which chunks may be at the service, and not all of them. */
  readonly parts: Set<Upload>;
}

/** Longest part of a job's id that goes into the names of files. */
const mostIdLength = 64;

export function taskOf({ id, accessToken, baseAddress, payload }: Call): Task {
  const settings = settingsOf(payload['taskSettings']);
  const links = linksIn(payload['links'], baseAddress);
  return { id, token: accessToken, baseAddress, links, settings, log: [], parts: new Set() };
}

/** Names that no other job uses, beside the input. @throws {CallbackError} there is no input */
export function namesOf({ id, links, settings }: Task): {
  readonly directory: string;
  readonly output: string;
  readonly log: string;
} {
  const segments = inputPathOf(links).split('/');
  const [, stem = 'input', extension = ''] = /^(.+?)(\.[^.]*)?$/.exec(segments.at(-1) ?? '') ?? [];
  const job = id.replaceAll(/[^A-Za-z0-9-]/g, '').slice(0, mostIdLength) || 'job';
  const directory = segments
    .slice(0, -1)
    .map((segment) => `${segment}/`)
    .join('');
  return { directory, output: settings.outputName ?? `${stem}.${job}.result${extension}`, log: `${stem}.${job}.log` };
}

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
