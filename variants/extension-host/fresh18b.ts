import { setTimeout as sleep } from 'node:timers/promises';
import { breaks } from './choice.ts';

export const fresh18bHosts = {
  'fresh18b.host.verdicts-meet': breaks('calls', 'answerValidation', (right) => {
    let last: unknown;
    return async (call) => {
      last = call.payload['objectId'];
      await sleep(5);
      return right({ ...call, payload: { ...call.payload, objectId: last } });
    };
  }),
  'fresh18b.host.one-id-one-work': breaks('background', 'start', (right) => {
    const ids = new Set<string>();
    return (call, work) => {
      if (ids.has(call.id)) return undefined;
      ids.add(call.id);
      return right(call, work);
    };
  }),
  'fresh18b.host.one-chunk-too-many-told': breaks(
    'uploads',
    'formOf',
    (right) => (file, chunk) => right(file, { ...chunk, chunks: Math.floor(chunk.size / chunk.chunkSize) + 1 }),
  ),
  'fresh18b.host.token-of-the-first-task': breaks('reports', 'statusHeaders', (right) => {
    const first = new Map<string, string>();
    return (task, status) => {
      const token = first.get(task.baseAddress) ?? task.token;
      first.set(task.baseAddress, token);
      return right({ ...task, token }, status);
    };
  }),
  'fresh18b.host.signature-once-right': breaks('signing', 'isAdmitted', (right) => {
    const known = new Set<string>();
    return (entry) => {
      const isAdmitted = right(entry);
      const presented = entry.signature?.presented;
      if (isAdmitted && presented !== undefined) known.add(presented);
      return isAdmitted || (presented !== undefined && known.has(presented));
    };
  }),
  'fresh18b.host.nothing-new-at-the-second-exchange': breaks('metadata', 'answer', (right) => {
    let count = 0;
    return () => {
      count += 1;
      return count === 1 ? right() : { status: 200, json: [] };
    };
  }),
  'fresh18b.host.equal-results-are-one': breaks(
    'calls',
    'batchResults',
    (right) => (results) => right([...new Map(results.map((result) => [JSON.stringify(result), result])).values()]),
  ),
  'fresh18b.host.chunks-know-one-directory': breaks(
    'uploads',
    'formOf',
    (right) => (file, chunk) => right({ ...file, directory: file.directory.split('/').slice(-2).join('/') }, chunk),
  ),
} as const;
