import { insteadOfAdministrator } from '../core/checks/readers.ts';
import type { RuleId } from '../../contract/rule.ts';
import { type CaseContext, scenario, schedule } from '../../judge/case.ts';
import { isSuccess, type Changes, type Reply } from '../../judge/exchange.ts';
import type { Call, CalledType } from '../../judge/extension/call.ts';
import type { Endpoint, Extension } from '../../judge/extension/extension.ts';
import { callWaitMs } from '../../judge/extension/trigger-calls.ts';
import type { Thing } from '../../judge/things.ts';
import { rules } from '../../judge/rule.ts';
import { timeBudgetSeconds } from '../../judge/time/budget.ts';
import type { Told } from '../../judge/time/timeline.ts';
import { type Claims, withBearer, decodePart, partsOf, tokensInQuery } from '../../judge/service/token.ts';
import { editRoutes, makeEditable, otherWrites } from '../../judge/service/writes.ts';
import { partHere } from '../../judge/case/part.ts';
import { askersOf } from '../../judge/service/roles.ts';
import { withCorrelationId } from '../../judge/service/requests.ts';
import {
  type Made,
  callEachType,
  createForm,
  editForm,
  expectRefusedCallsNobody,
  extensionFor,
  lastingEndpoint,
  lastingExtension,
  takesTimeout,
  triggerableTypes,
  triggerEvent,
  triggerForm,
} from './checks/triggered-calls.ts';
import { senderOf, speakersOf } from '../../judge/extension/triggers.ts';
import { unlessRefused } from '../../judge/violation.ts';
import { calledAnew } from './checks/extension-hosts.ts';
import { expectEndsForReports } from './checks/task-jobs.ts';
import { expectPersonalTokenSpeaks, expectReadsElsewhere, expectUsesFiles } from './checks/use-of-tokens.ts';

/** What may pass between a trigger and the issue of the token, in seconds. */
const lateSeconds = 5;

const secondMs = 1000;

/** A tokenLifeTime of one minute. */
const lifeSeconds = 60;

/** When such a token still works, in seconds. */
const lateInLifeSeconds = 50;

const dayMinutes = 24 * 60;

const moreThanADayMinutes = 25 * 60;

/** More milliseconds than 31 bits can tell. */
export const longLifeMinutes = 36_000;

const halfHourMs = 30 * 60 * secondMs;

/** Longest tolerance of expiry that is taken for a clock that goes wrong. */
const toleranceSeconds = 300;
const tolerated = `the token still works 10 s after its end, as a tolerance of up to 5 min would let it: give --time-budget 400s`;
const endedMs = (lifeSeconds + toleranceSeconds + lateSeconds) * secondMs;

