import { isObject } from '../envelope.ts';
import type { Step } from '../step.ts';
import { CallbackError } from '../work/client.ts';
import type { WorkingHost } from '../working-host.ts';
import { callbackHeaders, type Call } from './call.ts';

/** Routes that one event may have read. */
const mostReads = 10;

/** Takes an event, also one that comes again. Source: extensions, Events 1 and 2 */
export async function eventAnswer(host: WorkingHost, call: Call): Promise<Step> {
  await host.behaviours.startWork(host, call, (signal) => host.behaviours.workOnEvent(host, call, signal));
  return { status: 200 };
}

/**
 * `read` of the content payload is a route, or some, to GET at the base address with the token of the envelope; `bulkUpload` is a
 * `{ route, body }` to POST there with the administration key of the host. Other content is only kept in the journal.
 * One that fails does not keep the other from its end. @throws {CallbackError | OutOfTimeError}
 */
export async function workOnEvent(host: WorkingHost, call: Call, signal: AbortSignal): Promise<void> {
  const content = call.payload['contentPayload'];
  if (!isObject(content)) return;
  const works = await Promise.allSettled([
    readAll(host, call, content['read'], signal),
    uploaded(host, call, content['bulkUpload'], signal),
  ]);
  for (const work of works) if (work.status === 'rejected') throw work.reason;
}

async function readAll(host: WorkingHost, call: Call, read: unknown, signal: AbortSignal): Promise<void> {
  const base = host.behaviours.baseAddressOf(call);
  const headers = callbackHeaders(call.id, host.behaviours.tokenOf(call));
  const routes = [read].flat().filter((route) => typeof route === 'string');
  for (const route of routes.slice(0, mostReads))
    await host.client.demand({ method: 'GET', url: joined(base, route), headers }, signal);
}

async function uploaded(host: WorkingHost, call: Call, bulkUpload: unknown, signal: AbortSignal): Promise<void> {
  if (!isObject(bulkUpload) || typeof bulkUpload['route'] !== 'string') return;
  const { route, body } = bulkUpload;
  const { status } = await host.keys.post(
    host.behaviours.baseAddressOf(call),
    'AdministrationAPI',
    route,
    body,
    signal,
  );
  if (status >= 300) throw new CallbackError(`POST ${route} was answered ${status}`, status);
}

/** Token that speaks for the user behind this call, and for no other. Source: extensions, Authentication 4 */
export function tokenOf({ accessToken }: Call): string {
  return accessToken;
}

/** Where the service of this call is reached. Source: extensions, Call envelope, row baseAddress */
export function baseAddressOf({ baseAddress }: Call): string {
  return baseAddress;
}

/** One slash at the seam. */
export function joined(base: string, route: string): string {
  return `${base.replace(/\/+$/, '')}/${route.replace(/^\/+/, '')}`;
}
