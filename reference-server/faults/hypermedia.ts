import type { Json } from './answer.ts';
import { isJson } from './answer.ts';
import { replacing, type Fault, type FaultsOf } from './fault.ts';
import { instanceAltered } from './reads.ts';

export const hypermediaFaults: FaultsOf<'hypermedia'> = {
  'hypermedia.link.basic-members': linksAltered(
    (link) => link['rel'] !== 'page',
    ({ method: _left, ...link }) => link,
  ),

  'hypermedia.link.paging-members': linksAltered(
    (link) => link['rel'] === 'self',
    (link) => ({ ...link, pages: '1' }),
  ),

  'hypermedia.editor.sees-write-links': replacing('operationLinks', () => () => []),

  'hypermedia.reader.sees-no-write-links': replacing('rightsOf', () => () => 'whoever asks'),

  'hypermedia.link.offered-is-permitted': replacing('operationLinks', (right) => (...args) => [
    ...right(...args),
    { rel: 'templates', href: '/api/collection/template', method: 'GET' },
  ]),
};

/** The fault that changes the links of a read response to which `applies` says so. */
function linksAltered(applies: (link: Json) => boolean, change: (link: Json) => Json): Fault {
  const altered = (link: unknown): unknown => (isJson(link) && applies(link) ? change(link) : link);
  return instanceAltered((body) =>
    Array.isArray(body['links']) ? { ...body, links: body['links'].map(altered) } : body,
  );
}
