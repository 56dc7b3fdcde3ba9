import { isContent } from '../../../reference-server/areas/content.ts';
import type { SpaceCall } from '../../../reference-server/http/call.ts';
import { Refusal, Undone } from '../../../reference-server/http/refusal.ts';
import type { FoundObject } from '../../../reference-server/http/route.ts';
import { type Content, detach } from '../../../reference-server/ports/store.ts';
import { replaces, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import {
  documentsPath,
  mergeOf,
  multiCreateOf,
  named,
  operationsOf,
  pageLinkIn,
  part,
  putOf,
  readCreated,
} from '../proofs.ts';
import { at, type Made, many, movePath, versionHeader } from '../service.ts';
import { changes, during, mapEntries } from '../variant-parts.ts';

export const batchRoutesMistakes: Mistakes = {
  'batch.ten-items-of-a-multi-create': {
    source: 'core: Batch rules 4; Multi-create rules 1',
    breaks: 'A multi-create makes all its instances, as an operation of a batch too.',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) =>
      right(areas, call, writing, 'isChangedHere' in call ? items.slice(0, 10) : items, inputs),
    ),
    async shows({ edda }) {
      const answer = await edda.batch([multiCreateOf(many(11, (number) => part(`p${number}`)))]);
      return (await edda.get(String(at(answer.json, '/0/body/10/href')))).status === 404;
    },
  },
  'batch.put-keeps-what-is-inside-objects': {
    source: 'core: Batch rules 5',
    breaks: 'A PUT of a batch replaces all fields, also those inside an object.',
    variant: during('batch', 'runOperation', (step) =>
      changes('editing', 'replaceContent', (content, areas, old) =>
        step.isOn()
          ? { ...content, ...areas.editing.mergePatch(objectsIn(old, content), objectsIn(content, old)) }
          : content,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { dimensions: { width: 'w', height: 'h' } });
      await edda.batch([putOf(made, 1, { title: 't', dimensions: { width: 'x' } })]);
      return at(await edda.read(made), '/data/dimensions/height') !== undefined;
    },
  },
  'batch.no-demote': {
    source: 'core: Batch rules 2',
    breaks: 'A batch knows both maturity actions, demote as well as promote.',
    variant: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) => {
      return path.includes('/maturityAction/demote/') ? undefined : right(areas, table, method, path);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'demote' });
      await edda.move(made, 1);
      const operation = { method: 'PUT', href: movePath(made, 'demote'), headers: versionHeader(2) };
      return (await edda.batch([operation])).status !== 200;
    },
  },
  'batch.locks-stay-behind': {
    source: 'core: Batch rules 2',
    breaks: 'A lock is an operation of a batch, and goes with it when another one fails.',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      try {
        return await right(areas, call, writing, table);
      } catch (error) {
        if (!(error instanceof Undone)) throw error;
        const paths = call.json
          .filter((operation) => at(operation, '/method') === 'POST')
          .map((operation) => /\/lock\/([^/?]+)$/.exec(String(at(operation, '/href')))?.[1])
          .filter((oid) => oid !== undefined);
        const keep = async () => {
          for (const oid of paths)
            await areas.store.change(async (later) => {
              const object = await later.object(call.space.id, oid);
              if (object === undefined) return;
              const content = { ...object.content, $lockedBy: call.user.name };
              await later.updateObject(call.space.id, oid, object.version, content);
            });
        };
        setImmediate(() => void detach(keep));
        throw error;
      }
    }),
    async shows({ edda, emil }) {
      const made = await edda.make('Document');
      await edda.batch([
        { method: 'POST', href: `/api/space/main/lock/${made.oid}` },
        { method: 'GET', href: `${made.path}-none` },
      ]);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return (await emil.merge(made, 1, { note: 'n' })).status >= 400;
    },
  },
  'batch.locks-are-taken-alone': {
    source: 'core: Batch rules 2',
    breaks: 'A batch knows the routes of lock objects, that by which a lock is freed too.',
    variant: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) =>
      method === 'DELETE' && path.includes('/lock/') ? undefined : right(areas, table, method, path),
    ),
    async shows({ edda }) {
      const { oid } = await edda.make('Document');
      const href = `/api/space/main/lock/${oid}`;
      await edda.post(href);
      return (await edda.batch([{ method: 'DELETE', href }])).status === 500;
    },
  },
  'batch.read-under-a-schema': {
    source: 'core: Batch rules 2',
    breaks: 'A batch supports the reads of SoftTypes, that with definition and output schema as well.',
    variant: changes('batch', 'operationRouteOf', (found, _areas, _table, method) =>
      method === 'GET' && found?.params['outputSchemaId'] !== undefined ? undefined : found,
    ),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 'long' });
      const href = `/api/space/main/softtype/Document/documentFull/${oid}`;
      return (await edda.batch([{ method: 'GET', href }])).status !== 200;
    },
  },
  'batch.second-schema-unknown': {
    source: 'core: Batch rules 2',
    breaks: 'A merge is an operation of a batch under every input schema of its definition.',
    variant: changes('batch', 'operationRouteOf', (found, areas, _table, method) => {
      const { spaceId = '', definitionId = '', inputSchemaId } = found?.params ?? {};
      const definition = areas.configuration.spaces.get(spaceId)?.template.softTypes.get(definitionId);
      const [first] = definition?.inputs.keys() ?? [];
      return method === 'PATCH' && inputSchemaId !== undefined && inputSchemaId !== first ? undefined : found;
    }),
    async shows({ edda }) {
      const made = await edda.make('Part');
      const operation = patchOf(made);
      const href = operation.href.replace('partInput', 'partBrief');
      return (await edda.batch([{ ...operation, href }])).status !== 200;
    },
  },
  'batch.put-joins-entries-it-takes-back': {
    source: 'core: Endpoint table, PUT; Batch rules 5',
    breaks: 'A PUT in a batch replaces an entry that it names by its id, as one alone does.',
    variant: during('batch', 'runBatch', (batch) =>
      replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
        const joined = [];
        for (const item of items) {
          const isNamed = batch.isOn() && item.entryId !== undefined;
          const old = isNamed ? await writing.entry(oid, port, item.entryId) : undefined;
          joined.push(old === undefined ? item : { ...item, content: { ...old.content, ...item.content } });
        }
        return right(areas, writing, oid, port, joined);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'a', comment: 'c' }] });
      await edda.batch([putOf(made, 1, { title: 't', files: [{ $entryId: 1, name: 'a' }] })]);
      return at(await edda.read(made), '/data/files/0/comment') === 'c';
    },
  },
  'batch.no-cascade': {
    source: 'core: Operations-based PATCH rules 8; Batch rules 2',
    breaks: 'An entry goes with its mandatory member in a batch as it does alone.',
    variant: during('batch', 'runBatch', (batch) =>
      replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
        if (batch.isOn()) throw new Refusal(422, 'The member is mandatory.');
        return right(areas, run, entry);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(2) });
      const batch = await edda.batch([operationsOf(made, 1, [{ op: 'remove', path: '/files/1/name' }])]);
      return batch.status !== 200;
    },
  },
  'batch.create-of-a-hundred-entries': {
    source: 'core: Batch rules 2',
    breaks: 'A create in a batch stores all its entries.',
    variant: during('batch', 'runBatch', (batch) =>
      changes('contents', 'contentFrom', (input) =>
        batch.isOn() ? mapEntries(input, (entries) => entries.slice(0, 100)) : input,
      ),
    ),
    async shows({ edda }) {
      const body = { title: 't', files: named(101) };
      const batch = await edda.batch([{ method: 'POST', href: documentsPath, body }]);
      const read = await edda.get(String(at(batch.json, '/0/body/href')));
      return at(pageLinkIn(read.json, 'files'), '/totalNumber') !== 101;
    },
  },
  'batch.second-definition-survives-a-delete': {
    source: 'core: Batch rules 5',
    breaks: 'DELETE in a batch deletes, whatever SoftType the object is of.',
    variant: deletesNothing(({ isSibling, object }) => isSibling !== undefined && object.softType !== 'Document'),
    async shows({ edda }) {
      const { path } = await edda.make('Part');
      const { status } = await edda.batch([{ method: 'DELETE', href: path }]);
      return status === 200 && (await edda.get(path)).status === 200;
    },
  },
  'batch.deletes-nothing': {
    source: 'core: Batch rules 5',
    breaks: 'DELETE in a batch deletes.',
    variant: deletesNothing(({ isSibling }) => isSibling !== undefined),
    async shows({ edda }) {
      const { path } = await edda.make('Document');
      const { status } = await edda.batch([{ method: 'DELETE', href: path }]);
      return status === 200 && (await edda.get(path)).status === 200;
    },
  },
  'patch.second-definition-survives-a-delete': {
    source: 'core: Batch rules 5; Errors 404',
    breaks: 'DELETE deletes, whatever SoftType the object is of.',
    variant: deletesNothing(({ isSibling, object }) => isSibling === undefined && object.softType !== 'Document'),
    async shows({ edda }) {
      const { path } = await edda.make('Part');
      const { status } = await edda.delete(path);
      return status < 300 && (await edda.get(path)).status === 200;
    },
  },
  'batch-routes.multi-create-without-states': {
    source: 'core: States and transitions',
    breaks: 'What a multi-create in a batch makes has its current states.',
    variant: during('batch', 'runBatch', (batch) =>
      during('multiCreate', 'multiCreate', (step) =>
        replaces('editing', 'startContent', (right, areas, softType) =>
          batch.isOn() && step.isOn() ? {} : right(areas, softType),
        ),
      ),
    ),
    async shows({ edda }) {
      const { json } = await edda.batch([multiCreateOf([{ $softType: 'Document', data: { title: 't' } }])]);
      const read = await readCreated(edda, at(json, '/0/body'), 0);
      return at(read, '/data/title') === 't' && at(read, '/data/engineering') === undefined;
    },
  },
};

function patchOf(made: Made) {
  return mergeOf(made, 1, { note: 'changed' });
}

/** Members of one content that are objects, in the other one too. */
function objectsIn(content: Content, other: Content): Content {
  return Object.fromEntries(
    Object.entries(content).filter(([name, value]) => isContent(value) && isContent(other[name])),
  );
}

/** Answers some DELETEs as if they had been done. */
function deletesNothing(isMeant: (call: SpaceCall & FoundObject) => boolean): Variant {
  return replaces('editing', 'deleteObject', async (right, areas, call, writing) =>
    isMeant(call) ? { status: 204 } : right(areas, call, writing),
  );
}
