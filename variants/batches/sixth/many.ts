import { headerNames } from '../../../contract/names.ts';
import { Step, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, movePath, versionHeader } from '../service.ts';

const movingInBatch = new Step();

const versionName = headerNames.version.toLowerCase();

export const manyAtOnce: Batch = {
  'batch.move-tells-the-former-version': {
    source: 'core: Batch result, body',
    breaks: 'The result of a promote in a batch has the version that the promote made.',
    kind: 'place',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      const version = at(body, '/version');
      if (!call.url.includes('/maturityAction/') || typeof version !== 'number') return body;
      return { href: at(body, '/href'), version: version - 1 };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const { json } = await edda.batch([{ method: 'PUT', href: movePath(made), headers: versionHeader(1) }]);
      return at(json, '/0/body/version') !== 2;
    },
  },
  'batch.moves-without-a-version': {
    source: 'core: Errors 2',
    breaks: 'A promote in a batch needs the version header as one by itself does.',
    kind: 'combination',
    variant: together(
      replaces('batch', 'carryOutOperation', (right, areas, prepared, store) =>
        prepared.call.url.includes('/maturityAction/')
          ? movingInBatch.run(() => right(areas, prepared, store))
          : right(areas, prepared, store),
      ),
      replaces('versioning', 'assertVersion', (right, areas, call, object) =>
        movingInBatch.isOn() && call.headers[versionName] === undefined ? object.version : right(areas, call, object),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.batch([{ method: 'PUT', href: movePath(made) }])).status === 200;
    },
  },
};
