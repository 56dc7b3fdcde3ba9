import { Area } from '../area.ts';
import { mediaTypes } from '../../contract/names.ts';
import type { Configuration, User } from '../configuration.ts';
import type { Answer, Call, UserCall } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import { type Route, readingRoute, writingRoute } from '../http/route.ts';
import type { Reading, Writing } from '../ports/store.ts';
import type { Caching } from './caching.ts';

/** What a user may say about himself, for all spaces. */
interface UserProfile {
  readonly displayName: string;
}

/** Kind under which profiles stand in the store, by user name. */
const profileKind = 'userProfile';

const longestDisplayName = 200;

interface Needs {
  readonly configuration: Configuration;
  readonly caching: Caching;
}

/** What belongs to no space: templates, spaces, health, and the own profile. */
export class Collection extends Area<Needs> {
  routes(): readonly Route[] {
    return [
      readingRoute({
        method: 'GET',
        path: '/api/collection/template',
        access: 'collection',
        effect: 'read',
        needs: {},
        handle: (call) => this.readTemplates(call),
      }),
      readingRoute({
        method: 'GET',
        path: '/api/collection/space',
        access: 'collection',
        effect: 'read',
        needs: {},
        handle: (call) => this.readSpaces(call),
      }),
      readingRoute({
        method: 'GET',
        path: '/api/collection/health',
        access: 'collection',
        effect: 'read',
        needs: {},
        handle: (call, reading) => this.readHealth(call, reading),
      }),
      readingRoute({
        method: 'GET',
        path: '/api/collection/user/profile',
        access: 'collection',
        effect: 'read',
        needs: {},
        handle: (call, reading) => this.readProfile(call, reading),
      }),
      writingRoute({
        method: 'PUT',
        path: '/api/collection/user/profile',
        access: 'collection',
        effect: 'write',
        needs: { mediaTypes: [mediaTypes.json], json: profileFrom },
        handle: (call, writing) => this.putProfile(call, writing),
      }),
    ];
  }

  private async readTemplates(call: Call): Promise<Answer> {
    const templates = this.needs.configuration.templates
      .values()
      .map(({ id, name, softTypes }) => ({ id, name, softTypes: [...softTypes.keys()] }));
    return this.answerListing(call, '/api/collection/template', [...templates]);
  }

  private async readSpaces(call: Call): Promise<Answer> {
    const spaces = this.needs.configuration.spaces
      .values()
      .map(({ id, name, template }) => ({ id, name, template: template.id }));
    return this.answerListing(call, '/api/collection/space', [...spaces]);
  }

  /** Healthy when the store answers; a store that does not makes it a 500. */
  private async readHealth(call: Call, reading: Reading): Promise<Answer> {
    await reading.document('health', 'probe');
    return this.needs.caching.conditional(call, {
      status: 200,
      body: { ...this.needs.configuration.collection, status: 'healthy' },
    });
  }

  private async readProfile(call: UserCall, reading: Reading): Promise<Answer> {
    const profile = await profileOf(reading, call.user);
    return this.needs.caching.conditional(call, {
      status: 200,
      body: { id: call.user.name, name: call.user.name, ...profile },
    });
  }

  /** Replaces the own profile; it has no system version, so none is asked for. */
  async putProfile(call: UserCall & { readonly json: UserProfile }, writing: Writing): Promise<Answer> {
    await writing.putDocument(profileKind, call.user.name, JSON.stringify(call.json));
    return { status: 204 };
  }

  private answerListing(call: Call, href: string, data: readonly object[]): Answer {
    return this.needs.caching.conditional(call, { status: 200, body: { href, data } });
  }
}

/** The stored profile, or the one that the configuration gives. */
async function profileOf(reading: Reading, user: User): Promise<UserProfile> {
  const text = await reading.document(profileKind, user.name);
  return text === undefined ? { displayName: user.displayName } : profileFrom(JSON.parse(text));
}

/** @throws {Refusal} 422 for another member, or a display name that is no text of 1 to 200 characters */
function profileFrom(body: unknown): UserProfile {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal(422, 'Expected an object with displayName.', { pointer: '' });
  for (const member of Object.keys(body)) if (member !== 'displayName') throw unknownMember(member);
  const displayName: unknown = 'displayName' in body ? body.displayName : undefined;
  if (typeof displayName === 'string' && displayName !== '' && displayName.length <= longestDisplayName)
    return { displayName };
  throw new Refusal(422, `Expected displayName to be a text of 1 to ${longestDisplayName} characters.`, {
    pointer: '/displayName',
  });
}

function unknownMember(member: string): Refusal {
  const pointer = `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return new Refusal(422, `A profile has no member ${member}; it holds displayName only.`, { pointer });
}