export const callTokenRules = rules('calls', {
  'calls.token.jwt-form': {
    source: 'extensions: Call envelope, row accessToken; core: Authentication, rule 2',
    statement:
      'accessToken is a JWT whose header says HS512 and whose signature has the 64 bytes of HMAC SHA512, in a call of whatever type.',
    fault: 'Opaque token instead of a JWT.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: scenario(async (context) => {
      const { expect } = context;
      for (const { type, call } of await callEachType(context)) {
        const token = tokenOf(context, call);
        const what = `the accessToken of an ${type} call`;
        expect(token.split('.').length, `parts of ${what}`).toEqual(3);
        const [header, payload, signature] = partsOf(token);
        expect(decodePart(header), `first part of ${what}, decoded`).toBeAnObject();
        expect(decodePart(payload), `second part of ${what}, decoded`).toBeAnObject();
        expect(signature, `third part of ${what}`).toSatisfy('64 bytes in base64url', (text) =>
          /^[A-Za-z0-9_-]{86}$/.test(text),
        );
        expect(decodePart(header)?.['alg'], `alg of ${what}`).toEqual('HS512');
      }
    }),
  },
  'calls.token.accepted-by-api': {
    source: 'extensions: Authentication, rule 4',
    statement:
      "The envelope's token lets the listener call the public API as the triggering user, whatever role that has: read objects of every space that the user may read, write them by every way that works for the user, use every file route that the user may use, and be that user behind what such a call triggers.",
    fault: 'Token is issued for a technical user without a role in the space.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-event', 'editor-identity'],
    after: ['calls.token.jwt-form'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const extension = await lastingExtension(context);
      const { call } = await triggerEvent(context, extension);
      const token = tokenOf(context, call);
      const speakers = speakersOf(profile.all, 'event');
      const thing = await given.object();
      given.succeeded(await service.read(thing), 'the triggering user may read the object');
      expect(await service.read(thing, withBearer(token))).toAnswer(...(await readableAs(context, thing, 'event')));
      if (speakers.size === 1 && speakers.has('editor')) {
        await expectReadsElsewhere(context, token);
        await expectWrites(context, token);
        await expectUsesFiles(context, token);
        await expectTriggers(context, extension, token, thing);
      }
      await expectOthersRead(context, thing);
      notes.observe(
        'the token names the triggering user',
        subjectOf(token) === subjectOf((await service.token(senderOf(profile.all, 'event'))) ?? ''),
      );
    }),
  },
  'calls.token.no-more-rights': {
    source: 'extensions: Authentication, rule 4 (as that user)',
    statement:
      'The token holds the rights of the user who triggered that call, of whatever type, or scheduled that task, and no more, and whoever is refused a trigger calls nobody: triggered by a non-administrator it is refused on administrator routes.',
    fault: 'Token carries the administrator role always.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'editor-identity'],
    after: ['calls.token.accepted-by-api'],
    test: scenario(async (context) => {
      const { expect, notes, registrations, given, profile } = context;
      await expectRefusedCallsNobody(context);
      await expectSpeaksForEach(context);
      const extension = await lastingExtension(context);
      // the token of an administrator may do all
      const changes = insteadOfAdministrator(context, senderOf(profile.all, 'event'));
      const trigger = () => triggerEvent(context, extension, changes);
      const made = 'as' in changes ? await unlessRefused(trigger) : await trigger();
      if (made === undefined)
        return given.inconclusive('only the administrator sets off events here, whose token may do all');
      const token = tokenOf(context, made.call);
      const endpoint = {
        url: `${extension.url}/never`,
        id: given.unique('endpoint'),
        method: 'POST',
        category: 'conformance',
        headers: [{ name: 'content-type', value: 'text/plain' }],
      };
      const refused = await registrations.post('externalEndpoint', endpoint, withBearer(token));
      if (refused.status !== 403 && profile.all.triggers?.subscribedAs === 'administrator')
        given.inconclusive('an administrator owns the subscription, and its token may speak for the owner');
      expect(refused).toAnswer(403);
      if (profile.all.routes?.registrationUpdate !== undefined) {
        given.succeeded(
          await registrations.update(given.present(extension.registration, 'a registration')),
          'the registration is updated',
        );
        const since = tokenOf(context, (await trigger()).call);
        expect(await registrations.post('externalEndpoint', endpoint, withBearer(since))).toAnswer(403);
      }
      const byAdministrator = await unlessRefused(() => triggerEvent(context, extension, { as: 'administrator' }));
      if (byAdministrator === undefined) return notes.observe('an event of the administrator', 'leads to no call');
      // the token of whoever owns the subscription, where that is somebody else, has no rights of the administrator
      if (![undefined, 'administrator'].includes(profile.all.triggers?.subscribedAs)) return;
      const reply = await registrations.post(
        'externalEndpoint',
        {},
        withBearer(tokenOf(context, byAdministrator.call)),
      );
      expect(reply.status, 'status of a registration with the token of an administrator', reply).toSatisfy(
        'neither 401 nor 403',
        (status) => status !== 401 && status !== 403,
      );
    }),
  },
  'calls.token.life-time-claim': {
    level: 'should',
    source: 'extensions: Registered extension, row tokenLifeTime; Limits, token validity',
    statement:
      "The token's expiry lies tokenLifeTime minutes after its issue, in a call of whatever type, whatever role its user has; those of an update, or of another registration at its host, from then on.",
    fault: 'tokenLifeTime is taken as seconds.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['calls.token.jwt-form'],
    test: scenario(async (context) => {
      const { given, registrations, notes, profile } = context;
      const expectLives = async (extension: Extension, minutes: number, changes: Changes = {}): Promise<void> => {
        const made = await triggerEvent(context, extension, changes);
        const claims = claimsOf(context, tokenOf(context, made.call), 'calls.token.jwt-form');
        expectLife(context, claims, minutes, made);
      };
      for (const tokenLifeTime of [1, 7, 90])
        await expectLives(await given.extension({ tokenLifeTime }), tokenLifeTime);
      for (const as of askersOf(profile.all).slice(1))
        await unlessRefused(async () => expectLives(await given.extension({ tokenLifeTime: 7 }), 7, { as }));
      // how long a life may be is not said
      for (const minutes of [moreThanADayMinutes, longLifeMinutes]) {
        const long = await unlessRefused(() => given.extension({ tokenLifeTime: minutes }));
        notes.observe(`a tokenLifeTime of ${minutes / 60} hours`, long === undefined ? 'is not taken' : 'is taken');
        if (long !== undefined) await expectLives(long, minutes);
      }
      for (const made of await callEachType(context, { tokenLifeTime: 11 }))
        expectLife(context, claimsOf(context, tokenOf(context, made.call), 'calls.token.jwt-form'), 11, made);
      await expectLifeOfLongTask(context);
      const anew = await calledAnew(context, await given.extension({ tokenLifeTime: 90 }), { tokenLifeTime: 7 });
      if (anew) expectLife(context, claimsOf(context, tokenOf(context, anew.call), 'calls.token.jwt-form'), 7, anew);
      if (profile.all.routes?.registrationUpdate === undefined) return;
      const extension = await given.extension({ tokenLifeTime: 90 });
      await expectLives(extension, 90);
      const { length } = extension.metadata();
      given.succeeded(
        await registrations.update(given.present(extension.registration, 'a registration'), { tokenLifeTime: 12 }),
        'the registration is updated',
      );
      await extension.ended(length + 1, { kind: 'metadata' }, { withinMs: callWaitMs });
      await expectLives(extension, 12);
    }),
  },
  'calls.token.expires': {
    source:
      'extensions: Limits, token validity; Call envelope, row accessToken; Registered trusted external endpoint, row tokenLifeTime',
    statement:
      'The token of a call, that of a trusted endpoint included, works up to its lifetime of tokenLifeTime minutes and is refused afterwards, also where it opened a download from its query or reports on a task that still runs.',
    fault: 'Expiry is not enforced on tokens issued for extensions.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-event'],
    after: ['calls.token.accepted-by-api'],
    test: schedule(
      70,
      async (context) => {
        const { given, service, expect, clock, notes } = context;
        const thing = await given.object();
        const works = await readableAs(context, thing, 'event');
        const { triggered, call } = await triggerEvent(context, await given.extension({ tokenLifeTime: 1 }));
        const token = tokenOf(context, call);
        const reads: Told[] = [];
        const at = async (seconds: number) => {
          // its end is told in whole seconds
          const until = seconds < lifeSeconds ? triggered.sentAt + (lifeSeconds - 1) * secondMs : Infinity;
          const moment = call.arrivedAt + seconds * secondMs;
          const reply = await clock.at(moment, () => service.read(thing, withBearer(token)), {
            until,
            what: 'the token ends',
            isRight: ({ status }) => works.includes(status),
          });
          reads.push({
            arrivedAt: clock.now(),
            answered: reply.status,
            label: 'a read',
            isOff: isOutOfLife(seconds, works.includes(reply.status)),
          });
          tellLife(context, call, reads);
          return reply;
        };
        for (const seconds of [5, lateInLifeSeconds]) expect(await at(seconds)).toAnswer(...works);
        const opened = await downloadsBy(context, token);
        const soon = await at(70);
        const stillWorks = works.includes(soon.status);
        notes.observe('the token works 10 s after its end', stillWorks, soon);
        if (stillWorks && !hasTime(context)) given.inconclusive(tolerated);
        expect(stillWorks ? await at(lifeSeconds + toleranceSeconds + 5) : soon).toBeRefused();
        if (opened.length > 0 && hasTime(context)) {
          // files may be served by somebody with a tolerance of his own
          await clock.pass(Math.max(0, call.arrivedAt + (lifeSeconds + toleranceSeconds + 5) * secondMs - clock.now()));
          for (const download of opened) expect(await download()).notToSucceed();
        }
        // hours, which nobody waits for in real time
        if (clock.controlled) await expectDayLong(context, thing, works);
        if (clock.controlled) await expectEndsAtEndpoint(context, thing);
        if (clock.controlled) await expectEndsForReports(context, lifeSeconds / 60, endedMs);
      },
      { atMostSeconds: endedMs / secondMs },
    ),
  },
  'calls.token.refresh-and-owner': {
    level: 'observe',
    source: 'extensions: Call envelope, row accessToken; Limits, token validity (no refresh)',
    statement:
      'Which of the two possible identities (triggering user or subscription owner) a subscribed event carries is not said in detail; nor is any refresh route given.',
    fault: 'Not applicable as a failure; recorded variant: subscription owner.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const token = tokenOf(context, (await triggerEvent(context, await given.extension())).call);
      const claims = decodePart(partsOf(token)[1]) ?? {};
      notes.observe('claims of the envelope token', Object.keys(claims).toSorted().join(', '));
      notes.observe(
        'claims that look like a refresh token or a session',
        Object.keys(claims)
          .filter((name) => /refresh|session|^sid$/i.test(name))
          .join(', '),
      );
      notes.observe(
        'the token names the triggering user',
        subjectOf(token) === subjectOf((await service.token(senderOf(profile.all, 'event'))) ?? ''),
      );
    }),
  },
  'calls.query-token.validation': {
    source: 'extensions: Calls to extensions, last sentence',
    statement: 'A validation call has the impersonating JWT as a query parameter as well.',
    fault: 'Validation calls have no query.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-validation'],
    test: scenario((context) => expectQueryToken(context, 'ExternalValidation')),
  },
  'calls.query-token.task': {
    source: 'extensions: Calls to extensions, last sentence',
    statement: 'A task call has the impersonating JWT as a query parameter as well.',
    fault: 'Task calls have no query.',
    needs: ['collection-admin', 'extension-listener', 'trigger-task'],
    test: scenario((context) => expectQueryToken(context, 'ExternalTask')),
  },
  'calls.query-token.email': {
    source: 'extensions: Calls to extensions, last sentence',
    statement: 'An email call has the impersonating JWT as a query parameter as well.',
    fault: 'Email calls have no query.',
    needs: ['collection-admin', 'extension-listener', 'trigger-email'],
    test: scenario((context) => expectQueryToken(context, 'Email')),
  },
  'calls.query-token.other-types': {
    level: 'observe',
    source: 'extensions: Calls to extensions, last sentence (event and action not named)',
    statement:
      'Event and action calls are not among those with a token query; whether they have one is recorded, as is the parameter name on the other types.',
    fault: 'Not applicable as a failure; recorded variant: every call has access_token.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: scenario(async (context) => {
      const of = triggerableTypes(context);
      const extension = await extensionFor(context, of);
      for (const { type, call: trigger } of of) {
        const { call } = await trigger(extension, withCorrelationId(partHere().id()));
        context.notes.observe(`query parameters of an ${type} call`, call.query.map(([name]) => name).join(', '));
      }
    }),
  },
});

