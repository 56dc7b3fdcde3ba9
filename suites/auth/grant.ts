import { mediaTypes } from '../../contract/names.ts';
import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import { memberOf } from '../../judge/answer.ts';
import { bearing } from './token.ts';

export const grantCases = {
  'auth.grant.returns-access-token': scenario(async (context) => {
    const { given, service, expect, notes } = context;
    const granted = async (): Promise<{ readonly reply: Reply; readonly token: string }> => {
      const reply = await grant(context);
      expect(reply).toSucceed();
      expect(reply.headers['content-type'], 'Content-Type of the token response', reply).toSatisfy(
        'a JSON media type',
        (type) => /json/i.test(type ?? ''),
      );
      expect(memberOf(reply, 'access_token'), 'access_token', reply).toBeAString();
      return { reply, token: String(memberOf(reply, 'access_token')) };
    };
    const { reply, token } = await granted();
    const thing = await given.object();
    let read = await service.read(thing, bearing(token));
    // a grant to another case may have ended the token, which nothing forbids
    for (let again = 0; read.status === 401 && again < 9; again += 1)
      read = await service.read(thing, bearing((await granted()).token));
    expect(read).toAnswer(200);
    notes.observe(
      'members of the token response',
      Object.keys(reply.json ?? {})
        .sort()
        .join(', '),
      reply,
    );
    notes.observe('Cache-Control of the token response', reply.headers['cache-control'] ?? 'none', reply);
  }),

  'auth.grant.wrong-user-yields-no-token': scenario(async (context) => {
    const { given } = context;
    const wrong = {
      'a wrong password': { password: given.unique('wrong') },
      'an empty password': { password: '' },
      'no password': { password: undefined },
      'an unknown user': { username: given.unique('nobody') },
    };
    for (const [what, fields] of Object.entries(wrong)) yieldsNoToken(context, what, await grant(context, { fields }));
    given.succeeded(await grant(context), 'the right password gets a token', ['auth.grant.returns-access-token']);
  }),

  'auth.grant.wrong-client-yields-no-token': scenario(async (context) => {
    const { given, notes, profile } = context;
    const { clientId = '', clientSecret = '' } = profile.all.auth ?? {};
    const wrong = {
      'a wrong client secret': basic(clientId, given.unique('wrong')),
      'an unknown client': basic(given.unique('nobody'), clientSecret),
      'no client authentication': null,
    };
    for (const [what, authorization] of Object.entries(wrong))
      yieldsNoToken(context, what, await grant(context, { authorization }));
    given.succeeded(await grant(context), 'the right client gets a token', ['auth.grant.returns-access-token']);
    const inForm = await grant(context, {
      authorization: null,
      fields: { client_id: clientId, client_secret: clientSecret },
    });
    notes.observe('client credentials in the form', inForm.status, inForm);
  }),

  'auth.grant.other-parameters': scenario(async (context) => {
    const { given, service, notes, profile } = context;
    const replies = {
      'another scope': await grant(context, { fields: { scope: given.unique('scope') } }),
      'no scope': await grant(context, { fields: { scope: undefined } }),
      'another grant type': await grant(context, { fields: { grant_type: 'client_credentials' } }),
      'no grant type': await grant(context, { fields: { grant_type: undefined } }),
      'a JSON body': await service.send({
        ...request(context, {}),
        headers: { ...request(context, {}).headers, 'Content-Type': mediaTypes.json },
        body: { grant_type: 'password', username: profile.all.identities.editor.username },
      }),
    };
    for (const [what, reply] of Object.entries(replies)) {
      if (what === 'another scope') notes.bound('unknownScope', `grant with ${what}`, reply.status, reply);
      else notes.observe(`grant with ${what}`, reply.status, reply);
      notes.observe(`token for a grant with ${what}`, memberOf(reply, 'access_token') !== undefined, reply);
      notes.observe(
        `body of a grant with ${what}`,
        `${reply.headers['content-type']?.split(';')[0] ?? 'none'}: ${Object.keys(reply.json ?? {})
          .sort()
          .join(', ')}`,
        reply,
      );
    }
  }),
} satisfies SomeCasesOf<'auth'>;

interface GrantChanges {
  /** Fields that differ; undefined leaves one out. */
  readonly fields?: Readonly<Record<string, string | undefined>>;
  readonly authorization?: string | null;
}

function grant(context: CaseContext, changes: GrantChanges = {}): Promise<Reply> {
  return context.service.send(request(context, changes));
}

/** The password grant of the editor, form-encoded. */
function request({ profile }: CaseContext, changes: GrantChanges) {
  const { tokenUrl = '', clientId = '', clientSecret = '' } = profile.all.auth ?? {};
  const { username = '', password = '' } = profile.all.identities.editor;
  const fields = { grant_type: 'password', username, password, scope: 'All', ...changes.fields };
  const form = new URLSearchParams(
    Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined),
  );
  const authorization = changes.authorization === undefined ? basic(clientId, clientSecret) : changes.authorization;
  const headers = { 'Content-Type': mediaTypes.form, ...(authorization !== null && { Authorization: authorization }) };
  return { method: 'POST', url: tokenUrl, as: null, filter: null, headers, body: form.toString() };
}

function basic(user: string, secret: string): string {
  return `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
}

function yieldsNoToken({ expect, notes }: CaseContext, what: string, reply: Reply): void {
  expect(reply).notToSucceed();
  expect(/access_token/.test(reply.text), `an access_token in the answer to ${what}`, reply).toEqual(false);
  notes.bound('grantErrors', `status of a grant with ${what}`, reply.status, reply);
}
