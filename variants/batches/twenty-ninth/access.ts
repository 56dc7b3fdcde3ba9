import { mediaTypes } from '../../../contract/names.ts';
import { replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, type Service } from '../service.ts';

/** Forms that came with a wish for another form of answer. */
const wished = new WeakSet<object>();

export const accessMistakes: Batch = {
  'token.answer-in-the-form-of-the-request': {
    source: 'core: Authentication 3',
    breaks: 'The answer with the token is JSON, also for a client that takes a form before that.',
    kind: 'value',
    variant: together(
      replaces('grants', 'grantFormOf', (right, areas, call) => {
        const form = right(areas, call);
        if (call.headers['accept']?.startsWith(mediaTypes.form)) wished.add(form);
        return form;
      }),
      replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
        const { body: _json, ...answer } = right(areas, form, token);
        const raw = new URLSearchParams({ access_token: token, token_type: 'Bearer' }).toString();
        const headers = { ...answer.headers, 'Content-Type': mediaTypes.form };
        return wished.has(form) ? { ...answer, headers, raw } : right(areas, form, token);
      }),
    ),
    async shows(service) {
      const { json } = await grant(service, 'edda-password', { accept: `${mediaTypes.form}, application/json` });
      return at(json, '/access_token') === undefined;
    },
  },
};

function basic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function grant({ nobody }: Service, password: string, headers: Readonly<Record<string, string>> = {}) {
  return nobody.post('/auth/token', `grant_type=password&username=edda&password=${password}&scope=All`, {
    authorization: basic('conformance:conformance-secret'),
    'content-type': mediaTypes.form,
    ...headers,
  });
}