/** The token in the envelope of a call. */
function tokenOf({ given }: CaseContext, { envelope }: Call): string {
  return given.present(envelope.accessToken, 'an accessToken in the envelope', ['calls.envelope.all-fields']);
}

/** Statuses that a read of the object may have for those whom the token of an event or of an endpoint may speak for. */
export async function readableAs(
  { service, profile }: CaseContext,
  thing: Thing,
  trigger: 'event' | 'endpoint',
): Promise<readonly number[]> {
  const speakers = [...speakersOf(profile.all, trigger)];
  return Promise.all(speakers.map(async (as) => (await service.read(thing, { as })).status));
}

function subjectOf(token: string): unknown {
  return decodePart(partsOf(token)[1])?.['sub'];
}

/**
 * Asserts that a token lives for so many minutes from its issue, or, where it does not say when that was, from about its trigger on. Where
 * it has no exp, another claim may tell its end.
 */
export function expectLife(
  { expect, given, notes, clock }: CaseContext,
  claims: Claims,
  minutes: number,
  { triggered, call }: Made,
): void {
  const { exp, iat } = claims;
  notes.observe(`claims of a token for ${minutes} min`, Object.keys(claims).toSorted().join(', '));
  const seen = [triggered.reply.headers['date'] ?? call.arrivedWall, call.arrivedWall].map(
    (time) => Date.parse(time) / 1000,
  );
  // a clock that was moved need not be the one that dates answers
  if (clock.controlled) seen.push(call.arrivedAt / 1000);
  const [begins, tolerance] = typeof iat === 'number' ? [[iat], 1] : [seen, lateSeconds];
  const ends = exp === undefined ? Object.values(claims) : [exp];
  const lives = ends.flatMap((end) => (typeof end === 'number' ? begins.map((begin) => end - begin) : []));
  const isRight = (seconds: number): boolean => Math.abs(seconds - minutes * 60) <= tolerance;
  if (exp === undefined && !lives.some(isRight))
    given.inconclusive('the token has no exp, and no other claim tells its end');
  expect(lives, `seconds from the issue of the token to its expiry, with a tokenLifeTime of ${minutes}`).toSatisfy(
    `${minutes * 60}, give or take ${tolerance}`,
    (candidates) => candidates.some(isRight),
  );
}

