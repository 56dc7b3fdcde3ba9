import { bearing, decoded, partsOf } from '../auth/token.ts';
import { scenario, schedule, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Call } from '../../judge/extension/call.ts';
import { timeBudgetSeconds } from '../../judge/time/budget.ts';
import type { Told } from '../../judge/time/timeline.ts';
import { anyEdit } from '../../judge/writes.ts';
import { claimsOf, expectLife, readableAs, tokenOf } from './tokens.ts';
import { event, ifAccepted, lasting } from './words.ts';

const second = 1000;
/** Longest tolerance of expiry that is taken for a clock that goes wrong. */
const toleranceSeconds = 300;

export const tokenCases = {
  'calls.token.jwt-form': scenario(async (context) => {
    const { given, expect } = context;
    const { call } = await event(context, await given.extension());
    const token = tokenOf(context, call);
    expect(token.split('.').length, 'parts of the accessToken').toEqual(3);
    const [header, payload, signature] = partsOf(token);
    expect(decoded(header), 'first part of the accessToken, decoded').toBeAnObject();
    expect(decoded(payload), 'second part of the accessToken, decoded').toBeAnObject();
    expect(/^[A-Za-z0-9_-]+$/.test(signature), 'third part of the accessToken is base64url').toEqual(true);
    expect(decoded(header)?.['alg'], 'alg of the accessToken').toEqual('HS512');
  }),

  'calls.token.accepted-by-api': scenario(async (context) => {
    const { given, service, expect, notes, profile } = context;
    const { call } = await event(context, await lasting(context));
    const token = tokenOf(context, call);
    const thing = await given.object();
    given.succeeded(await service.read(thing), 'the triggering user may read the object');
    expect(await service.read(thing, bearing(token))).toAnswer(...(await readableAs(context, thing)));
    if (profile.all.triggers?.subscribedAs === undefined)
      expect(await service.merge(thing, anyEdit(context), bearing(token))).toSucceed();
    notes.observe(
      'the token names the triggering user',
      subjectOf(token) === subjectOf((await service.token('editor')) ?? ''),
    );
  }),

  'calls.token.no-more-rights': scenario(async (context) => {
    const { expect, notes, registrations, given, profile } = context;
    const extension = await lasting(context);
    const token = tokenOf(context, (await event(context, extension)).call);
    const endpoint = {
      url: `${extension.url}/never`,
      id: given.unique('endpoint'),
      method: 'POST',
      category: 'conformance',
      headers: [{ name: 'content-type', value: 'text/plain' }],
    };
    const refused = await registrations.post('externalEndpoint', endpoint, bearing(token));
    if (refused.status !== 403 && profile.all.triggers?.subscribedAs === 'administrator')
      given.inconclusive('an administrator owns the subscription, and its token may speak for the owner');
    expect(refused).toAnswer(403);
    if (profile.all.routes?.registrationUpdate !== undefined) {
      given.succeeded(
        await registrations.update(given.present(extension.registration, 'a registration')),
        'the registration is updated',
      );
      const since = tokenOf(context, (await event(context, extension)).call);
      expect(await registrations.post('externalEndpoint', endpoint, bearing(since))).toAnswer(403);
    }
    const byAdministrator = await ifAccepted(() => event(context, extension, { as: 'administrator' }));
    if (byAdministrator === undefined) return notes.observe('an event of the administrator', 'leads to no call');
    const reply = await registrations.post('externalEndpoint', {}, bearing(tokenOf(context, byAdministrator.call)));
    expect(
      [401, 403].includes(reply.status),
      'the token of an administrator is refused on a registration route',
      reply,
    ).toEqual(false);
  }),

  'calls.token.life-time-claim': scenario(async (context) => {
    for (const tokenLifeTime of [1, 7]) {
      const made = await event(context, await context.given.extension({ tokenLifeTime }));
      expectLife(context, claimsOf(context, tokenOf(context, made.call), 'calls.token.jwt-form'), tokenLifeTime, made);
    }
  }),

  'calls.token.expires': schedule(70, async (context) => {
    const { given, service, expect, clock, notes } = context;
    const thing = await given.object();
    const { call } = await event(context, await given.extension({ tokenLifeTime: 1 }));
    const token = tokenOf(context, call);
    const works = await readableAs(context, thing);
    const reads: Told[] = [];
    const at = async (seconds: number) => {
      await clock.pass(Math.max(0, call.arrivedAt + seconds * second - clock.now()));
      const reply = await service.read(thing, bearing(token));
      reads.push({
        arrivedAt: clock.now(),
        answered: reply.status,
        label: 'a read',
        isOff: isOutOfLife(seconds, works.includes(reply.status)),
      });
      tellLife(context, call, reads);
      return reply;
    };
    for (const seconds of [5, 50]) expect(await at(seconds)).toAnswer(...works);
    const soon = await at(70);
    const stillWorks = works.includes(soon.status);
    notes.observe('the token works 10 s after its end', stillWorks, soon);
    if (stillWorks && !hasTime(context))
      given.inconclusive(
        'the token still works 10 s after its end, as a tolerance of up to 5 min would let it: give --time-budget 400s',
      );
    expect(stillWorks ? await at(60 + toleranceSeconds + 5) : soon).toAnswer(401);
  }),

  'calls.token.refresh-and-owner': scenario(async (context) => {
    const { given, service, notes } = context;
    const token = tokenOf(context, (await event(context, await given.extension())).call);
    const claims = decoded(partsOf(token)[1]) ?? {};
    notes.observe('claims of the envelope token', Object.keys(claims).toSorted().join(', '));
    notes.observe(
      'claims that look like a refresh token or a session',
      Object.keys(claims)
        .filter((name) => /refresh|session|^sid$/i.test(name))
        .join(', '),
    );
    notes.observe(
      'the token names the triggering user',
      subjectOf(token) === subjectOf((await service.token('editor')) ?? ''),
    );
  }),
} satisfies SomeCasesOf<'calls'>;

function subjectOf(token: string): unknown {
  return decoded(partsOf(token)[1])?.['sub'];
}

/** A read in a token's life of a minute is answered, one that no tolerance explains any more is not. */
function isOutOfLife(seconds: number, isAnswered: boolean): boolean {
  return seconds < 60 ? !isAnswered : isAnswered && seconds > 60 + toleranceSeconds;
}

function tellLife({ clock }: CaseContext, { arrivedAt }: Call, reads: readonly Told[]): void {
  const end = arrivedAt + 60 * second;
  const due = [
    { label: 'the token works', from: arrivedAt, until: end, calls: 2 },
    { label: 'the token has expired', from: end, calls: Math.max(1, reads.length - 2) },
  ];
  clock.tell({
    title: 'reads with the token of a call',
    zero: { at: arrivedAt, label: 'the call that carried the token' },
    due,
    calls: reads,
  });
}

/** Whether the run may last until no tolerance explains any more that a token works. */
function hasTime({ clock, profile }: CaseContext): boolean {
  return clock.controlled || timeBudgetSeconds(profile.all) > toleranceSeconds + 90;
}
