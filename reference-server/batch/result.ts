import { headerNames } from '../../contract/names.ts';
import { Refusal } from '../problem.ts';
import type { Answer, Service, SpaceCall } from '../service.ts';

/** Source: core, Batch result */
export interface BatchResult {
  readonly statusCode: number;
  /** What the operation read, or `href` and `version` of what it wrote, or why it failed. */
  readonly body?: unknown;
}

/** 200 or 500 with a result for each operation. Source: core, Batch rules 3 */
export function batchAnswer(service: Service, results: readonly BatchResult[]): Answer {
  return { status: service.behaviours.batchStatus(results), body: results };
}

export function batchStatus(results: readonly BatchResult[]): number {
  return results.some(({ statusCode }) => statusCode >= 400) ? 500 : 200;
}

/** Source: core, Batch result; Batch rules 6; ledger batch-result-body-of-failure, batch-result-body-of-read */
export function operationResult(service: Service, call: SpaceCall, answer: Answer): BatchResult {
  const isWrite = call.method !== 'GET' && answer.status < 400;
  const body = isWrite ? service.behaviours.writtenBody(service, call, answer) : contentOf(answer);
  return { statusCode: answer.status, ...(body === undefined ? {} : { body }) };
}

/** What stands for the headers of an accepted write; a multi-create, which has many objects, names them itself. Source: core, Batch result, body */
export function writtenBody(service: Service, call: SpaceCall, answer: Answer): unknown {
  const { objectId } = call.params;
  const href = answer.headers?.Location ?? (objectId && service.behaviours.locationOf(call.space.id, objectId));
  const version = answer.headers?.[headerNames.version];
  if (href === undefined) return contentOf(answer);
  return { href, ...(version === undefined ? {} : { version: Number(version) }) };
}

/** One result for each operation, of which one failed. Source: core, Batch rules 3 */
export function resultsOfUndone(
  service: Service,
  batch: SpaceCall,
  count: number,
  failedIndex: number,
  failed: BatchResult,
): readonly BatchResult[] {
  const undone = service.behaviours.siblingResult(service, batch, `Undone, because operation ${failedIndex} failed.`);
  const unbegun = service.behaviours.siblingResult(
    service,
    batch,
    `Not begun, because operation ${failedIndex} failed.`,
  );
  const before = Array.from({ length: failedIndex }, () => undone);
  const behind = Array.from({ length: count - failedIndex - 1 }, () => unbegun);
  return [...before, failed, ...behind];
}

/** The result of an operation that another one took along. Source: RFC 4918 section 11.4; ledger batch-sibling-statuses */
export function siblingResult(service: Service, batch: SpaceCall, detail: string): BatchResult {
  const answer = service.behaviours.problemAnswer(service, batch, new Refusal(424, detail));
  const body = contentOf(answer);
  return { statusCode: answer.status, ...(body === undefined ? {} : { body }) };
}

/** The JSON value of an answer, or its text where that is none. */
function contentOf({ body, raw }: Answer): unknown {
  if (raw === undefined) return body;
  const text = raw.toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
