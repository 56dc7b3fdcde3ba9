import { replacing, together, type Fault } from '../faults/fault.ts';
import { withoutHeaders } from './choice.ts';

/** Tags are weak, and equal only to themselves: neither a star nor a list names one. A 304 does not repeat them. */
export const weakTags: Fault = together(
  replacing('etagOf', (right) => (representation) => `W/${right(representation)}`),
  replacing('ifNoneMatch', () => (header, etag) => header === etag),
  replacing('notModified', (right) => (headers) => withoutHeaders(right(headers), 'etag')),
);

/** Instances have tags too, and a conditional read of one that did not change answers 304. */
export const tagsOnInstances: Fault = replacing(
  'readInstance',
  (right) => async (service, call, reading) =>
    service.behaviours.conditional(service, call, await right(service, call, reading)),
);
