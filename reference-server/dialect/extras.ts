import { routes } from '../../contract/routes.ts';
import type { Link } from '../../contract/wire.ts';
import { isoTime } from '../clock/iso-time.ts';
import { replacing, together, type Fault } from '../faults/fault.ts';
import { editHref } from '../hypermedia/hrefs.ts';
import { changingObjects } from './json.ts';

/** Every shape of the document has members that the document does not name; one of them changes from read to read. */
export const furtherMembers: Fault = together(
  replacing('systemMembers', (right) => (object) => ({
    ...right(object),
    $createdBy: 'somebody',
    $labels: ['strange'],
    $locked: null,
  })),
  replacing('entryOut', (right) => (service, space, member, entry) => ({
    ...right(service, space, member, entry),
    $kind: member.kind,
    $ordinal: null,
  })),
  replacing(
    'linksOf',
    (right) =>
      (...args) =>
        right(...args).map((link) => ({ ...link, title: `To ${link.rel}`, templated: link.rel === 'page' })),
  ),
  replacing('assembleInstance', (right) => async (...args) => ({
    ...(await right(...args)),
    kind: 'instance',
    warnings: [],
  })),
  changingObjects((object, _call, { clock }) =>
    isFrame(object) ? { ...object, servedAt: isoTime(clock.now()) } : object,
  ),
);

function isFrame(object: object): boolean {
  return 'href' in object && 'data' in object;
}

/** A page has links and a schema, as an instance has. */
export const pagesWithLinks: Fault = replacing(
  'assemblePage',
  (right) => async (service, call, reading, object, view, section, page, filter) => {
    const body = await right(service, call, reading, object, view, section, page, filter);
    const softType = service.behaviours.softTypeOf(service, call.space, object.softType);
    const owner = { rel: 'up', href: service.behaviours.instanceHref(service, object, softType, view), method: 'GET' };
    return { ...body, pageNumber: page, links: [owner], schema: service.behaviours.schemaOf(softType, view) };
  },
);

/** Links of kinds of its own, and other names for those that the server has; the order is turned round. */
export const furtherLinks: Fault = replacing('operationLinks', (right) => (service, object, softType, view) => {
  const described = `/api${routes.openApiDynamic}`.replace('{spaceId}', encodeURIComponent(object.spaceId));
  const alternates = [...softType.outputs.values()].map((other): Link => ({
    rel: 'alternate',
    href: service.behaviours.instanceHref(service, object, softType, other),
    method: 'GET',
  }));
  const create = editHref(object, softType).split('/').slice(0, -1).join('/');
  return [
    ...right(service, object, softType, view).map((link) => ({ ...link, rel: `strange:${link.rel}` })),
    { rel: 'describedby', href: described, method: 'GET' },
    ...alternates,
    { rel: 'strange:create', href: create, method: 'POST' },
  ].reverse();
});
