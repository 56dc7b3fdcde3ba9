import type { Areas } from '../../../reference-server/areas.ts';
import type { StoredObject } from '../../../reference-server/ports/store.ts';
import { replaces, type Variant, within } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { at, listAt, movePath, versionHeader } from '../service.ts';
import { changes } from '../variant-parts.ts';

/** Whether the object is of the first definition with a process. */
function isFirstToMove(areas: Areas, { spaceId, softType }: StoredObject): boolean {
  const types = areas.configuration.spaces.get(spaceId)?.template.softTypes;
  return [...(types?.values() ?? [])].find(({ maturity }) => maturity !== undefined)?.id === softType;
}

/** The version of whatever is not the first definition with a process stays as it was. */
function staysAfter(move: 'versionAfterPromote' | 'versionAfterDemote'): Variant {
  return changes('maturity', move, (version, areas, object) =>
    isFirstToMove(areas, object) ? version : object.version,
  );
}

export const otherDefinitionsMistakes: Mistakes = {
  'maturity.version-of-the-second-definition-stays-at-a-promote': {
    source: 'core: States and transitions; Versioning 2',
    breaks: 'A promote counts the version up, whatever definition the object is of.',
    variant: staysAfter('versionAfterPromote'),
    async shows({ edda }) {
      const made = await edda.make('ChangeRequest');
      await edda.send('PUT', movePath(made), { headers: versionHeader(1) });
      return at(await edda.read(made), '/version') !== 2;
    },
  },
  'maturity.version-of-the-second-definition-stays-at-a-demote': {
    source: 'core: States and transitions; Versioning 2',
    breaks: 'A demote counts the version up, whatever definition the object is of.',
    variant: staysAfter('versionAfterDemote'),
    async shows({ edda }) {
      const made = await edda.make('ChangeRequest');
      await edda.send('PUT', movePath(made), { headers: versionHeader(1) });
      await edda.send('PUT', movePath(made, 'demote'), { headers: versionHeader(2) });
      return at(await edda.read(made), '/version') !== 3;
    },
  },
  'links.edit-of-other-definitions': {
    source: 'core: Link object, href; What the service does, hypermedia',
    breaks: 'The link to edit an object leads to its edit, whatever definition it is of.',
    variant: changes('hypermedia', 'operationLinks', (links, _areas, _object, softType, view) =>
      softType.id === 'Document'
        ? links
        : links.map((link) =>
            link.rel === 'edit' || link.rel === 'replace'
              ? { ...link, href: link.href.replace(/\/[^/]+(\/[^/]+)$/, `/${view.id}$1`) }
              : link,
          ),
    ),
    async shows({ edda }) {
      const made = await edda.make('ChangeRequest');
      const link = listAt(await edda.read(made), '/links').find((one) => at(one, '/rel') === 'edit');
      const answer = await edda.send('PATCH', String(at(link, '/href')), { headers: versionHeader(1), body: {} });
      return answer.status === 404;
    },
  },
  'maturity.state-of-the-second-definition-stays-at-a-promote': {
    source: 'core: States and transitions',
    breaks: 'A promote moves the state of its level, for every SoftType that goes through the process.',
    variant: replaces('maturity', 'promoteObject', (right, areas, call, writing) =>
      right(
        call.object.softType === 'Document'
          ? areas
          : within(areas, { maturity: { contentInState: (content) => content } }),
        call,
        writing,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('ChangeRequest');
      await edda.move(made, 1);
      return at(await edda.read(made), '/data/engineering/state') === 'draft';
    },
  },
  'reading.others-by-their-first-output-schema': {
    source: 'core: Endpoint table, GET softtype, second form',
    breaks: 'The data are those of the output schema that the path names, of every SoftType.',
    variant: replaces('objects', 'outputViewOf', (right, areas, softType, schemaId) => {
      const view = right(areas, softType, schemaId);
      return softType.id === 'Document' ? view : right(areas, softType, undefined);
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { remark: 'r' });
      const read = await edda.get(`/api/space/main/softtype/Part/partCard/${made.oid}`);
      return at(read.json, '/data/remark') === 'r';
    },
  },
};
