import { isObject } from '../../judge/json.ts';
import { type CaseContext, scenario } from '../../judge/case.ts';
import { runAlone } from '../../judge/service/races.ts';
import { rules } from '../../judge/rule.ts';
import { editRoutes, findWorking, otherWrites } from '../../judge/service/writes.ts';
import { assumeBearable, withBearer } from '../../judge/service/token.ts';
import { withoutFilter } from '../../judge/notes.ts';
import { UnfitProfile } from '../../judge/violation.ts';
import { makeWithdrawals } from './checks/each-route.ts';
import { commonersOf, readersOf } from './checks/readers.ts';

export const collectionRules = rules('collection', {
  'collection.admin.is-served': {
    source: 'core: What the service does, collection level; Authentication 7',
    statement: 'A Collection Administrator gets collection routes below `api/collection/` served.',
    fault: 'collection routes ask for a role in a space',
    needs: ['collection-admin', 'collection-route'],
    test: scenario(async (context) => {
      const { service, expect, notes, profile } = context;
      for (const path of readsOf(context)) {
        const reply = await service.get(path, { as: 'administrator' });
        expect(reply).toAnswer(200);
        // what they tell is not shown: health may well be a word
        notes.observe(`${path} answers with JSON`, reply.json !== undefined, reply);
        const bare = await service.get(path, { as: 'administrator', filter: null });
        notes.observe(`${path} without information filter`, bare.status, bare);
        notes.bound(withoutFilter(profile, 'collection'), `${path} is served without it`, bare.status === 200, bare);
      }
    }),
  },
  'collection.missing-token.status-401': {
    source: 'core: Authentication 6 and 7',
    statement: 'Collection routes answer 401 without a token; without one nothing is written by them.',
    fault: 'collection reads are public',
    needs: ['collection-admin', 'collection-route'],
    after: ['collection.admin.is-served'],
    test: scenario(async (context) => {
      const { service, expect, profile } = context;
      for (const path of await servedReads(context)) expect(await service.get(path, { as: null })).toAnswer(401);
      for (const { method, path, body } of profile.all.collection?.writes ?? [])
        // whether it lacks a version as well is not said
        expect(await service.send({ method, url: path, as: null, body })).notToSucceed();
    }),
  },
  'collection.space-editor.status-403': {
    source: 'core: Authentication 6 and 7',
    statement:
      'An identity that is no Collection Administrator gets 403 from collection routes, whatever role it has in whatever space, or none.',
    fault: 'any role in any space opens collection routes',
    needs: ['soft-type', 'collection-admin', 'collection-route'],
    after: ['collection.admin.is-served'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const thing = await given.object();
      const commoners = commonersOf(context);
      for (const as of commoners.filter((who) => who === 'noRole' || who === 'outsider'))
        for (const path of await servedReads(context))
          if (!isOwnProfile(context, path)) expect(await service.get(path, { as })).toAnswer(403);
      for (const as of ([...readersOf(profile), 'spaceAdministrator'] as const).filter((who) =>
        commoners.includes(who),
      )) {
        given.succeeded(await service.read(thing, { as }), `the ${as} reads in the space`, [
          'auth.role.reader-may-read',
        ]);
        for (const path of await servedReads(context)) {
          const reply = await service.get(path, { as });
          if (isOwnProfile(context, path)) notes.observe(`own profile read by the ${as}`, reply.status, reply);
          else expect(reply).toAnswer(403);
        }
      }
      for (const { method, path, body } of profile.all.collection?.writes ?? [])
        for (const as of isOwnProfile(context, path) ? [] : commoners)
          // whether it lacks a version as well is not said
          expect(await service.send({ method, url: path, as, body })).notToSucceed();
    }),
  },
  'collection.admin.no-space-access': {
    source: 'core: Authentication 7',
    statement:
      'Being Collection Administrator gives no access to space routes: without a role in the space the answer is 403.',
    fault: 'the administrator passes every role check',
    needs: ['soft-type', 'text-member', 'collection-admin', 'collection-route'],
    after: ['collection.admin.is-served'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const { methods = [] } = profile.all.identities.administrator ?? {};
      if (methods.length > 0)
        throw new UnfitProfile(
          'an administrator without a role in the space, which identities.administrator.methods tells of',
        );
      const [path] = await servedReads(context);
      given.succeeded(
        await service.get(given.present(path, 'a collection route'), { as: 'administrator' }),
        'the administrator reads a collection route',
      );
      const thing = await given.object();
      const before = await service.snapshot(thing);
      expect(await service.read(thing, { as: 'administrator' })).toAnswer(403);
      expect(await service.merge(thing, { [profile.textMember]: given.unique() }, { as: 'administrator' })).toAnswer(
        403,
      );
      // a batch answers its operations one by one
      const routes = [...editRoutes(context), ...otherWrites(context).filter(({ name }) => name !== 'batch')];
      for (const route of await findWorking(context, routes))
        expect(await service.send(route.request(thing), { as: 'administrator' })).toAnswer(403);
      for (const request of await makeWithdrawals(context, thing))
        expect(await service.send(request, { as: 'administrator' })).toAnswer(403);
      expect.unchanged(before, await service.snapshot(thing));
    }),
  },
  'collection.pat.accepted': {
    source: 'core: Authentication 1 and 2',
    statement:
      'Collection routes accept a personal access token of the administrator as bearer token, and none of somebody else, be it as a password.',
    fault: 'collection routes accept a JWT only',
    needs: ['collection-admin', 'collection-route', 'admin-pat'],
    after: ['collection.admin.is-served'],
    test: scenario(async (context) => {
      const { service, files, expect, profile } = context;
      const { administrator, editor } = profile.all.identities;
      const pat = context.given.present(administrator?.pat, 'a personal access token of the administrator');
      assumeBearable(pat);
      const altered = pat.slice(0, -1) + (pat.endsWith('a') ? 'b' : 'a');
      for (const path of await servedReads(context)) {
        expect(await service.get(path, withBearer(pat))).toAnswer(200);
        expect(await service.get(path, withBearer(altered))).notToSucceed();
        const refused = (await service.get(path, { as: 'editor' })).status === 403;
        if (editor.pat === undefined || !refused) continue;
        expect(await service.get(path, withBearer(editor.pat))).toAnswer(403);
        // whether Basic is taken here is not said
        if (editor.username !== undefined) expect(await service.get(path, files.basic('editor'))).notToSucceed();
      }
    }),
  },
  'collection.resources.recorded': {
    level: 'observe',
    source: 'core: What the service does, collection level; Resources (collection-level fields not shown)',
    statement:
      'Routes and fields of templates, spaces, health and profiles, and whether their PUT and PATCH ask for a version, are not described.',
    needs: ['collection-admin', 'collection-route'],
    test: runAlone(
      'resources that are no SoftTypes',
      scenario(async (context) => {
        const { service, notes, profile } = context;
        for (const path of readsOf(context)) {
          const reply = await service.get(path, { as: 'administrator' });
          notes.observe(`status of ${path}`, reply.status, reply);
          notes.observe(`top-level keys of ${path}`, keysOf(reply.json), reply);
          notes.observe(`ETag on ${path}`, reply.headers['etag'] !== undefined, reply);
        }
        for (const { method, path, body } of profile.all.collection?.writes ?? []) {
          const reply = await service.send({ method, url: path, as: 'administrator', body });
          notes.bound('collectionWriteWithoutVersion', `${method} ${path} without version header`, reply.status, reply);
        }
      }),
    ),
  },
});

function readsOf({ profile }: CaseContext): readonly string[] {
  return profile.all.collection?.reads ?? [];
}

/** The routes that do answer the administrator: the others have nothing to protect. */
async function servedReads(context: CaseContext): Promise<readonly string[]> {
  const served = [];
  for (const path of readsOf(context))
    if ((await context.service.get(path, { as: 'administrator' })).status === 200) served.push(path);
  context.given.assume(served.length > 0, 'a collection route that answers the administrator');
  return served;
}

/** The document gives no exception for the own profile, but a user may well be let at it: recorded only. */
function isOwnProfile({ profile }: CaseContext, path: string): boolean {
  return path === profile.all.collection?.ownProfile || /profile/i.test(path);
}

function keysOf(json: unknown): string {
  if (Array.isArray(json)) return `array of ${json.length}`;
  return isObject(json) ? Object.keys(json).sort().join(', ') : typeof json;
}
