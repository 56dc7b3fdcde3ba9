import { breaks } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';

const profilePath = '/api/collection/user/profile';

export const readingMistakes: Batch = {
  'caching.tag-once-for-each': {
    source: 'core: Common request headers, ETag',
    breaks: 'ETag is returned on each GET of such data, also on the second one by the same user.',
    kind: 'copy',
    variant: breaks('caching', 'conditional', (right) => {
      const told = new Set<string>();
      return (areas, call, answer) => {
        const { headers: { ETag: tag = '', ...others } = {}, ...rest } = right(areas, call, answer);
        const key = `${call.headers['authorization']} ${call.url} ${tag}`;
        const isTold = told.has(key) && call.headers['if-none-match'] === undefined;
        told.add(key);
        return { ...rest, headers: isTold ? others : { ...others, ETag: tag } };
      };
    }),
    async shows({ cora }) {
      await cora.get(profilePath);
      return (await cora.get(profilePath)).headers.get('etag') === null;
    },
  },
};