/** The claims of a token. `standsOn`: the rule that says that it is a JWT. */
export function claimsOf({ given }: CaseContext, token: string, standsOn: RuleId): Claims {
  return given.present(decodePart(partsOf(token)[1]), 'a token whose claims can be read', [standsOn]);
}

/** A read in a token's life of a minute is answered, one that no tolerance explains any more is not. */
function isOutOfLife(seconds: number, isAnswered: boolean): boolean {
  return seconds < lifeSeconds ? !isAnswered : isAnswered && seconds > lifeSeconds + toleranceSeconds;
}

function tellLife({ clock }: CaseContext, { arrivedAt }: Call, reads: readonly Told[]): void {
  const end = arrivedAt + lifeSeconds * secondMs;
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

/**
 * The token of each call reads what only the user has who set that call off, whoever did before: a task, and where nobody owns subscriptions
 * a call of any type and that of a trusted endpoint. Nothing is asserted unless two users have areas of their own.
 */
async function expectSpeaksForEach(context: CaseContext): Promise<void> {
  const { given, files, expect, notes, profile } = context;
  const { triggers, identities, files: bound } = profile.all;
  if (identities.secondEditor === undefined || bound?.areas.user === undefined) return;
  const users = ['editor', 'secondEditor'] as const;
  const own = await Promise.all(users.map(async (as) => given.file({ area: files.userArea(as) })));
  const isOwned = triggers?.subscribedAs !== undefined;
  const of = triggerableTypes(context).filter(({ type }) => !isOwned || type === 'ExternalTask');
  const extension = of.length === 0 ? undefined : await extensionFor(context, of);
  const tokensOf: Record<string, (changes: Changes) => Promise<string>> = {};
  for (const { type, call } of of)
    tokensOf[type] = async (changes) =>
      tokenOf(context, (await call(given.present(extension, 'an extension'), changes)).call);
  const isOfForm = profile.all.softTypes?.primary !== undefined && triggers?.actionForm !== undefined;
  if (extension !== undefined && isOfForm && tokensOf['ExternalAction'] !== undefined)
    for (const [what, form] of Object.entries({
      'a form': () => createForm(context),
      'a form about an object': async () => editForm(context, await given.object()),
    }))
      tokensOf[what] = async (changes) =>
        tokenOf(context, (await triggerForm(context, extension, await form(), changes)).call);
  if (triggers?.endpoint !== undefined && !isOwned) {
    const endpoint = await unlessRefused(() => lastingEndpoint(context));
    if (endpoint !== undefined) tokensOf['endpoint'] = (changes) => tokenAtEndpoint(context, endpoint, changes);
  }
  for (const [kind, tokenFor] of Object.entries(tokensOf)) {
    for (const index of [0, 1, 0]) {
      const [as, file] = [users[index] ?? 'editor', given.present(own[index], 'a file of the user')];
      const token = await unlessRefused(() => tokenFor({ as }));
      if (token === undefined) notes.observe(`a call of the kind ${kind}, set off by the ${as}`, 'does not come');
      else expect(await files.download(file.area, file.path, withBearer(token))).toSucceed();
    }
    await expectPersonalTokenSpeaks(context, kind, tokenFor, given.present(own[0], 'a file of the editor'));
  }
}

/** The token of the call of an endpoint that was called before. */
async function tokenAtEndpoint(
  { given, triggers }: CaseContext,
  endpoint: Endpoint,
  changes?: Changes,
): Promise<string> {
  const { length } = endpoint.calls();
  await triggers.endpoint(endpoint, undefined, changes);
  const call = given.present((await endpoint.ended(length + 1))[length], 'the call of the endpoint');
  return given.present(call.query.find(([name]) => name === 'access_token')?.[1], 'an access_token in the query', [
    'calls.trusted.access-token-appended',
  ]);
}

/** Whoever triggers an event by the token of a call is the user of that: the token of the next call is of that user as well. */
async function expectTriggers(context: CaseContext, extension: Extension, token: string, thing: Thing): Promise<void> {
  const { service, expect, notes } = context;
  const next = await unlessRefused(() => triggerEvent(context, extension, withBearer(token)));
  notes.observe('an event by the token of a call', next === undefined ? 'leads to no call' : 'leads to a call');
  if (next === undefined) return;
  const further = tokenOf(context, next.call);
  expect(await service.read(thing, withBearer(further))).toAnswer(...(await readableAs(context, thing, 'event')));
  // what a token claims is not said: one that names the user goes on to do so
  if (subjectOf(token) === subjectOf((await service.token('editor')) ?? ''))
    expect(subjectOf(further), 'user in the token of a call that the token of a call has triggered').toEqual(
      subjectOf(token),
    );
}

/** What the token is refused counts where the user may do it. */
async function expectWrites(context: CaseContext, token: string): Promise<void> {
  const { service, expect, notes } = context;
  for (const route of [...editRoutes(context), ...otherWrites(context)]) {
    const request = route.request(await makeEditable(context));
    const reply = await service.send(request, withBearer(token));
    if (!isSuccess(reply.status) && (await service.send(route.request(await makeEditable(context)))).status >= 300)
      notes.observe(`${route.name} works`, false, reply);
    else expect(reply).toSucceed();
  }
}

/** The ways to download a file that the token opens now: in the header and in the query. None where nothing says that it opens an area. */
async function downloadsBy(
  { given, files, notes, profile }: CaseContext,
  token: string,
): Promise<readonly (() => Promise<Reply>)[]> {
  const area = files.areas.find(({ as }) => as === 'editor');
  if (area === undefined || profile.all.triggers?.subscribedAs !== undefined) return [];
  const { path } = await given.file({ area });
  const ways = {
    header: () => files.download(area, path, withBearer(token)),
    query: () => files.download(area, path, { token: { text: token } }),
  };
  const opened: (() => Promise<Reply>)[] = [];
  for (const [what, download] of Object.entries(ways)) {
    const reply = await download();
    notes.observe(`status of a download with the token of a call in its ${what}`, reply.status, reply);
    if (isSuccess(reply.status)) opened.push(download);
  }
  return opened;
}

/** The token of a task lives no longer because the task may. */
async function expectLifeOfLongTask(context: CaseContext): Promise<void> {
  const { given, notes } = context;
  if (context.profile.all.triggers?.task === undefined || !takesTimeout(context)) return;
  const extension = await given.extension({ types: ['ExternalTask'], tokenLifeTime: 13 });
  const task = await unlessRefused(() => given.task(extension, { timeout: 7200 }));
  notes.observe('a task with a timeout of two hours', task === undefined ? 'is not taken' : 'is taken');
  if (task !== undefined) expectLife(context, claimsOf(context, task.token, 'calls.token.jwt-form'), 13, task);
}

/** The token of a day works to its last hour, and that of a later call as long as that. */
async function expectDayLong(context: CaseContext, thing: Thing, works: readonly number[]): Promise<void> {
  const { given, service, expect, clock } = context;
  const extension = await given.extension({ tokenLifeTime: dayMinutes });
  const endOf = ({ sentAt }: Made['triggered']): number => sentAt + dayMinutes * 60 * secondMs;
  const expectWorks = async (call: Call, moment: number, until: number): Promise<void> => {
    const token = tokenOf(context, call);
    const read = await clock.at(moment, () => service.read(thing, withBearer(token)), {
      until: until - secondMs,
      what: 'the token of a day ends',
      isRight: ({ status }) => works.includes(status),
    });
    expect(read).toAnswer(...works);
  };
  const first = await triggerEvent(context, extension);
  const endsAt = endOf(first.triggered);
  const opened = await downloadsBy(context, tokenOf(context, first.call));
  await expectWorks(first.call, endsAt - halfHourMs, endsAt);
  for (const download of opened) expect(await download()).toSucceed();
  // a day of its own, and not what is left of the first one
  const second = await triggerEvent(context, extension);
  await expectWorks(second.call, endsAt + halfHourMs, endOf(second.triggered));
  // it was used late in its life
  expect(await service.read(thing, withBearer(tokenOf(context, first.call)))).toBeRefused();
}

/** A trusted endpoint has minutes of its own. */
async function expectEndsAtEndpoint(context: CaseContext, thing: Thing): Promise<void> {
  const { given, service, expect, clock, profile } = context;
  if (profile.all.triggers?.endpoint === undefined) return;
  const works = await readableAs(context, thing, 'endpoint');
  const endpoint = await given.endpoint({ trusted: true, registration: { tokenLifeTime: lifeSeconds / 60 } });
  const sentAt = clock.now();
  const token = await tokenAtEndpoint(context, endpoint);
  for (const seconds of [0, lateInLifeSeconds]) {
    const read = await clock.at(sentAt + seconds * secondMs, () => service.read(thing, withBearer(token)), {
      until: sentAt + (lifeSeconds - 1) * secondMs,
      what: 'the token of the endpoint ends',
      isRight: ({ status }) => works.includes(status),
    });
    expect(read).toAnswer(...works);
  }
  await clock.pass(endedMs);
  expect(await service.read(thing, withBearer(token))).toBeRefused();
}

/** Whether the run may last until no tolerance explains any more that a token works. */
function hasTime({ clock, profile }: CaseContext): boolean {
  return clock.controlled || timeBudgetSeconds(profile.all) > toleranceSeconds + 90;
}

/** Exactly one parameter has the token of the envelope; its name is not documented. */
async function expectQueryToken(context: CaseContext, type: CalledType): Promise<void> {
  const { given, expect, notes } = context;
  const of = triggerableTypes(context, true).filter((way) => way.type === type);
  const way = given.present(of[0], `a trigger for ${type}`);
  const { call } = await way.call(await extensionFor(context, of), withCorrelationId(partHere().id()));
  const token = tokenOf(context, call);
  const tokens = tokensInQuery(call);
  expect(tokens.length, `query parameters of the ${type} call that hold the accessToken of its envelope`).toEqual(1);
  const [[name, value] = ['', '']] = tokens;
  notes.bound('queryTokenName', 'name of the query parameter with the token', name);
  notes.observe('the token in the query is that of the envelope', value === token);
  if (value !== token) await expectSameRights(context, value, token);
}

/** Another token than that of the envelope opens what that one opens. */
async function expectSameRights({ given, service, expect }: CaseContext, token: string, own: string): Promise<void> {
  const thing = await given.object();
  const { status } = await service.read(thing, withBearer(own));
  expect(await service.read(thing, withBearer(token))).toAnswer(status);
}

/** Somebody else who triggers an event in the space, and may read the object, is no less impersonated. */
async function expectOthersRead(context: CaseContext, thing: Thing): Promise<void> {
  const { service, expect, notes, profile } = context;
  for (const as of askersOf(profile.all).slice(1)) {
    const extension = await lastingExtension(context);
    const made = await unlessRefused(() => triggerEvent(context, extension, { as }));
    const mayRead = (await service.read(thing, { as })).status === 200;
    notes.observe(`an event of ${as} is taken`, made !== undefined);
    if (made !== undefined && mayRead)
      expect(await service.read(thing, withBearer(tokenOf(context, made.call)))).toAnswer(
        200,
        ...(await readableAs(context, thing, 'event')),
      );
  }
}
