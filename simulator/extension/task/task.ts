import type { Call } from '../calls/call.ts';
import { inputPathOf, linksIn, type Link } from './links.ts';
import { settingsOf, type TaskSettings } from './settings.ts';

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
}

/** Longest part of a job's id that goes into the names of files. */
const mostIdLength = 64;

export function taskOf({ id, accessToken, baseAddress, payload }: Call): Task {
  const settings = settingsOf(payload['taskSettings']);
  return { id, token: accessToken, baseAddress, links: linksIn(payload['links'], baseAddress), settings, log: [] };
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
