import { headerNames } from '../../../contract/names.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { listAt, many } from '../service.ts';

const longestPageChars = 48 * 1024;

export const reading: Batch = {
  'paging.page-ends-where-it-gets-long': {
    source: 'core: Server side paging 2',
    breaks: 'A page holds ten entries, however long their texts are.',
    kind: 'value',
    variant: replaces('paging', 'assemblePage', async (right, areas, ...args) => {
      const page = await right(areas, ...args);
      let left = longestPageChars;
      return { ...page, data: page.data.filter((entry) => (left -= JSON.stringify(entry).length) > 0) };
    }),
    async shows({ edda }) {
      const files = many(20, (number) => ({ name: `n${number}`, comment: 'x'.repeat(6000) }));
      const made = await edda.make('Document', { title: 't', files });
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 10;
    },
  },
  'logging.refusals-lack-the-correlation-id': {
    source: 'core: Common request headers',
    breaks: 'All log messages of a request carry its correlation id, that of a refusal too.',
    kind: 'place',
    variant: replaces('messages', 'logRefusal', (_right, areas, call, { status }) => {
      areas.log.warn({ method: call.method, status }, 'refused');
    }),
    survives: 'How the log is read is not said (log-access): its entries are recorded, and fail nobody.',
    async shows({ edda, log }) {
      const id = '0a8a6f0e-6d3c-4b53-9a55-9f0d9ad2d0c1';
      await edda.get('/api/space/main/softtype/none', { [headerNames.correlationId]: id });
      return !(await log(id)).includes('refused');
    },
  },
};
