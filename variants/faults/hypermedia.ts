import { type Variant, type Variants, replaces } from '../breaks.ts';
import { type Json, alterInstance, isJson } from './answers.ts';

export const hypermediaFaults = {
  'hypermedia.link.basic-members': alterLinks(
    (link) => link['rel'] !== 'page',
    ({ method: _left, ...link }) => link,
  ),

  'hypermedia.link.paging-members': alterLinks(
    (link) => link['rel'] === 'self',
    (link) => ({ ...link, pages: '1' }),
  ),

  'hypermedia.editor.sees-write-links': replaces('hypermedia', 'operationLinks', () => []),

  'hypermedia.reader.sees-no-write-links': replaces('memory', 'rightsOf', () => 'whoever asks'),

  'hypermedia.link.offered-is-permitted': replaces('hypermedia', 'operationLinks', (right, ...args) => [
    ...right(...args),
    { rel: 'templates', href: '/api/collection/template', method: 'GET' },
  ]),
} satisfies Variants;

/** The fault that changes the links of a read response to which `applies` says so. */
function alterLinks(applies: (link: Json) => boolean, change: (link: Json) => Json): Variant {
  const altered = (link: unknown): unknown => (isJson(link) && applies(link) ? change(link) : link);
  return alterInstance((body) =>
    Array.isArray(body['links']) ? { ...body, links: body['links'].map(altered) } : body,
  );
}
