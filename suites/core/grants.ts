import { mediaTypes } from '../../contract/names.ts';
import { memberOf } from '../../judge/service/answers.ts';
import { type CaseContext, schedule } from '../../judge/case.ts';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import { percentEncoded } from '../../judge/redact/redact.ts';
import { basicAuthorization } from '../../judge/service/requests.ts';
import { rules } from '../../judge/rule.ts';
import { identitiesIn, isGrantable } from '../../judge/service/roles.ts';
import type { Thing } from '../../judge/things.ts';
import { decodePart, partsOf, withBearer } from '../../judge/service/token.ts';

export const formFields = ['grant_type', 'username', 'password', 'scope'] as const;

export interface GrantChanges {
  /** Fields that differ; undefined leaves one out. */
  readonly fields?: Readonly<Record<string, string | undefined>>;
  readonly authorization?: string | null;
  /** What the client takes as an answer. */
  readonly accept?: string;
  /** Fields of whose values every character is written as a form may; a password that records could not blot out then stays as it is. */
  readonly escaped?: readonly string[];
  readonly isReversed?: true;
}

/** Records blot out shorter ones only where they stand as words of their own. */
const shortestEscaped = 6;

/** Nobody waits longer for the end of a token. */
const longestLifeSeconds = 3 * 3600;

/** By how much clocks are told to differ, at most. */
const leewaySeconds = 600;

export const laterGrantRules = rules('auth', {
  'auth.grant.behind-the-end-of-the-last': {
    source: 'core: Authentication 3',
    statement:
      'A token that is granted when the one before it has just ended opens the space, and that one does not any more, although it did.',
    fault: 'for a minute beyond its end the token of the last grant is given out again',
    needs: ['soft-type', 'password-grant', 'clock-control'],
    after: ['auth.grant.returns-access-token'],
    test: schedule(longestLifeSeconds + leewaySeconds, async (context) => {
      const { given, service, expect, clock } = context;
      const thing = await given.object();
      // a grant to another case may have ended the token, which nothing forbids
      const readByGrant = async (left = 3): Promise<{ readonly reply: Reply; readonly read: Reply }> => {
        const reply = await grant(context);
        const token = given.present(memberOf(reply, 'access_token'), 'an access_token');
        const read = await service.read(thing, withBearer(String(token)));
        return read.status === 401 && left > 0 ? readByGrant(left - 1) : { reply, read };
      };
      const first = await readByGrant();
      given.assume(first.read.status === 200, 'a token that opens the space');
      const lifeSeconds = lifeOf(context, first.reply);
      if (lifeSeconds === undefined || lifeSeconds >= longestLifeSeconds)
        return given.inconclusive('When the token ends is not told, or is hours away.');
      await clock.pass(Math.ceil(lifeSeconds) * 1000 + 1000);
      const { reply, read } = await readByGrant();
      expect(read).toAnswer(200);
      await expectOver(context, thing, { first: first.reply, last: reply });
    }),
  },
});

/** A token that was used ends like any other, where the time that passes is that of tokens as well; clocks may be told to differ by some minutes. */
async function expectOver(
  context: CaseContext,
  thing: Thing,
  { first, last }: { readonly first: Reply; readonly last: Reply },
): Promise<void> {
  const { service, expect, notes, clock } = context;
  const issuedAt = (reply: Reply): number =>
    Number(decodePart(partsOf(String(memberOf(reply, 'access_token')))[1])?.['iat']);
  const isMoved = issuedAt(last) - issuedAt(first) >= (lifeOf(context, first) ?? Infinity);
  notes.observe('tokens know the time that passed', isMoved);
  if (!isMoved) return;
  await clock.pass(leewaySeconds * 1000);
  const token = String(memberOf(first, 'access_token'));
  // which status an unusable token is answered with is judged by a guideline of its own
  expect(await service.read(thing, withBearer(token))).toBeRefused();
}

/** How long the granted token is good, in seconds, as far as anything tells. */
function lifeOf({ profile }: CaseContext, reply: Reply): number | undefined {
  const stated = memberOf(reply, 'expires_in');
  if (typeof stated === 'number') return stated;
  const { exp, iat } = decodePart(partsOf(String(memberOf(reply, 'access_token')))[1]) ?? {};
  return typeof exp === 'number' && typeof iat === 'number' ? exp - iat : profile.all.auth?.tokenLifetimeSeconds;
}

export function grant(context: CaseContext, changes: GrantChanges = {}): Promise<Reply> {
  return context.service.send(grantRequest(context, changes));
}

/** The password grant of the editor, form-encoded. */
export function grantRequest({ profile }: CaseContext, changes: GrantChanges) {
  const { tokenUrl = '', clientId = '', clientSecret = '' } = profile.all.auth ?? {};
  const { username = '', password = '' } = profile.all.identities.editor;
  const fields = { grant_type: 'password', username, password, scope: 'All', ...changes.fields };
  const form = Object.entries(fields)
    .filter((field): field is [string, string] => field[1] !== undefined)
    .map(([name, value]) =>
      changes.escaped?.includes(name) && (name !== 'password' || value.length >= shortestEscaped)
        ? `${name}=${percentEncoded(value)}`
        : new URLSearchParams({ [name]: value }).toString(),
    );
  const authorization =
    changes.authorization === undefined ? basicAuthorization(clientId, clientSecret) : changes.authorization;
  const headers = {
    'Content-Type': mediaTypes.form,
    ...(authorization !== null && { Authorization: authorization }),
    ...(changes.accept !== undefined && { Accept: changes.accept }),
  };
  return {
    method: 'POST',
    url: tokenUrl,
    as: null,
    filter: null,
    headers,
    body: (changes.isReversed ? form.toReversed() : form).join('&'),
  };
}

/** Users of any role, and without one; what the profile says of their passwords may be out of date. */
export async function expectTokenForEach(context: CaseContext): Promise<void> {
  const { expect, notes, profile } = context;
  for (const name of identitiesIn(profile.all)) {
    if (name === 'editor' || !isGrantable(profile.all, name)) continue;
    const { username, password } = profile.all.identities[name] ?? {};
    const reply = await grant(context, { fields: { username, password } });
    if (!isSuccess(reply.status)) notes.observe(`status of a grant to the ${name}`, reply.status, reply);
    else expect(memberOf(reply, 'access_token'), `access_token for the ${name}`, reply).toBeAString();
  }
}

/** A grant that succeeds has a token, however many there were; how many succeed is not said. */
export async function expectManyGrants(context: CaseContext): Promise<void> {
  for (let count = 1; count <= 12; count += 1) {
    const reply = await grant(context);
    if (!isSuccess(reply.status)) return context.notes.observe('status of one grant of many', reply.status, reply);
    context.expect(memberOf(reply, 'access_token'), `access_token of grant ${count} in a row`, reply).toBeAString();
  }
}

export function expectNoToken({ expect, notes }: CaseContext, what: string, reply: Reply): void {
  expect(reply).notToSucceed();
  // a sentence may well speak of one
  expect(
    /access_token["']?\s*[:=]\s*["']?[\w-]+\./.test(reply.text),
    `a token in the answer to ${what}`,
    reply,
  ).toEqual(false);
  expect(memberOf(reply, 'access_token') ?? null, `access_token in the answer to ${what}`, reply).toEqual(null);
  notes.bound('grantErrors', `status of a grant with ${what}`, reply.status, reply);
}
