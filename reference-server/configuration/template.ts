import type { Filter, MaturityProcess, Member, Members, SchemaView, SoftType, Template } from '../configuration.ts';
import type { MemberSource, SoftTypeSource, TemplateSource, TemplatesSource, ViewSource } from './schema.ts';
import type { Source } from './source.ts';

type Complain = Source<TemplatesSource>['error'];

/** The templates of a file, by id. @throws {ConfigurationError} a name that points nowhere */
export function templatesFrom(source: Source<TemplatesSource>): ReadonlyMap<string, Template> {
  return mapOf(source.content.templates, (template, id) => templateFrom(id, template, source.error));
}

function templateFrom(id: string, source: TemplateSource, complain: Complain): Template {
  const path = ['templates', id];
  const processes = mapOf(source.maturity, processFrom);
  const softTypes = mapOf(source.softTypes, (softType, softTypeId) => {
    assertReferences(softType.members, source, [...path, 'softTypes', softTypeId, 'members'], complain);
    return softTypeFrom(softTypeId, softType, processes, [...path, 'softTypes', softTypeId], complain);
  });
  const filters = mapOf(source.filters, (filter, filterId): Filter => ({ id: filterId, ...filter }));
  for (const filter of filters.values()) assertFilter(filter, softTypes, [...path, 'filters', filter.id], complain);
  return { id, name: source.name, softTypes, filters };
}

function processFrom(source: TemplateSource['maturity'][string], id: string): MaturityProcess {
  return { id, levels: mapOf(source.levels, (level) => level.states) };
}

function softTypeFrom(
  id: string,
  source: SoftTypeSource,
  processes: ReadonlyMap<string, MaturityProcess>,
  path: readonly string[],
  complain: Complain,
): SoftType {
  const members = membersFrom(source.members);
  const viewsOf = (kind: 'inputs' | 'outputs'): ReadonlyMap<string, SchemaView> =>
    mapOf(source[kind], (view, viewId) => viewFrom(viewId, view, members, [...path, kind, viewId], complain));
  const views = { inputs: viewsOf('inputs'), outputs: viewsOf('outputs') };
  if (source.maturity === undefined) return { id, members, ...views };
  const maturity = processes.get(source.maturity);
  if (!maturity)
    throw complain([...path, 'maturity'], `names the maturity process ${source.maturity}, which the template lacks`);
  return { id, members, ...views, maturity };
}

function membersFrom(source: Readonly<Record<string, MemberSource>>): Members {
  return mapOf(source, memberFrom);
}

function memberFrom({ kind, mandatory = false, of = 'string', to = '', members = {} }: MemberSource): Member {
  switch (kind) {
    case 'list':
    case 'dated':
      return { kind, of, mandatory };
    case 'object':
    case 'entries':
      return { kind, members: membersFrom(members), mandatory };
    case 'references':
      return { kind, to, mandatory };
    default:
      return { kind, mandatory };
  }
}

/** Without `only` a schema holds all members; both lists speak canonical names. */
function viewFrom(
  id: string,
  source: ViewSource,
  members: Members,
  path: readonly string[],
  complain: Complain,
): SchemaView {
  const { only = [...members.keys()], rename = {} } = source;
  for (const member of [...only, ...Object.keys(rename)]) {
    if (!members.has(member)) throw complain(path, `names the member ${member}, which the definition lacks`);
  }
  const held = [...members.keys()].filter((member) => only.includes(member));
  const names = new Map(held.map((member) => [rename[member] ?? member, member]));
  if (names.size !== held.length) throw complain(path, 'gives two members one name');
  return { id, names };
}

function assertReferences(
  members: SoftTypeSource['members'],
  template: TemplateSource,
  path: readonly string[],
  complain: Complain,
): void {
  for (const [name, member] of Object.entries(members)) {
    const at = [...path, name];
    if (member.kind === 'references' && !Object.hasOwn(template.softTypes, member.to ?? '')) {
      throw complain([...at, 'to'], `refers to the definition ${member.to}, which the template lacks`);
    }
    if (member.members) assertReferences(member.members, template, [...at, 'members'], complain);
  }
}

function assertFilter(
  filter: Filter,
  softTypes: ReadonlyMap<string, SoftType>,
  path: readonly string[],
  complain: Complain,
): void {
  const port = softTypes.get(filter.softType)?.members.get(filter.port);
  if (port?.kind !== 'entries')
    throw complain([...path, 'port'], `${filter.softType} has no array port ${filter.port}`);
  if (!port.members.has(filter.member))
    throw complain([...path, 'member'], `entries of ${filter.port} have no member ${filter.member}`);
  const asks = filter.groupId !== undefined && filter.criteriaPort !== undefined;
  if (filter.equals === undefined && !asks) throw complain(path, 'needs either equals, or groupId and criteriaPort');
}

/** A map in the order of the file; keys that mean something to JavaScript are keys like others. */
export function mapOf<S, T>(
  record: Readonly<Record<string, S>>,
  make: (value: S, key: string) => T,
): ReadonlyMap<string, T> {
  return new Map(Object.entries(record).map(([key, value]) => [key, make(value, key)]));
}
