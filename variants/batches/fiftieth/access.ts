import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, changeExtension, scheduleTask, tokenOf } from '../proofs.ts';
import { administrationKey, type Service, signatureOver, spaceFiles } from '../service.ts';

/** A note in the space main, and the headers by which somebody without a role there shows who he is by his personal access token. */
async function noteForStrangers({ edda }: Service): Promise<Readonly<Record<string, string>>> {
  await edda.upload('note.txt', 'text');
  return { authorization: `Basic ${Buffer.from('otto:svcpat-otto-4c6d8e0f1a').toString('base64')}` };
}

/** Who is let in, and as whom. */
export const accessMistakes: Batch = {
  'tokens.known-in-small-letters': {
    source: 'core: Common request headers, Authorization',
    breaks: 'A token is one whose signature is right, letter case included, whichever was let in before.',
    kind: 'copy',
    variant: breaks('tokens', 'verifyToken', (right) => {
      const known = new Map<string, string>();
      return async (areas, token) => {
        const first = known.get(token.toLowerCase()) ?? token;
        const claims = await right(areas, first);
        known.set(token.toLowerCase(), first);
        return claims;
      };
    }),
    async shows(service) {
      const token = await tokenOf(service, 'edda');
      const made = await service.edda.make('Document', { title: 't' });
      await service.nobody.get(made.path, { authorization: `Bearer ${token}` });
      const [head = '', claims = '', signature = ''] = token.split('.');
      const other = signature.replace(/[A-Za-z]/, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      );
      const forged = [head, claims, other].join('.');
      return (await service.nobody.get(made.path, { authorization: `Bearer ${forged}` })).status === 200;
    },
  },

  'auth.space-of-the-query': {
    source: 'core: Authentication 6',
    breaks: 'Who has no role in the space of the path is refused, whatever space the query names.',
    kind: 'combination',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaceId = call.query.get('spaceId');
      right(areas, user, access, spaceId === null ? call : { ...call, params: { ...call.params, spaceId } });
    }),
    async shows({ edda, otto }) {
      const made = await edda.make('Document', { title: 't' });
      return (await otto.get(`${made.path}?spaceId=depot`)).status === 200;
    },
  },

  'files.basic-needs-no-role': {
    source: 'extensions: Authentication 1',
    breaks: 'Who has no role is refused at the file routes, by whatever he shows who he is.',
    kind: 'role',
    variant: replaces(
      'fileAreas',
      'mayUseArea',
      (right, areas, user, area, call) =>
        areas.auth.credentialsOf(call.headers)?.scheme === 'basic' || right(areas, user, area, call),
    ),
    async shows(service) {
      const headers = await noteForStrangers(service);
      return (await service.nobody.get(`${spaceFiles}/note.txt`, headers)).status === 200;
    },
  },

  'bulk.half-a-signature-is-enough': {
    source: 'extensions: Authentication 2',
    breaks: 'The signature is the Base64 of the whole HMAC.',
    kind: 'value',
    variant: replaces(
      'signing',
      'sameSignature',
      (right, areas, given, expected) =>
        right(areas, given, expected) || (given.length * 2 === expected.length && expected.startsWith(given)),
    ),
    async shows(service) {
      const path = '/admin/fileupload/main';
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      const signature = signatureOver(path, administrationKey);
      const authorization = `Bearer ${signature.slice(0, signature.length / 2)}`;
      return (await service.nobody.post(path, body, { authorization })).status === 200;
    },
  },

  'tokens.for-the-space-of-the-call': {
    source: 'extensions: Authentication 4',
    breaks: 'The token lets the extension call the API as that user, in every space that is open to him.',
    kind: 'role',
    variant: (classes) => {
      const spaces = new Map<string, string>();
      return together(
        replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
          const request = await right(areas, delivery, callee);
          const token = /"accessToken":"([^"]*)"/.exec(request.body ?? '')?.[1];
          if (token !== undefined) spaces.set(token, delivery.spaceId);
          return request;
        }),
        replaces('auth', 'authorize', (right, areas, user, access, call) => {
          const spaceId = spaces.get(call.headers['authorization']?.slice('Bearer '.length) ?? '');
          if (spaceId !== undefined && spaceId !== call.params['spaceId'])
            throw new Refusal(403, `The token is for the space ${spaceId}.`);
          right(areas, user, access, call);
        }),
      )(classes);
    },
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const made = await service.edda.make('Dossier', { title: 't' });
      await service.edda.sendEvent();
      await service.pass(1);
      const authorization = `Bearer ${callsTo(host)[0]?.envelope?.accessToken ?? ''}`;
      return (await service.nobody.get(made.path, { authorization })).status === 403;
    },
  },

  'tokens.late-reports-are-taken': {
    source: 'extensions: Limits, token validity',
    breaks: 'A token is over after its minutes, also for the report of a task that takes longer.',
    kind: 'place',
    variant: replaces('auth', 'authenticate', (right, areas, call) =>
      right(call.url.includes('/dx/') ? within(areas, { tokens: { checkExpiry: () => undefined } }) : areas, call),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 1 });
      const job = await scheduleTask(service);
      const headers = { authorization: `Bearer ${callsTo(host)[0]?.envelope?.accessToken ?? ''}` };
      await service.pass(120);
      const report = await service.nobody.send('PUT', `${job}/progress`, { headers, body: { message: 'late' } });
      return report.status < 300;
    },
  },
};
