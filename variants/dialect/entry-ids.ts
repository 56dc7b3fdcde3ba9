import type { StoredObject } from '../../reference-server/ports/store.ts';
import { type Section, isArrayMember } from '../../reference-server/areas/soft-type.ts';
import { type Variant, together, replaces } from '../breaks.ts';
import { type Json, isObject, mapped } from './choice.ts';

/** How clients know the entries that the server numbers from 1 in each array. */
export interface EntryIds {
  spell(entryId: number, object: StoredObject): number | string;
  /** The number behind what a client wrote, as text; what is no id comes back as a text that is none. */
  read(token: string, object: StoredObject): string;
}

/** Entry ids are mapped at the border, in reads, in paths and in page links; behind it they stay numbers. */
export function spelledEntryIds(ids: EntryIds): Variant {
  const renamedIn = (value: Json, object: StoredObject): Json => {
    const renaming = mapped(value, (inner) =>
      typeof inner['$entryId'] === 'number' ? { ...inner, $entryId: ids.spell(inner['$entryId'], object) } : inner,
    );
    return isObject(renaming) ? renaming : {};
  };
  /** The section with the ids in its path as clients know them. */
  const renamed = (section: Section, object: StoredObject): Section => {
    if (!isArrayMember(section.member) || section.items === undefined) return section;
    const path = section.path.replaceAll(/(?<=\/)\d+(?=\/)/g, (id) => String(ids.spell(Number(id), object)));
    return { ...section, path };
  };
  return together(
    replaces('instances', 'assembleInstance', async (right, areas, call, reading, object, ...rest) => {
      const instance = await right(areas, call, reading, object, ...rest);
      return { ...instance, data: { ...instance.data, ...renamedIn(instance.data, object) } };
    }),
    replaces('paging', 'assemblePage', async (right, areas, call, reading, object, ...rest) => {
      const page = await right(areas, call, reading, object, ...rest);
      return { ...page, data: page.data.map((entry) => ({ ...entry, ...renamedIn(entry, object) })) };
    }),
    replaces('operations', 'targetOf', (right, areas, run, operation) => {
      const tokens = operation.tokens.map((token, index) => (index === 0 ? token : ids.read(token, run.object)));
      return right(areas, run, { ...operation, tokens });
    }),
    replaces('paging', 'locateSection', (right, areas, reading, object, view, softType, path) => {
      const segments = path.split('/').map((segment, index) => (index === 0 ? segment : ids.read(segment, object)));
      return right(areas, reading, object, view, softType, segments.join('/'));
    }),
    replaces('entries', 'pageHref', (right, areas, object, view, section, ...rest) =>
      right(areas, object, view, renamed(section, object), ...rest),
    ),
    replaces('hypermedia', 'pageLink', (right, areas, object, view, section, ...rest) => {
      const link = right(areas, object, view, section, ...rest);
      return { ...link, sectionPath: renamed(section, object).path };
    }),
  );
}
