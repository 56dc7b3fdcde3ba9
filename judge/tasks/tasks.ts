import type { Changes, Reply } from '../exchange.ts';
import type { Call } from '../extension/call.ts';
import type { Extension, Triggered } from '../extension/extension.ts';
import type { FileArea } from '../files/files.ts';

/** Source: extensions, External task links */
export type LinkId =
  | 'inputDir'
  | 'inputFile'
  | 'taskStatus'
  | 'taskProgress'
  | 'uploadFileStream'
  | 'uploadFile'
  | 'content'
  | 'downloadFile';

/** An entry of `payload.links`. */
export interface TaskLink {
  readonly id: string;
  readonly method: string;
  /** As it came. */
  readonly url: string;
  /** Absolute; what is relative stands from baseAddress of the envelope on. Placeholders are still in it. */
  readonly address: string;
  /** Token of the envelope that it came in. */
  readonly token: string;
}

/** How the token of the envelope travels. `as-told`: the link as it is; `none`: without what the link holds of it. */
export type TokenPlace = 'bearer' | 'query' | 'as-told' | 'none';

/** What a link leaves open. Source: ledger task-link-templates */
export interface LinkFill {
  /** Path of a file, or its name: goes where the link has a placeholder, else behind its path. */
  readonly path?: string;
  /** Goes where the link has a placeholder, else to where the documented route has it. */
  readonly status?: string;
  /** `bearer` unless given. */
  readonly token?: TokenPlace;
}

/** The input file of a task. */
export interface TaskInput {
  readonly area: FileArea;
  /** Below the area, without a slash in front. */
  readonly path: string;
  /** Undefined where the profile fixes the file, which the suite did not make. */
  readonly bytes: Uint8Array | undefined;
}

/** A task that was scheduled and called. */
export interface GivenTask {
  readonly extension: Extension;
  readonly call: Call;
  readonly triggered: Triggered;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly jobId: string;
  /** accessToken of the envelope. */
  readonly token: string;
  /** Undefined where the profile has no space area. */
  readonly input: TaskInput | undefined;
  /** Entries of `payload.links` that have a text each for id, method and url, in their order. */
  readonly links: readonly TaskLink[];
  /** The one of that id. @throws {PreconditionFailed} there is none */
  link(id: LinkId): TaskLink;
}

export interface TaskOptions {
  /** Bytes of the input file; 300 of its own unless given. */
  readonly input?: Uint8Array;
  /** `input.csv` unless given. */
  readonly inputName?: string;
  readonly taskSettings?: Readonly<Record<string, unknown>>;
  /** In seconds; that of the service unless given. */
  readonly timeout?: number;
  /** Changes of the request that schedules the job. */
  readonly changes?: Changes;
  /** Longest wait for the call, in ms of the clock; 10000 unless given. */
  readonly withinMs?: number;
}

/** Source: extensions, External task status */
export type FinalStatus = 'Completed' | 'Canceled' | 'Failed';

/** What an external task may call back, sent with the token of its envelope unless changed. */
export interface Tasks {
  /** The request of a link; method and address come from the link. */
  follow(link: TaskLink, fill?: LinkFill, changes?: Changes): Promise<Reply>;
  /** Names of what a link leaves open, in their order. */
  placeholdersOf(link: TaskLink): readonly string[];
  /** Id of the job as the links for reports name it; undefined where they show none. */
  jobIdIn(task: GivenTask): string | undefined;
  /** The address of a link, filled in. */
  addressOf(link: TaskLink, fill?: LinkFill): string;
  /** PUT on the documented status route; without a body and Content-Type unless one is given. */
  status(task: GivenTask, status: FinalStatus | (string & {}), body?: unknown, changes?: Changes): Promise<Reply>;
  /** PUT on the documented progress route. */
  progress(task: GivenTask, body: unknown, changes?: Changes): Promise<Reply>;
  /** Path of the documented callback routes, from the base URL on: `/api/space/{spaceId}/dx/{jobOid}`. */
  route(jobId: string, space?: string): string;
  /** Needs `job-read`. */
  job(task: GivenTask, changes?: Changes): Promise<Reply>;
  /** Needs `job-read`: reads the job until it is so; the last answer, whether it is so or not. @param withinMs real time; 10000 unless given */
  jobUntil(task: GivenTask, isSo: (job: Reply) => boolean, options?: { readonly withinMs?: number }): Promise<Reply>;
  isFailed(job: Reply): boolean;
  isCompleted(job: Reply): boolean;
  /** State of the job as the service words it; undefined where the profile's pointer finds no text. */
  stateOf(job: Reply): string | undefined;
  /** Whether the text stands where the profile says that progress shows, or anywhere in the job where it says nothing. */
  shows(job: Reply, text: string): boolean;
}

export interface MakesTasks {
  /** Schedules a job with the ExternalTask record of the extension and waits for its call; one at a time on an extension. @throws {PreconditionFailed} no call comes */
  task(extension: Extension, options?: TaskOptions): Promise<GivenTask>;
}
