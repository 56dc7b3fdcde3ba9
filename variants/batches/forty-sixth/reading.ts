import { inputJsonSchema } from '../../../reference-server/areas/soft-type.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many, pagePath } from '../service.ts';

/** Spaces, definitions and reads. */
export const readingMistakes: Batch = {
  'root.nested-arrays': {
    source: 'core: What the service does',
    breaks: 'Everything is below the API root, the pages of an array inside an entry too.',
    kind: 'place',
    variant: replaces('entries', 'pageHref', (right, areas, object, view, section, page, filter) => {
      const href = right(areas, object, view, section, page, filter);
      return section.items === undefined ? href : href.replace(/^\/api/, '');
    }),
    async shows({ edda }) {
      const revisions = many(11, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f', revisions }] });
      const links = listAt(await edda.read(made), '/links');
      const link = links.find((candidate) => String(at(candidate, '/sectionPath')).includes('revisions'));
      return !String(at(link, '/href')).startsWith('/api/');
    },
  },

  'schema.input-of-the-same-name': {
    source: 'core: SoftType read response',
    breaks: 'The schema is that of the instance as it is read, where an input schema has the same name too.',
    kind: 'combination',
    survives: 'What the schema of an instance holds is not said: whether data fit it is recorded.',
    variant: replaces('instances', 'schemaOf', (right, areas, softType, view) => {
      const input = softType.inputs.get(view.id);
      return input === undefined ? right(areas, softType, view) : inputJsonSchema(softType, input);
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Requirement', { text: 't', priority: 1 });
      const read = await edda.get(`/api/space/main/softtype/Requirement/requirementText/${oid}`);
      return at(read.json, '/schema/properties/priority') === undefined;
    },
  },

  'page.not-modified': {
    source: 'core: Errors, 200',
    breaks: 'A page is answered with its data, also to a client that names the version as its ETag.',
    kind: 'place',
    survives:
      'Whether reads of SoftTypes have an ETag, be it their version, and are answered by 304 is not said: recorded.',
    variant: replaces('paging', 'readPage', (right, areas, call, reading) =>
      call.headers['if-none-match'] === `"${call.object.version}"`
        ? Promise.resolve({ status: 304 })
        : right(areas, call, reading),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      return (await edda.get(pagePath(made, 'files', 1), { 'If-None-Match': '"1"' })).status === 304;
    },
  },
};
