import { fileURLToPath } from 'node:url';
import type { AuthSettings, Configuration, Space, Template } from '../configuration.ts';
import { administrationKeyComplaint } from './administration-key.ts';
import { seedSchema, templatesSchema, type SeedSource, type TemplatesSource } from './schema.ts';
import { compiled, readSource, type Source } from './source.ts';
import { mapOf, templatesFrom } from './template.ts';

/** Where a configuration is read from; the files of the package unless others are named. */
export interface ConfigurationFiles {
  readonly templates: string;
  readonly seed: string;
}

const bundled: ConfigurationFiles = { templates: fixture('space-template.yaml'), seed: fixture('seed.yaml') };
const loaded = new Map<string, Configuration>();

/** Reads a configuration; each pair of files once a process, for a configuration never changes. @throws {ConfigurationError} */
export function loadConfiguration({ templates, seed }: ConfigurationFiles = bundled): Configuration {
  const key = JSON.stringify([templates, seed]);
  const known = loaded.get(key);
  if (known) return known;
  const fresh = configurationFrom(
    readSource(templates, compiled<TemplatesSource>(templatesSchema)),
    readSource(seed, compiled<SeedSource>(seedSchema)),
  );
  loaded.set(key, fresh);
  return fresh;
}

/** @throws {ConfigurationError} a name that points nowhere */
export function configurationFrom(templateSource: Source<TemplatesSource>, seed: Source<SeedSource>): Configuration {
  const templates = templatesFrom(templateSource);
  const { collection, auth, roles, spaces, users, ...outside } = seed.content;
  assertHolders(seed);
  assertAdministrationKey(seed);
  return {
    ...outside,
    collection,
    auth: authFrom(auth),
    templates,
    spaces: mapOf(spaces, (space, id) => spaceFrom(id, space, templates, seed.error)),
    users: mapOf(users, (user, name) => ({ name, collectionAdministrator: false, ...user })),
    roles: mapOf(roles, (role) => new Set<string>(role.methods)),
  };
}

function spaceFrom(
  id: string,
  source: SeedSource['spaces'][string],
  templates: ReadonlyMap<string, Template>,
  complain: Source<SeedSource>['error'],
): Space {
  const template = templates.get(source.template);
  if (!template)
    throw complain(['spaces', id, 'template'], `names the template ${source.template}, which does not exist`);
  return {
    id,
    name: source.name,
    template,
    participants: mapOf(source.participants, (holders) => new Map(Object.entries(holders))),
  };
}

/** Every role holder is a user, every role held is one of those listed. */
function assertHolders({ content: { spaces, users, roles }, error }: Source<SeedSource>): void {
  for (const [spaceId, space] of Object.entries(spaces)) {
    for (const [participantId, holders] of Object.entries(space.participants)) {
      const path = ['spaces', spaceId, 'participants', participantId];
      for (const [user, role] of Object.entries(holders)) {
        if (!Object.hasOwn(users, user)) throw error([...path, user], `names the user ${user}, who does not exist`);
        if (!Object.hasOwn(roles, role)) throw error([...path, user], `names the role ${role}, which does not exist`);
      }
    }
  }
}

function assertAdministrationKey({ content: { administrationKey }, error }: Source<SeedSource>): void {
  const complaint = administrationKey === undefined ? undefined : administrationKeyComplaint(administrationKey);
  if (complaint !== undefined) throw error(['administrationKey'], complaint);
}

function authFrom(source: SeedSource['auth']): AuthSettings {
  return {
    ...source,
    signingKey: Buffer.from(source.signingKey, 'base64'),
    idTokenKey: Buffer.from(source.idTokenKey, 'base64'),
  };
}

function fixture(name: string): string {
  return fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));
}
