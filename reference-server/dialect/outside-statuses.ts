import { replacing, type Fault } from '../faults/fault.ts';

/** Routes of the second document, and the statuses that stand for those of the plain server there. */
const others: readonly { readonly path: RegExp; readonly statuses: Readonly<Record<number, number>> }[] = [
  { path: /\/fs\/(?:file|dir)(?:[/?]|$)/, statuses: { 201: 200, 204: 200, 400: 422, 409: 403 } },
  { path: /\/dx\/[^/]+\/(?:status|progress)/, statuses: { 204: 200, 400: 422, 409: 410 } },
  { path: /^\/admin\/fileupload/, statuses: { 200: 202, 400: 422 } },
  { path: /\/externalExtension\/acquireAccessToken\//, statuses: { 204: 202, 403: 422, 404: 400 } },
];

/** Other statuses on the routes of files, reports on tasks, bulk upload and keys, none of which the documents name; no Location on uploads. */
export const otherStatusesOutside: Fault = replacing('finish', (right) => async (service, call, answer) => {
  const finished = await right(service, call, answer);
  const found = others.find(({ path }) => path.test(call.url.split('?', 1)[0] ?? ''));
  if (found === undefined || (call.method === 'GET' && finished.status < 400)) return finished;
  const { Location: _, ...headers } = finished.headers ?? {};
  return { ...finished, status: found.statuses[finished.status] ?? finished.status, headers };
});
