import { headerNames } from '../../../contract/names.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at } from '../service.ts';

/** As wide as many a database column. */
const columnChars = 255;

export const editingMistakes: Batch = {
  'editing.long-comments-cut': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'What is created is the content that was sent, also where a text in an entry is long.',
    kind: 'value',
    variant: replaces('contents', 'withEntryIds', (right, areas, items) => {
      return right(areas, items).map((content) => {
        const { comment } = content;
        return typeof comment === 'string' ? { ...content, comment: comment.slice(0, columnChars) } : content;
      });
    }),
    async shows({ edda }) {
      const comment = 'x'.repeat(columnChars + 1);
      const made = await edda.make('Document', { title: 'title', files: [{ name: 'name', comment }] });
      return at(await edda.read(made), '/data/files/0/comment') !== comment;
    },
  },
};

export const versioningMistakes: Batch = {
  'versioning.ahead-is-accepted': {
    source: 'core: Errors 1',
    breaks: 'A version that the object has not reached yet is a mismatch too.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) => sent >= current),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title' });
      return (await edda.merge(made, 2, { note: 'note' })).status !== 409;
    },
  },

  'versioning.not-compared-in-a-batch': {
    source: 'core: Versioning 3',
    breaks: 'The version of an edit is compared, also when the edit is an operation of a batch.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isOperation = 'isSibling' in call;
      return isOperation && areas.versioning.versionHeaderOf(call) < object.version
        ? object.version
        : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title' });
      await edda.merge(made, 1, { note: 'first' });
      const href = `/api/space/main/softtype/Document/documentInput/${made.oid}`;
      const stale = { method: 'PATCH', href, headers: { [headerNames.version]: '1' }, body: { note: 'second' } };
      return (await edda.batch([stale])).status !== 500;
    },
  },
};
