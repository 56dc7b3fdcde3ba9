import type { Claims } from '../../../reference-server/areas/tokens.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import { always, awaitCalls, callsTo, recordOf, task } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { changeExtension, claimsIn, claimsOf, eventsPath, registerEndpoint, scheduleTask } from '../proofs.ts';
import { at, hostKey, spaceFiles } from '../service.ts';
import { changes, firstAtItsHost, keeps } from '../variant-parts.ts';

export const callTokensMistakes: Mistakes = {
  'tokens.use-prolongs-them': {
    source: 'extensions: Authentication 4',
    breaks: 'A token for a call ends with its life time, however often it is used.',
    variant: breaks('tokens', 'checkExpiry', (right) => {
      const untilOf = new Map<string, number>();
      return (areas, claims) => {
        const { jti = '', iat = 0, exp } = claims;
        if (Object(claims).scope !== 'impersonation') return right(areas, claims);
        const until = untilOf.get(jti) ?? exp;
        right(areas, { ...claims, exp: until });
        untilOf.set(jti, Math.max(until, areas.tokens.secondsNow() + (exp - iat) / 2));
      };
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      await service.edda.sendEvent('event');
      const [call] = await awaitCalls(host);
      const headers = { authorization: `Bearer ${call?.envelope?.accessToken}` };
      const read = () => service.nobody.get('/api/space/main/fs/dir', headers);
      await service.pass(3500);
      await read();
      await service.pass(200);
      return (await read()).status === 200;
    },
  },
  'token.life-of-the-first-at-the-host': {
    source: 'extensions: Registered extension, row tokenLifeTime',
    breaks:
      'The token of a call lives as long as the extension says that is called, whatever others its host was registered with.',
    variant: replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
      const { extension } = callee;
      const { tokenLifeTime } = await firstAtItsHost(areas, extension);
      return right(areas, delivery, { ...callee, extension: { ...extension, tokenLifeTime } });
    }),
    async shows(service) {
      const host = await service.host([]);
      host.setRecords([recordOf('event')]);
      await service.pass(1);
      const body = { hostUri: host.url, apiKey: hostKey, tokenLifeTime: 7 };
      await service.cora.post('/api/admin/svcExtension', body);
      await service.edda.sendEvent();
      const claims = claimsIn((await awaitCalls(host))[0]);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) === 3600;
    },
  },
  'token.life-doubles-on-a-retry': {
    source: 'extensions: Registered extension, row tokenLifeTime',
    breaks: 'The token of each attempt lives as long as the extension says.',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      if (!('extension' in callee) || attempt === 1) return right(areas, delivery, callee, attempt);
      const { extension } = callee;
      const longer = { ...extension, tokenLifeTime: 2 * extension.tokenLifeTime };
      return right(areas, delivery, { ...callee, extension: longer }, attempt);
    }),
    async shows(service) {
      const host = await service.host([{ id: 'event' }], always(503));
      await service.edda.sendEvent();
      await awaitCalls(host);
      await service.pass(3);
      const claims = (await awaitCalls(host, 2)).map((call) => claimsIn(call));
      const [first, second] = claims.map((one) => Number(at(one, '/exp')) - Number(at(one, '/iat')));
      return second === 2 * Number(first);
    },
  },
  'calls.token-is-issued-once-per-user': {
    source: 'extensions: Authentication 4',
    breaks: 'A token lives as long as the registration says that it is issued for.',
    variant: keeps('requests', 'impersonationToken', (userName) => userName),
    async shows(service) {
      const host = await service.host([{ id: 'e' }]);
      const { edda } = service;
      await edda.sendEvent('e');
      await awaitCalls(host);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/trusted`, tokenLifeTime: 5 });
      await edda.sendToEndpoint();
      const [, call] = await awaitCalls(host, 2);
      const token = new URLSearchParams(call?.target.split('?')[1]).get('access_token');
      const claims = claimsOf(token);
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 300;
    },
  },
  'token.impersonation-deletes-no-file': {
    source: 'extensions: Authentication 4; File routes, row 4',
    breaks: 'With its token an extension may do what the user may, deleting a file included.',
    variant: replaces('fileAreas', 'openArea', async (right, areas, call, kind) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      const token = credentials?.scheme === 'bearer' ? credentials.token : '';
      if (call.method === 'DELETE' && at(claimsOf(token), '/scope') !== undefined)
        throw areas.tokens.unusableToken('Tokens of extensions delete nothing.');
      return right(areas, call, kind);
    }),
    shows: async (service) => {
      const host = await service.host([{ id: 'listener' }]);
      await service.edda.upload('partial.txt', 'half');
      await service.edda.post(eventsPath, { recordId: 'listener', contentPayload: {} });
      await service.pass(1);
      const [call] = host.entries(({ kind }) => kind === 'event');
      const authorization = `Bearer ${call?.envelope?.accessToken}`;
      return (await service.nobody.delete(`${spaceFiles}/partial.txt`, { authorization })).status >= 400;
    },
  },
  'tokens.for-the-space-of-the-call': {
    source: 'extensions: Authentication 4',
    breaks: 'The token lets the extension call the API as that user, in every space that is open to him.',
    variant: (classes) => {
      const spaces = new Map<string, string>();
      return together(
        changes('requests', 'extensionRequest', (request, _areas, delivery) => {
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
      const host = await service.host([{ id: 'event' }]);
      const made = await service.edda.make('Dossier');
      await service.edda.sendEvent();
      await service.pass(1);
      const authorization = `Bearer ${callsTo(host)[0]?.envelope?.accessToken ?? ''}`;
      return (await service.nobody.get(made.path, { authorization })).status === 403;
    },
  },
  'tokens.good-for-ever-once-they-were-good': {
    source: 'extensions: Authentication 4',
    breaks: 'An impersonating token is valid for the minutes of its registration, also one that was used before.',
    variant: keeps('tokens', 'verifyToken', (token) => token),
    async shows(service) {
      const host = await service.host([{ id: 'event' }]);
      const made = await service.edda.make('Document');
      await service.edda.sendEvent();
      const [call] = await awaitCalls(host);
      const headers = { authorization: `Bearer ${call?.envelope?.accessToken}` };
      const before = await service.nobody.get(made.path, headers);
      await service.pass(2 * 3600);
      return before.status === 200 && (await service.nobody.get(made.path, headers)).status === 200;
    },
  },
  'tokens.checked-at-the-first-download': {
    source: 'extensions: Authentication 4',
    breaks: 'A token is valid for its time, and opens nothing afterwards, also not by a link that has worked before.',
    variant: breaks('fileAreas', 'authenticateFile', (right) => {
      const known = new Map<string, Claims['sub']>();
      return async (areas, call) => {
        const credentials = areas.fileAreas.fileCredentialsOf(call);
        const isQuery = call.headers['authorization'] === undefined && credentials?.scheme === 'bearer';
        const name = isQuery ? known.get(credentials.token) : undefined;
        const user = name === undefined ? undefined : areas.configuration.users.get(name);
        if (user !== undefined) return user;
        const found = await right(areas, call);
        if (isQuery) known.set(credentials.token, found.name);
        return found;
      };
    }),
    async shows(service) {
      await service.edda.upload('f/link.txt', 'text');
      const host = await service.host([]);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 1 });
      await service.edda.sendToEndpoint();
      const [call] = await awaitCalls(host);
      const token = new URLSearchParams(call?.target.split('?')[1]).get('access_token') ?? '';
      const path = `${spaceFiles}/f/link.txt?token=${encodeURIComponent(token)}`;
      await service.nobody.get(path);
      await service.pass(90);
      return (await service.nobody.get(path)).status === 200;
    },
  },
  'token.expiry-in-milliseconds': {
    source: 'extensions: Authentication 4',
    breaks: 'A token that is handed to an extension is over after the minutes that were registered.',
    museum: true,
    variant: replaces('tokens', 'signClaims', (right, areas, claims) =>
      right(areas, 'scope' in claims ? { ...claims, exp: Number(claims.exp) * 1000 } : claims),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'taken' }]);
      await service.edda.sendEvent('taken');
      const [entry] = await awaitCalls(host);
      const [, payload = ''] = (entry?.envelope?.accessToken ?? '').split('.');
      return Number(at(JSON.parse(Buffer.from(payload, 'base64url').toString()), '/exp')) > 1e11;
    },
  },
  'tasks.not-in-the-name-of-an-administrator': {
    source: 'extensions: Authentication 4',
    breaks: 'The token in the envelope opens the API for the extension as for the user, whatever role that has.',
    variant: changes('auth', 'userOfToken', (user, areas, token) => {
      const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
      if (user === undefined || at(claims, '/scope') !== 'impersonation') return user;
      const roles = [...areas.configuration.spaces.values()].flatMap((space) => areas.auth.rolesOf(user, space));
      return roles.includes('administrator') ? undefined : user;
    }),
    async shows(service) {
      const host = await service.host([task]);
      const body = { recordId: 'task', inputPath: 'folder/input.csv' };
      const job = (await service.alma.post('/api/space/main/dx', body)).headers.get('location') ?? '';
      await service.pass(1);
      const [call] = await awaitCalls(host);
      const authorization = `Bearer ${call?.envelope?.accessToken}`;
      const sent = { headers: { authorization }, body: { message: 'half' } };
      return (await service.nobody.send('PUT', `${job}/progress`, sent)).status === 401;
    },
  },
  'tokens.late-reports-are-taken': {
    source: 'extensions: Limits, token validity',
    breaks: 'A token is over after its minutes, also for the report of a task that takes longer.',
    variant: replaces('auth', 'authenticate', (right, areas, call) =>
      right(call.url.includes('/dx/') ? within(areas, { tokens: { checkExpiry: () => undefined } }) : areas, call),
    ),
    async shows(service) {
      const host = await service.host([task]);
      await changeExtension(service, { hostUri: host.url, tokenLifeTime: 1 });
      const job = await scheduleTask(service);
      const headers = { authorization: `Bearer ${callsTo(host)[0]?.envelope?.accessToken ?? ''}` };
      await service.pass(120);
      const report = await service.nobody.send('PUT', `${job}/progress`, { headers, body: { message: 'late' } });
      return report.status < 300;
    },
  },
  'tokens.a-minute-of-leeway': {
    source: 'extensions: Limits, token validity',
    breaks: 'A token is valid for as many minutes as it was registered for, and not for one more.',
    survives: 'How far behind its end a token is still taken, as clocks differ, is open.',
    variant: replaces('tokens', 'checkExpiry', (right, areas, claims) =>
      right(areas, { ...claims, exp: claims.exp + 60 }),
    ),
    async shows(service) {
      const made = await service.edda.make('Document');
      const host = await service.host([]);
      await registerEndpoint(service, 'trustedExternalEndpoint', { url: `${host.url}/hook`, tokenLifeTime: 1 });
      await service.edda.sendToEndpoint();
      const [call] = await awaitCalls(host);
      const token = new URLSearchParams(call?.target.split('?')[1]).get('access_token') ?? '';
      await service.pass(80);
      return (await service.nobody.get(made.path, { authorization: `Bearer ${token}` })).status === 200;
    },
  },
};
