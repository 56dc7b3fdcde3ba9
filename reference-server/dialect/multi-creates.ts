import { replacing, together, type Fault } from '../faults/fault.ts';
import { restated, restating } from './choice.ts';

/** 200, the objects inside another object, and Location for the first of them. */
export const wrappedCreations: Fault = replacing('multiCreateAnswer', (right) => (service, call, items) => {
  const answer = right(service, call, items);
  const [first] = items;
  const location = first && { Location: service.behaviours.locationOf(call.space.id, first.oid) };
  return {
    ...answer,
    status: 200,
    headers: { ...answer.headers, ...location },
    body: { created: answer.body, count: items.length },
  };
});

/** Too many items are too large, and whatever else is wrong with them is a bad request. */
export const otherItemStatuses: Fault = together(
  replacing(
    'withinLimit',
    (right) => (items) => restating({ 422: items.length === 0 ? 400 : 413 }, () => right(items)),
  ),
  replacing(
    'multiCreate',
    (right) =>
      (...args) =>
        right(...args).catch(restated({ 422: 400 })),
  ),
);

/** No items are soon created. */
export const nothingCreated: Fault = replacing(
  'withinLimit',
  (right) => (items) => (items.length === 0 ? items : right(items)),
);
