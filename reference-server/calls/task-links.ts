import { posix } from 'node:path';
import type { Delivery } from '../delivery/delivery.ts';
import type { Service } from '../service.ts';

/** What a task delivery holds; its links are made anew for each attempt, as one of them holds the token. */
export interface TaskPayload {
  /** In seconds. */
  readonly timeout: number;
  readonly jobSettings: object;
  readonly taskSettings: object;
  /** In the unmanaged files of the space. */
  readonly inputPath: string;
}

export interface TaskLink {
  readonly id: string;
  readonly method: string;
  readonly url: string;
}

/** The payload as an attempt carries it. Source: extensions, Payloads by extension type */
export function payloadOf(service: Service, delivery: Delivery, token: string): unknown {
  if (delivery.kind !== 'task') return delivery.payload;
  const { inputPath, ...payload } = taskPayloadOf(delivery);
  return {
    ...payload,
    links: service.behaviours.taskLinks(service, delivery.spaceId, delivery.envelopeId, inputPath, token),
  };
}

/** Decoder of what the trigger of a task put into its delivery. */
function taskPayloadOf({ payload }: Delivery): TaskPayload {
  return payload as TaskPayload;
}

/**
 * What a task may call, absolute; `{path}` and `{status}` are for it to fill in.
 * Source: extensions, External task links; ledger task-link-templates
 */
export function taskLinks(
  service: Service,
  spaceId: string,
  jobId: string,
  inputPath: string,
  token: string,
): readonly TaskLink[] {
  const space = `${service.behaviours.baseAddressOf(service)}/api/space/${encodeURIComponent(spaceId)}`;
  const files = `${space}/fs/file`;
  const job = `${space}/dx/${encodeURIComponent(jobId)}`;
  const file = encodedPath(inputPath);
  const directory = posix.dirname(file) === '.' ? '' : `/${posix.dirname(file)}`;
  return [
    { id: 'inputDir', method: 'GET', url: `${space}/fs/dir${directory}` },
    { id: 'inputFile', method: 'GET', url: `${files}/${file}?token=${token}` },
    { id: 'taskStatus', method: 'PUT', url: `${job}/status/{status}` },
    { id: 'taskProgress', method: 'PUT', url: `${job}/progress` },
    { id: 'uploadFileStream', method: 'POST', url: `${files}/stream${directory}` },
    { id: 'uploadFile', method: 'POST', url: files },
    { id: 'content', method: 'GET', url: `${files}/{path}` },
    { id: 'downloadFile', method: 'GET', url: `${files}/{path}?token=` },
  ];
}

function encodedPath(path: string): string {
  return path.split('/').filter(Boolean).map(encodeURIComponent).join('/');
}
