import { createHmac } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { mediaTypes } from '../../../contract/names.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { basic, grant, passwordForm, tokenOf } from '../proofs.ts';
import { at, type Service } from '../service.ts';
import { changes } from '../variant-parts.ts';

const leewaySeconds = 60;

/** Base64 of the key of the provider that the seed trusts. */
const idTokenKey = 'aWQgdG9rZW4gaXNzdWVyIG9mIHRoZSBkZW1vbnN0cmF0aW9uLCBwdWJsaWMgb24gcHVycG9zZSwgNjQgYnl0ZXMgIQ==';

const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** Forms that came with a wish for another form of answer. */
const wished = new WeakSet<object>();

export const grantsMistakes: Mistakes = {
  'grants.form-of-the-one-before': {
    source: 'core: Authentication 3',
    breaks: 'A grant is judged by the form that it comes with, and by none that came before it.',
    variant: breaks('grants', 'grantFormOf', (right) => {
      let former: ReadonlyMap<string, string> = new Map();
      return (areas, call) => {
        const form = new Map([...former, ...right(areas, call)]);
        former = form;
        return form;
      };
    }),
    async shows(service) {
      await grant(service, passwordForm('edda'));
      return (await grant(service, 'grant_type=password&username=edda&scope=All')).status === 200;
    },
  },
  'token.kept-beyond-its-end': {
    source: 'core: Authentication 3',
    breaks: 'The token endpoint answers with a token that opens what it is for, whatever it gave out before.',
    variant: breaks('tokens', 'issueToken', (right) => {
      const kept = new Map<string, { readonly token: string; readonly until: number }>();
      return async (areas, user) => {
        const now = areas.tokens.secondsNow();
        const known = kept.get(user.name);
        if (known !== undefined && now < known.until) return known.token;
        const token = await right(areas, user);
        const { tokenLifetimeSeconds } = areas.configuration.auth;
        kept.set(user.name, { token, until: now + tokenLifetimeSeconds + leewaySeconds });
        return token;
      };
    }),
    async shows(service) {
      await tokenOf(service, 'cora');
      await service.pass(3610);
      const authorization = `Bearer ${await tokenOf(service, 'cora')}`;
      return (await service.nobody.get('/api/collection/health', { authorization })).status === 401;
    },
  },
  'grants.the-eleventh': {
    source: 'core: Authentication 3',
    breaks: 'Every grant has an access token, the eleventh of one user as well.',
    variant: breaks('grants', 'tokenAnswer', (right) => {
      const counts = new Map<string, number>();
      return (areas, form, token) => {
        const answer = right(areas, form, token);
        const name = form.get('username') ?? '';
        counts.set(name, (counts.get(name) ?? 0) + 1);
        if (Number(counts.get(name)) <= 10) return answer;
        const { access_token: _token, ...rest } = answer.body as { readonly access_token: string };
        return { ...answer, body: rest };
      };
    }),
    async shows(service) {
      let token = '';
      for (let count = 0; count < 11; count += 1) token = await tokenOf(service, 'edda');
      return token === 'undefined';
    },
  },
  'token.one-for-all-who-ask-at-once': {
    source: 'core: Authentication 3, access_token',
    breaks: 'The answer contains a token of the user who asked, also where somebody else asks at the same moment.',
    variant: breaks('tokens', 'issueToken', (right) => {
      let pending: Promise<string> | undefined;
      return (areas, user) => {
        pending ??= setTimeout(5)
          .then(() => right(areas, user))
          .finally(() => (pending = undefined));
        return pending;
      };
    }),
    async shows(service) {
      const tokens = await Promise.all([tokenOf(service, 'edda'), tokenOf(service, 'emil')]);
      return tokens[0] === tokens[1];
    },
  },
  'access.known-client-needs-no-secret': {
    source: 'core: Authentication 3',
    breaks: 'Every request of the token endpoint brings the secret of its client, also when that was shown before.',
    variant: breaks('grants', 'checkClient', (right) => {
      const known = new Set<string>();
      return (areas, call) => {
        const credentials = areas.auth.credentialsOf(call.headers);
        const name = credentials?.scheme === 'basic' ? credentials.name : '';
        if (known.has(name)) return;
        right(areas, call);
        known.add(name);
      };
    }),
    async shows(service) {
      await grant(service, passwordForm('edda'));
      const authorization = basic('conformance', 'wrong');
      return (await grant(service, passwordForm('edda'), { authorization })).status === 200;
    },
  },
  'access.tokens-are-kept-by-client': {
    source: 'core: Authentication 3',
    breaks: 'The token of a password grant is that of the user whose password was sent, whoever asked just before.',
    variant: breaks('tokens', 'issueToken', (right) => {
      let last: { readonly minute: number; readonly token: string } | undefined;
      return async (areas, user) => {
        const minute = Math.floor(areas.tokens.secondsNow() / 60);
        if (last?.minute !== minute) last = { minute, token: await right(areas, user) };
        return last.token;
      };
    }),
    async shows(service) {
      await tokenOf(service, 'edda');
      const authorization = `Bearer ${await tokenOf(service, 'rita')}`;
      const path = '/api/space/main/softtype/Part/partInput';
      return (await service.nobody.post(path, { name: 'p' }, { authorization })).status === 201;
    },
  },
  'tokens.fields-in-order': {
    source: 'core: Authentication 3',
    breaks: 'A grant is asked for by the fields of a form, in whichever order they come.',
    variant: changes('grants', 'grantFormOf', (form) => {
      if (form.keys().next().value === 'grant_type') return form;
      throw new Refusal(400, 'Expected grant_type first.');
    }),
    async shows(service) {
      const { json } = await grant(service, 'username=edda&password=edda-password&scope=All&grant_type=password');
      return at(json, '/access_token') === undefined;
    },
  },
  'grants.user-name-as-it-stands': {
    source: 'core: Authentication 3',
    breaks: 'Each field of the form may come in percent-encoding, the user name alone as well.',
    variant: replaces('grants', 'grantFormOf', (right, areas, call) => {
      const username = /(?:^|&)username=([^&]*)/.exec(String(call.body ?? ''))?.[1];
      const form = right(areas, call);
      const isPlain = form.get('grant_type') === 'password' && /grant_type=password/.test(String(call.body));
      return isPlain && username !== undefined ? new Map([...form, ['username', username]]) : form;
    }),
    shows: async (service) =>
      (await grant(service, passwordForm('edda').replace('username=edda', 'username=%65dda'))).status !== 200,
  },
  'access.form-read-as-it-stands': {
    source: 'core: Authentication 3',
    breaks: 'The fields of the token request come as a form, whose percent-encoding is taken away.',
    variant: replaces('grants', 'grantFormOf', (right, areas, call) => {
      right(areas, call);
      const fields = (call.body?.toString('utf8') ?? '').split('&').map((field) => {
        const [name = '', value = ''] = field.split('=', 2);
        return [name, value] as const;
      });
      return new Map(fields);
    }),
    async shows(service) {
      const form = 'grant_type=password&username=%65dda&password=edda%2Dpassword&scope=All';
      return (await grant(service, form)).status !== 200;
    },
  },
  'grants.none-without-a-role': {
    source: 'core: Authentication 3 and 6',
    breaks: 'The password grant gives a token to every user with the right password, also to one without any role.',
    variant: changes('auth', 'userOfPassword', (user, areas) => {
      if (user === undefined || user.collectionAdministrator) return user;
      const spaces = [...areas.configuration.spaces.values()];
      return spaces.some((space) => areas.auth.rolesOf(user, space).length > 0) ? user : undefined;
    }),
    survives:
      'Authentication 3: how a token is asked for is told, not which users get one; whether one without a role does is left open.',
    async shows(service) {
      return (await tokenOf(service, 'nora')) === 'undefined';
    },
  },
  'access.second-grant-without-a-token': {
    source: 'core: Authentication 3',
    breaks: 'The answer to a grant contains a token, to the second one of a user as well.',
    variant: breaks('grants', 'tokenAnswer', (right) => {
      const known = new Map<string, number>();
      return (areas, form, token) => {
        const answer = right(areas, form, token);
        const name = form.get('username') ?? '';
        const count = (known.get(name) ?? 0) + 1;
        known.set(name, count);
        if (count !== 2) return answer;
        const { access_token: _lost, ...body } = answer.body as Record<string, unknown>;
        return { ...answer, body };
      };
    }),
    async shows(service) {
      await tokenOf(service, 'emil');
      return (await tokenOf(service, 'emil')) === 'undefined';
    },
  },
  'access.no-token-without-role': {
    source: 'core: Authentication 3',
    breaks: 'The answer of the token endpoint contains access_token, whatever role the user has.',
    variant: changes('grants', 'tokenAnswer', (answer, areas, form, token) => {
      const user = areas.configuration.users.get(form.get('username') ?? '');
      const spaces = [...areas.configuration.spaces.values()];
      const hasRole =
        user?.collectionAdministrator || spaces.some((space) => user && areas.auth.rolesOf(user, space)[0]);
      return hasRole ? answer : { ...answer, body: { token } };
    }),
    async shows(service) {
      return (await tokenOf(service, 'nora')) === 'undefined';
    },
  },
  'token.answer-in-the-form-of-the-request': {
    source: 'core: Authentication 3',
    breaks: 'The answer with the token is JSON, also for a client that takes a form before that.',
    variant: together(
      changes('grants', 'grantFormOf', (form, _areas, call) => {
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
      const accept = `${mediaTypes.form}, application/json`;
      return at((await grant(service, passwordForm('edda'), { accept })).json, '/access_token') === undefined;
    },
  },
  'grants.password-with-blanks-around': {
    source: 'core: Authentication 3',
    breaks: 'The password grant takes the password of the user, not one with blanks behind it.',
    variant: replaces('auth', 'userOfPassword', (right, areas, name, password) => right(areas, name, password.trim())),
    survives:
      'what passes for the password is not said; NIST SP 800-63B 5.1.1.2 lets a service pass over blanks around it',
    async shows(service) {
      return (await grant(service, passwordForm('edda', 'edda-password%20'))).status === 200;
    },
  },
  'grants.password-without-its-end': {
    source: 'core: Authentication 3',
    breaks: 'The password grant takes the whole password of the user, not a beginning of it.',
    variant: breaks('auth', 'userOfPassword', (right) => {
      const known = new Map<string, string>();
      return (areas, name, password) => {
        const whole = known.get(name) ?? '';
        const user = right(areas, name, password.length > 5 && whole.startsWith(password) ? whole : password);
        if (user !== undefined && whole === '') known.set(name, password);
        return user;
      };
    }),
    async shows(service) {
      await grant(service, passwordForm('edda'));
      return (await grant(service, passwordForm('edda', 'edda-passwor'))).status === 200;
    },
  },
  'grants.secret-in-any-case': {
    source: 'core: Authentication 3',
    breaks: 'The secret of a client is told letter by letter, small ones and large ones.',
    variant: replaces('grants', 'checkClient', (right, areas, call) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      if (credentials?.scheme !== 'basic') return right(areas, call);
      const authorization = basic(credentials.name, credentials.secret.toLowerCase());
      return right(areas, { ...call, headers: { ...call.headers, authorization } });
    }),
    async shows(service) {
      const authorization = basic('conformance', 'CONFORMANCE-SECRET');
      return (await grant(service, passwordForm('edda'), { authorization })).status === 200;
    },
  },
  'grants.id-token-of-an-administrator': {
    source: 'core: Authentication 4',
    breaks: 'What a Collection Administrator gets for an id token is a token of the service.',
    variant: replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
      const [, payload = ''] = (form.get('subject_token') ?? '').split('.');
      const name = at(JSON.parse(Buffer.from(payload, 'base64url').toString() || 'null'), '/sub');
      const isAdministrator = areas.configuration.users.get(String(name))?.collectionAdministrator === true;
      return right(areas, form, isAdministrator ? (form.get('subject_token') ?? token) : token);
    }),
    survives:
      'Route, form and answer of the exchange are not shown (ledger id-token-exchange-route), and a profile has one id token: recorded.',
    async shows(service) {
      const token = await exchangedToken(service, 'cora');
      const answer = await service.nobody.get('/api/collection/health', { authorization: `Bearer ${token}` });
      return answer.status === 401;
    },
  },
};

/** The token that the user gets for an id token of the trusted provider. */
async function exchangedToken(service: Service, user: string): Promise<string> {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: user, iss: 'https://login.example', aud: 'svc', exp: 9_999_999_999 };
  const text = `${part({ alg: 'HS512', typ: 'JWT' })}.${part(claims)}`;
  const signature = createHmac('sha512', Buffer.from(idTokenKey, 'base64')).update(text).digest('base64url');
  const form = new URLSearchParams({
    grant_type: exchange,
    subject_token: `${text}.${signature}`,
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
  });
  return String(at((await grant(service, form.toString())).json, '/access_token'));
}
