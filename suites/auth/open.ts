import { mediaTypes } from '../../contract/names.ts';
import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import { memberOf } from '../../judge/answer.ts';
import { anyEdit } from '../../judge/writes.ts';
import { alteredAt, bearing, decoded, partsOf } from './token.ts';

export const openCases = {
  'auth.pat.bearer-accepted': scenario(async ({ given, service, expect, profile }) => {
    const pat = given.present(profile.all.identities.editor.pat, 'identities.editor.pat in the profile');
    const thing = await given.object();
    expect(await service.read(thing, bearing(pat))).toAnswer(200);
    expect(await service.read(thing, bearing(alteredAt(pat, Math.floor(pat.length / 2))))).notToSucceed();
    expect(await service.merge(thing, { [profile.scalars[0]]: given.unique() }, bearing(pat))).toSucceed();
  }),

  'auth.pat.basic-on-core-routes': scenario(async (context) => {
    const { given, service, notes, profile } = context;
    const { username = '', password = '', pat = '' } = profile.all.identities.editor;
    const thing = await given.object();
    const credentials = {
      'user name and personal access token': [username, pat],
      'another user name and personal access token': [given.unique('nobody'), pat],
      'user name and password': [username, password],
    } as const;
    for (const [what, [user, secret]] of Object.entries(credentials)) {
      const authorization = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
      const reply = await service.read(thing, { as: null, headers: { Authorization: authorization } });
      notes.observe(`Basic with ${what}`, reply.status, reply);
    }
  }),

  'auth.order.of-checks': scenario(async (context) => {
    const { given, service, notes } = context;
    const thing = await given.object();
    const unknown = { ...thing, oid: given.unknownOid(thing) };
    const edit = anyEdit(context);
    const replies: Record<string, Reply> = {
      'no token, unknown object': await service.read(unknown, { as: null }),
      'no role, known object': await service.read(thing, { as: 'noRole' }),
      'no role, unknown object': await service.read(unknown, { as: 'noRole' }),
      'no role, unknown space': await service.read({ ...thing, space: given.unique('no-space') }, { as: 'noRole' }),
      'reader, wrong version': await service.merge(thing, edit, { as: 'reader', version: thing.version + 5 }),
      'reader, no version': await service.merge(thing, edit, { as: 'reader', version: null }),
      'editor, wrong version, unknown object': await service.merge(unknown, edit, { version: thing.version + 5 }),
    };
    for (const [what, reply] of Object.entries(replies)) notes.observe(what, reply.status, reply);
    const tells = replies['no role, known object']?.status !== replies['no role, unknown object']?.status;
    notes.observe('403 and 404 tell strangers which ids exist', tells);
  }),

  'auth.id-token.exchange': scenario(async (context) => {
    const { given, service, notes, profile } = context;
    const exchange = given.present(profile.all.auth?.idTokenExchange, 'auth.idTokenExchange in the profile');
    const reply = await exchanged(context, exchange.idToken);
    notes.observe('status of the exchange of a trusted id token', reply.status, reply);
    const token = memberOf(reply, 'access_token');
    if (typeof token === 'string') {
      notes.observe('alg of the token received', String(decoded(partsOf(token)[0])?.['alg'] ?? 'no JWT'), reply);
      notes.observe(
        'a read with the token received',
        (await service.read(await given.object(), bearing(token))).status,
      );
    }
    if (exchange.foreignIdToken !== undefined)
      notes.observe(
        'status of the exchange of a foreign id token',
        (await exchanged(context, exchange.foreignIdToken)).status,
      );
  }),
} satisfies SomeCasesOf<'auth'>;

function exchanged({ service, profile }: CaseContext, idToken: string): Promise<Reply> {
  const { idTokenExchange, clientId = '', clientSecret = '' } = profile.all.auth ?? {};
  const fields = Object.entries(idTokenExchange?.form ?? {}).map(([name, value]): [string, string] => [
    name,
    String(value).replaceAll('{{idToken}}', idToken),
  ]);
  const headers = {
    'Content-Type': mediaTypes.form,
    Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
  };
  return service.send({
    method: 'POST',
    url: idTokenExchange?.url ?? '',
    as: null,
    filter: null,
    headers,
    body: new URLSearchParams(fields).toString(),
  });
}
