import type { Journey } from '../journey.ts';
import type { HttpStep, Result } from '../step.ts';
import { isObject, lastSegment, objectIn, path, pick, readStep } from './words.ts';

/** Pages that one visit turns at most. */
const mostPages = 30;

/** Looks at the instance, then at every page of its array, then at what a filter leaves of it. */
export const reader: Journey = function* (env) {
  const { ground } = env;
  const object = pick(env, ground.objects);
  if (object === undefined) return;
  const read: Result = yield readStep(env, object.oid);
  const { arrayPort } = ground.softType;
  if (arrayPort === undefined) return;
  for (let page = 0; page < Math.min(pagesIn(read, arrayPort.member), mostPages); page += 1) {
    const step: HttpStep = {
      kind: 'http',
      op: 'page',
      method: 'GET',
      path: path(env, 'page', { arrayPortId: arrayPort.portId, objectId: object.oid, pageNumber: page }),
      about: { kind: 'page', oid: object.oid, page },
    };
    yield step;
  }
  if (ground.filter !== undefined) {
    const { path: instance } = readStep(env, object.oid);
    yield {
      kind: 'http',
      op: 'filtered',
      method: 'GET',
      path: `${instance}?softTypeFilterId=${encodeURIComponent(ground.filter.id)}`,
    };
  }
};

/** Pages that the link for the array tells; 0 without one, as everything is in the first read then. */
function pagesIn(read: Result, member: string): number {
  const { links } = objectIn(read);
  if (!Array.isArray(links)) return 0;
  const link = links
    .filter(isObject)
    .find(({ rel, sectionPath }) => rel === 'page' && lastSegment(String(sectionPath)) === member);
  return typeof link?.['pages'] === 'number' ? link['pages'] : 0;
}
