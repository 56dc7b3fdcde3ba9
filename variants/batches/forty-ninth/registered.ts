import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { hostKey } from '../service.ts';

/** What is registered, and the keys that it acquires. */
export const registeredMistakes: Batch = {
  'registered.key-in-the-warning': {
    source: 'extensions: Registered extension, apiKey',
    breaks: 'The key is a secret, also where the metadata of its extension cannot be had.',
    kind: 'combination',
    survives: 'Whether answers of the registration routes tell the key is not said (registration-responses): remarked.',
    variant: replaces('metadata', 'fetchMetadata', async (right, areas, extension, correlationId) => {
      const answer = await right(areas, extension, correlationId);
      return 'warning' in answer ? { warning: `${answer.warning} ${JSON.stringify(extension)}` } : answer;
    }),
    async shows({ cora }) {
      const body = { hostUri: 'http://127.0.0.1:9/nobody', apiKey: hostKey, tokenLifeTime: 60 };
      return (await cora.post('/api/admin/svcExtension', body)).text.includes(hostKey);
    },
  },
};
