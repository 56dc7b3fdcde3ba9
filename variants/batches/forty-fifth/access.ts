import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { scheduleTask } from '../proofs.ts';
import { md5, spaceFiles } from '../service.ts';

/** Who may what, and what is held already. */
export const accessMistakes: Batch = {
  'basic.name-of-another-for-a-chunk': {
    source: 'core: Authentication 5',
    breaks: 'Basic takes the personal access token of the user it names, for a chunk too.',
    kind: 'combination',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      const user = await right(areas, call).catch(() => undefined);
      const credentials = areas.fileAreas.fileCredentialsOf(call);
      const isForm = (call.headers['content-type'] ?? '').startsWith('multipart/');
      if (user !== undefined || !isForm || credentials?.scheme !== 'basic') return user ?? right(areas, call);
      const owner = await areas.auth.userOfCredentials({ scheme: 'bearer', token: credentials.secret });
      return (owner && areas.configuration.users.get(credentials.name)) ?? right(areas, call);
    }),
    async shows({ nobody, emil }) {
      const form = new Response(formOf('chunk.txt', 'content'));
      const answer = await nobody.post(spaceFiles, await form.bytes(), {
        authorization: `Basic ${Buffer.from('emil:svcpat-edda-7d1c0b9e5a').toString('base64')}`,
        'content-type': form.headers.get('content-type') ?? '',
        checksum: md5('content'),
      });
      return answer.status < 400 && (await emil.get(`${spaceFiles}/chunk.txt`)).status === 200;
    },
  },

  'jobs.reports-by-a-role-elsewhere': {
    source: 'core: Authentication 7',
    breaks: 'Reports on a job need a role in the space of that job, not in any.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isReport = access === 'participant' && call.method === 'PUT';
      const holdsAny = [...areas.configuration.spaces.values()].some(
        (space) => areas.auth.rolesOf(user, space).length > 0,
      );
      if (!isReport || !holdsAny) right(areas, user, access, call);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      return (await service.otto.put(`${job}/progress`, undefined, { message: 'm' })).status < 400;
    },
  },
};

/** A file in one chunk. */
function formOf(path: string, content: string): FormData {
  const form = new FormData();
  const texts = {
    resumableTotalSize: content.length,
    resumableChunkNumber: 1,
    resumableChunkSize: content.length,
    resumableCurrentChunkSize: content.length,
    resumableTotalChunks: 1,
    resumableType: 'text/plain',
    resumableFilename: path,
    resumableRelativePath: path,
  };
  for (const [name, text] of Object.entries(texts)) form.set(name, String(text));
  form.set('file', new Blob([content]), path);
  return form;
}
