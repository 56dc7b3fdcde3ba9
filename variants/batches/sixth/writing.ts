import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, many } from '../service.ts';

export const writing: Batch = {
  'operations.replace-finds-no-empty-text': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'An empty text in an entry is a value that can be replaced.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, place) =>
      right(
        areas,
        run,
        target.kind === 'member' && target.row.entry !== undefined && target.value === ''
          ? { ...target, value: undefined }
          : target,
        value,
        place,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f', comment: '' }] });
      const path = `/files/${String(at(await edda.read(made), '/data/files/0/$entryId'))}/comment`;
      return (await edda.operate(made, 1, [{ op: 'replace', path, value: 'c' }])).status >= 400;
    },
  },
  'operations.entry-path-takes-one-digit': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'The path of an entry that is to be removed names the entry by its whole id.',
    kind: 'value',
    variant: replaces('operations', 'pointerTokens', (right, areas, path) => {
      const tokens = right(areas, path);
      return tokens?.length === 3 && tokens[2] === '' ? [tokens[0] ?? '', (tokens[1] ?? '').slice(0, 1), ''] : tokens;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(12, (n) => ({ name: `f${n}` })) });
      const $entryId = at((await edda.page(made, 'files', 1)).json, '/data/1/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String($entryId)}/` }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/0/name') !== 'f11';
    },
  },
};
