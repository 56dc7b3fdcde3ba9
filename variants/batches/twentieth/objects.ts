import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, movePath } from '../service.ts';

export const readingMistakes: Batch = {
  'reading.trimmed-texts': {
    source: 'core: What the service does',
    breaks: 'What is stored is what was sent, blanks at its ends included.',
    kind: 'value',
    variant: replaces('contents', 'inputFrom', (right, areas, rules, softType, view, body) => {
      const trimmed = Object.entries(isContent(body) ? body : {}).map(([name, value]) => {
        return [name, typeof value === 'string' ? value.trim() : value] as const;
      });
      return right(areas, rules, softType, view, isContent(body) ? Object.fromEntries(trimmed) : body);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'trimmed', note: ' between blanks ' });
      return at(await edda.read(made), '/data/note') !== ' between blanks ';
    },
  },

  'reading.schema-of-the-read-before': {
    source: 'core: SoftType read response',
    breaks: 'The data of a read is that of the output schema asked for, whatever schema was asked for before.',
    kind: 'copy',
    variant: breaks('memory', 'rememberedRead', (right) => {
      const kept = new Map<string, ReturnType<typeof right>>();
      return (areas, call, reading, object, view, assemble) => {
        const answer = () => right(areas, call, reading, object, view, assemble);
        if ('insertObject' in reading) return answer();
        const key = `${object.oid} ${object.version} ${areas.memory.rightsOf(call)}`;
        kept.set(key, kept.get(key) ?? answer());
        return kept.get(key) ?? answer();
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'two schemas', note: 'in one of them' });
      await edda.read(made);
      const summary = await edda.get(`/api/space/main/softtype/Document/documentSummary/${made.oid}`);
      return at(summary.json, '/data/note') !== undefined;
    },
  },
};

export const pagingMistakes: Batch = {
  'paging.counts-of-the-first-array': {
    source: 'core: Server side paging 2',
    breaks: 'The page link of each array tells of that array.',
    kind: 'place',
    variant: replaces('hypermedia', 'linksOf', (right, areas, ...args) => {
      const links = right(areas, ...args);
      const [first] = links.flatMap((link) => (link.rel === 'page' ? [link] : []));
      return links.map((link) =>
        link.rel === 'page' && first?.pages !== undefined && first.totalNumber !== undefined
          ? { ...link, pages: first.pages, totalNumber: first.totalNumber }
          : link,
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'two arrays', files: named(12), contacts: named(25) });
      const link = listAt(await edda.read(made), '/links').find((each) => at(each, '/sectionPath') === 'contacts');
      return at(link, '/totalNumber') !== 25;
    },
  },

  'paging.first-page-of-the-first-time': {
    source: 'core: Server side paging 4',
    breaks: 'Page 0 is what a read includes, also after an edit, when it was fetched before.',
    kind: 'copy',
    variant: breaks('paging', 'assemblePage', (right) => {
      const kept = new Map<string, Awaited<ReturnType<typeof right>>['data']>();
      return async (areas, call, reading, object, view, section, page, filter) => {
        const body = await right(areas, call, reading, object, view, section, page, filter);
        if (page > 0 || filter !== undefined) return body;
        const key = `${object.oid} ${view.id} ${section.path}`;
        const data = kept.get(key) ?? body.data;
        kept.set(key, data);
        return { ...body, data };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'page', files: named(12) });
      await edda.page(made, 'files', 0);
      await edda.operate(made, 1, [{ op: 'replace', path: '/files/3/name', value: 'edited' }]);
      return at((await edda.page(made, 'files', 0)).json, '/data/2/name') !== 'edited';
    },
  },
};

export const writingMistakes: Batch = {
  'versioning.one-for-each-operation': {
    source: 'core: Endpoint table, PATCH (operations)',
    breaks: 'A list of operations is one edit, and the version one more.',
    kind: 'value',
    variant: replaces(
      'versioning',
      'versionAfterOperations',
      (right, areas, object, operations) => right(areas, object, operations) + Math.max(0, operations.length - 1),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'three' });
      const operations = ['note', 'remark', 'label'].map((name) => ({ op: 'add', path: `/${name}`, value: name }));
      return (await edda.operate(made, 1, operations)).headers.get('svc-uoiversion') !== '2';
    },
  },

  'versioning.version-to-come': {
    source: 'core: Versioning 3',
    breaks: 'A version that the object has not reached yet is not that of the server.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) => sent >= current),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'ahead' });
      return (await edda.merge(made, 2, { note: 'too soon' })).status !== 409;
    },
  },

  'versioning.header-of-a-demote': {
    source: 'core: Common request headers',
    breaks: 'Every PUT answers with the new version, a demote as well.',
    kind: 'place',
    variant: replaces('maturity', 'demoteObject', async (right, areas, call, writing) => {
      const { status } = await right(areas, call, writing);
      return { status };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'demote' });
      await edda.move(made, 1);
      return !(await edda.put(movePath(made, 'demote'), 2)).headers.has('svc-uoiversion');
    },
  },

  'operations.replace-adds-to-an-entry': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'What is replaced has to exist, a member of an entry too.',
    kind: 'place',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, pointer) => {
      const isMissing = target.kind === 'member' && target.value === undefined && target.row.entry !== undefined;
      return isMissing
        ? areas.operations.addValue(run, target, value, pointer)
        : right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'entry', files: named(1) });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/files/1/comment', value: 'new' }])).status < 400;
    },
  },

  'operations.value-before-its-path': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'Members of an operation may come in any order, the value ahead of the path as well.',
    kind: 'place',
    variant: replaces('operations', 'operationOf', (right, areas, item, pointer) => {
      const names = Object.keys(isContent(item) ? item : {});
      if (names.includes('value') && names.indexOf('value') < names.indexOf('path'))
        throw new Refusal(400, 'Expected a path before the value.');
      return right(areas, item, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'order' });
      return (await edda.operate(made, 1, [{ op: 'add', value: 'first', path: '/note' }])).status >= 400;
    },
  },
};
