import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces, together, within } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { documentsPath, mergeOf, multiCreateOf, named, operationsOf, promoteOf, readOf } from '../proofs.ts';
import { at, editPath, listAt, many, movePath, tokens, versionHeader } from '../service.ts';
import { changes, during } from '../variant-parts.ts';

const createPart = '/api/space/main/softtype/Part/partInput';

const create = { method: 'POST', href: documentsPath };

export const batchResultsMistakes: Mistakes = {
  'batch.reads-by-the-token-inside': {
    source: 'core: Batch operation, headers',
    breaks: 'Authorization is taken from the batch request: reads in it show what its sender may do.',
    variant: together(
      replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
        const own = new Headers(Object.entries(operation.headers).map(([name, value]) => [name, String(value)]));
        const authorization = operation.method === 'GET' ? own.get('authorization') : null;
        return { ...right(areas, batch, operation), ...(authorization !== null && { authorization }) };
      }),
      replaces('batch', 'carryOutOperation', async (right, areas, prepared, writing) => {
        if (prepared.call.method !== 'GET') return right(areas, prepared, writing);
        const user = await areas.auth.authenticate(prepared.call);
        return right(areas, { ...prepared, call: { ...prepared.call, user } }, writing);
      }),
    ),
    async shows({ edda }) {
      const read = readOf(await edda.make('Document'));
      const headers = { authorization: `Bearer ${tokens.rita}` };
      const { json } = await edda.batch([read, { ...read, headers }]);
      return listAt(json, '/0/body/links').length !== listAt(json, '/1/body/links').length;
    },
  },
  'batch.status-of-a-promote': {
    source: 'core: Batch result',
    breaks: 'A result has the status of its operation: that of a promote is 204.',
    variant: replaces('batch', 'operationResult', (right, areas, call, answer) => {
      const isPromote = call.url.includes('/promote/') && answer.status === 204;
      return right(areas, call, isPromote ? { ...answer, status: 200 } : answer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const { json } = await edda.batch([promoteOf(made, 1)]);
      return at(json, '/0/statusCode') !== 204;
    },
  },
  'many.moves-in-batch-tell-no-version': {
    source: 'core: Batch result',
    breaks: 'The result of a promote in a batch has the new version.',
    variant: changes('batch', 'writtenBody', (body, _areas, call) =>
      call.url.includes('/maturityAction/') ? { href: at(body, '/href') } : body,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const operation = promoteOf(made, 1);
      return at((await edda.batch([operation])).json, '/0/body/version') !== 2;
    },
  },
  'batch.href-of-the-space-before': {
    source: 'core: Batch result',
    breaks: 'The href of a result leads to where the object is, whatever space the batch before was for.',
    variant: breaks('batch', 'writtenBody', (right) => {
      const spaces: string[] = [];
      return (areas, call, answer) => {
        spaces.push(call.space.id);
        const body = right(areas, call, answer);
        const href = at(body, '/href');
        if (typeof href !== 'string') return body;
        return { ...Object(body), href: href.replace(/^\/api\/space\/[^/]+/, `/api/space/${spaces[0]}`) };
      };
    }),
    async shows({ edda }) {
      await edda.batch([{ method: 'POST', href: documentsPath, body: { title: 't' } }]);
      const href = '/api/space/depot/softtype/Dossier/dossierInput';
      const { json } = await edda.batch([{ method: 'POST', href, body: { title: 't' } }], 'depot');
      return String(at(json, '/0/body/href')).startsWith('/api/space/main/');
    },
  },
  'batch.version-of-the-first-edit': {
    source: 'core: Batch result',
    breaks: 'The result of an edit tells the version that it made, also of the second edit of one object.',
    variant: breaks('batch', 'writtenBody', (right) => {
      const versions = new Map<string, unknown>();
      return (areas, call, answer) => {
        const body = right(areas, call, answer);
        const { objectId } = call.params;
        const version = at(body, '/version');
        if (objectId === undefined || version === undefined) return body;
        const key = `${call.correlationId} ${objectId}`;
        const known = versions.get(key) ?? version;
        versions.set(key, known);
        return { ...Object(body), version: known };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'edits' });
      const edits = [1, 2].map((version) => mergeOf(made, version, { note: `edit ${version}` }));
      return at((await edda.batch(edits)).json, '/1/body/version') !== 3;
    },
  },
  'batch.status-of-moves-as-text': {
    source: 'core: Batch result, statusCode',
    breaks: 'The status of an operation is an integer, that of a promote as well.',
    variant: changes('batch', 'operationResult', (result, _areas, call) => {
      if (call.method !== 'PUT' || !call.url.includes('/maturityAction/')) return result;
      return { ...result, statusCode: String(result.statusCode) as never };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const answer = await edda.batch([promoteOf(made, 1)]);
      return at(answer.json, '/0/statusCode') !== 204;
    },
  },
  'batch.status-of-the-failed-is-a-text': {
    source: 'core: Batch result, statusCode',
    breaks: 'A status code is an integer, also that of the operation by which the batch fails.',
    variant: changes('batch', 'resultsOfUndone', (results, _areas, _batch, _count, _failedIndex, failed) =>
      results.map((result) =>
        result === failed ? { ...result, statusCode: String(result.statusCode) as never } : result,
      ),
    ),
    async shows({ edda }) {
      const answer = await edda.batch([{ method: 'POST', href: createPart, body: {} }]);
      return typeof at(answer.json, '/0/statusCode') !== 'number';
    },
  },
  'many.promote-result-lacks-href': {
    source: 'core: Batch result',
    breaks: 'The result of a promote names its object as that of any other write.',
    variant: changes('batch', 'writtenBody', (body, _areas, call) =>
      call.url.includes('/maturityAction/') && isContent(body) ? { version: body['version'] } : body,
    ),
    survives: 'href takes the place of Location, which a 201 alone has: that a promote names its object is not said.',
    async shows({ edda }) {
      const made = await edda.make('Document');
      const promote = promoteOf(made, 1);
      return typeof at((await edda.batch([promote])).json, '/0/body/href') !== 'string';
    },
  },
  'batch.each-operation-of-a-list-counts': {
    source: 'core: Versioning 2',
    breaks: 'An edit by a list of operations raises the version by one, in a batch as well.',
    variant: during('batch', 'runOperation', (step) =>
      changes('versioning', 'versionAfterOperations', (version, _areas, _object, operations) =>
        step.isOn() ? version - 1 + operations.length : version,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const list = ['u', 'v'].map((value) => ({ op: 'replace', path: '/title', value }));
      return at((await edda.batch([operationsOf(made, 1, list)])).json, '/0/body/version') !== 2;
    },
  },
  'batch.move-tells-the-former-version': {
    source: 'core: Batch result, body',
    breaks: 'The result of a promote in a batch has the version that the promote made.',
    variant: changes('batch', 'writtenBody', (body, _areas, call) => {
      const version = at(body, '/version');
      if (!call.url.includes('/maturityAction/') || typeof version !== 'number') return body;
      return { href: at(body, '/href'), version: version - 1 };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const { json } = await edda.batch([promoteOf(made, 1)]);
      return at(json, '/0/body/version') !== 2;
    },
  },
  'batch.demote-result-lacks-the-version': {
    source: 'core: Batch result',
    breaks: 'The result of a demote holds the new version as that of any other write.',
    variant: changes('batch', 'writtenBody', (body, _areas, call) =>
      call.url.includes('/demote/') && isContent(body) ? { href: body['href'] } : body,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      const demote = { method: 'PUT', href: movePath(made, 'demote'), headers: { [headerNames.version]: '2' } };
      return at((await edda.batch([demote])).json, '/0/body/version') !== 3;
    },
  },
  'batch.later-merges-are-plain-successes': {
    source: 'core: Batch result, statusCode',
    breaks: 'The status of a merge in a batch is that of a merge, behind the first operation as well.',
    variant: breaks('batch', 'operationResult', (right) => {
      const seen = new Set<string>();
      return (areas, call, answer) => {
        const result = right(areas, call, answer);
        const isLater = seen.has(call.correlationId);
        seen.add(call.correlationId);
        return isLater && call.method === 'PATCH' && result.statusCode === 204
          ? { ...result, statusCode: 200 }
          : result;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.make('Part', { name: 'a' }), await edda.make('Part', { name: 'b' })];
      const merges = [one, other].map((made) => mergeOf(made, 1, { note: 'n' }));
      return at((await edda.batch(merges)).json, '/1/statusCode') !== 204;
    },
  },
  'batch.version-of-a-promote-as-text': {
    source: 'core: Batch result, body',
    breaks: 'version is an integer in every result, that of a promote as well.',
    variant: changes('batch', 'writtenBody', (body, _areas, call) => {
      const version = at(body, '/version');
      return call.url.includes('/maturityAction/') && typeof body === 'object'
        ? { ...body, version: String(version) }
        : body;
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 'promoted' });
      const href = `/api/space/main/maturityAction/promote/${oid}/release/engineering`;
      const answer = await edda.batch([{ method: 'PUT', href, headers: versionHeader(1) }]);
      return at(answer.json, '/0/body/version') !== 2;
    },
  },
  'batch.version-as-a-text': {
    source: 'core: Batch result',
    breaks: 'The version in a result is an integer, unlike the header that it stands for.',
    variant: changes('batch', 'writtenBody', (body) =>
      isContent(body) && 'version' in body ? { ...body, version: String(body['version']) } : body,
    ),
    async shows({ edda }) {
      const { json } = await edda.batch([{ ...create, body: { title: 'typed' } }]);
      return at(json, '/0/body/version') !== 1;
    },
  },
  'batch.forbidden-is-not-found': {
    source: 'core: Batch result',
    breaks: 'The status of an operation that the role does not allow is 403, as it would be alone.',
    variant: changes('batch', 'operationResult', (result) =>
      result.statusCode === 403 ? { ...result, statusCode: 404 } : result,
    ),
    async shows({ rita }) {
      const href = '/api/space/main/softtype/Part/partInput';
      const answer = await rita.batch([{ method: 'POST', href, body: { name: 'n' } }]);
      return at(answer.json, '/0/statusCode') !== 403;
    },
  },
  'many.status-looks-at-ten-results': {
    source: 'core: Batch rules 3',
    breaks: 'A batch fails as a whole also when its eleventh operation is the first to fail.',
    variant: replaces('batch', 'batchStatus', (right, areas, results) => {
      const failed = results.findIndex(({ statusCode }) => statusCode >= 400 && statusCode !== 424);
      return failed < 10 ? right(areas, results) : 200;
    }),
    async shows({ edda }) {
      const made = await edda.make('Part');
      const gone = { method: 'GET', href: `${made.path}0` };
      const answer = await edda.batch([...many(10, () => readOf(made)), gone]);
      return answer.status !== 500;
    },
  },
  'many.conflict-of-a-move-is-a-server-error': {
    source: 'core: Batch rules 3',
    breaks: 'A promote in a batch that was made for another version has the status that it has alone, 409.',
    variant: changes('batch', 'operationResult', (result, _areas, call) => {
      const isConflict = call.url.includes('/maturityAction/') && result.statusCode === 409;
      return isConflict ? { ...result, statusCode: 500 } : result;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const operation = promoteOf(made, 9);
      return at((await edda.batch([operation])).json, '/0/statusCode') !== 409;
    },
  },
  'batch.a-result-for-each-role': {
    source: 'core: Batch rules 3',
    breaks: 'There is one result for each operation, also for a user with roles on two participants.',
    variant: changes('batch', 'runBatch', (answer, areas, call) => {
      const roles = areas.auth.rolesOf(call.user, call.space);
      return { ...answer, body: listAt(answer, '/body').flatMap((result) => roles.map(() => result)) };
    }),
    async shows({ emil }) {
      const made = await emil.make('Document');
      return listAt((await emil.batch([readOf(made)])).json, '').length !== 1;
    },
  },
  'batch.a-hundred-results': {
    source: 'core: Batch rules 3; Limits, operations per batch',
    breaks: 'There is a result for each operation, also of more than a hundred that read and write.',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const statuses = new Set(results.map(({ statusCode }) => statusCode));
      return right(areas, statuses.has(200) && statuses.has(201) ? results.slice(0, 100) : results);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const reads = many(100, () => readOf(made));
      const answer = await edda.batch([...reads, { method: 'POST', href: createPart, body: { name: 'n' } }]);
      return listAt(answer.json, '').length !== 101;
    },
  },
  'batch.multi-status': {
    source: 'core: Batch rules 3',
    breaks: 'A batch of which an operation failed is answered with 500.',
    variant: changes('batch', 'batchStatus', (status, _areas, results) =>
      status === 500 && results.length > 1 ? 207 : status,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'multi' });
      const operations = [1, 9].map((version) => mergeOf(made, version, { note: 'edited' }));
      return (await edda.batch(operations)).status !== 500;
    },
  },
  'batch.what-is-forbidden-is-skipped': {
    source: 'core: Batch rules 3',
    breaks: 'An operation that the role of the user does not allow fails the batch.',
    variant: together(
      replaces(
        'batch',
        'failsBatch',
        (right, areas, outcome) => outcome.answer.status !== 403 && right(areas, outcome),
      ),
      replaces('batch', 'batchStatus', (right, areas, results) =>
        right(
          areas,
          results.filter(({ statusCode }) => statusCode !== 403),
        ),
      ),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Part');
      const headers = { [headerNames.version]: '1' };
      const edit = { method: 'PATCH', href: editPath(made), headers, body: { note: 'n' } };
      return (await rita.batch([readOf(made), edit])).status === 200;
    },
  },
  'batch.a-result-for-each-instance': {
    source: 'core: Batch rules 3',
    breaks: 'The answer has one result for each operation, also for one that creates several instances.',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) =>
      right(
        areas,
        results.flatMap((result) => {
          const { statusCode, body } = result;
          if (statusCode !== 201 || !Array.isArray(body)) return [result];
          return body.map((one: unknown) => ({ statusCode, body: one }));
        }),
      ),
    ),
    async shows({ edda }) {
      const body = ['a', 'b'].map(($id) => ({ $id, $softType: 'Part', data: { name: $id } }));
      const batch = await edda.batch([multiCreateOf(body)]);
      return listAt(batch.json, '').length !== 1;
    },
  },
  'batch.failure-told-at-the-fifth-at-most': {
    source: 'core: Batch rules 3',
    breaks: 'The result at the place of the operation that failed has its status, far behind too.',
    variant: replaces('batch', 'resultsOfUndone', (right, areas, call, count, failedIndex, failed) =>
      right(areas, call, count, Math.min(failedIndex, 4), failed),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const { json } = await edda.batch([...many(6, () => readOf(made)), mergeOf(made, 7, { note: 'n' })]);
      return at(json, '/6/statusCode') !== 409;
    },
  },
  'batch.one-alone-has-its-own-status': {
    source: 'core: Batch rules 3',
    breaks: 'A batch that failed answers 500, also where it had one operation only.',
    variant: replaces('batch', 'batchStatus', (right, areas, results) => {
      const [only, ...more] = results;
      return only !== undefined && more.length === 0 && only.statusCode >= 400
        ? only.statusCode
        : right(areas, results);
    }),
    shows: async ({ edda }) =>
      (await edda.batch([{ method: 'GET', href: '/api/space/main/softtype/none' }])).status !== 500,
  },
  'batch.status-after-a-read': {
    source: 'core: Batch rules 3',
    breaks: 'Each result has the status of its own operation, behind a read as before it.',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const read = results.findIndex(({ statusCode }) => statusCode === 200);
      const isAfter = (index: number) => read >= 0 && index > read;
      return right(
        areas,
        results.map((result, index) =>
          isAfter(index) && result.statusCode < 400 ? { ...result, statusCode: 200 } : result,
        ),
      );
    }),
    async shows({ edda }) {
      const { path: href } = await edda.make('Document', { title: 'read' });
      const { json } = await edda.batch([
        { method: 'GET', href },
        { ...create, body: { title: 'made' } },
      ]);
      return at(json, '/1/statusCode') !== 201;
    },
  },
  'batch.create-tells-its-data-behind-a-read': {
    source: 'core: Batch rules 6',
    breaks: 'The result of a create has no data of the object, also in a batch that reads.',
    variant: replaces('batch', 'runBatch', (right, areas, call, writing, table) => {
      if (!call.json.some((operation) => at(operation, '/method') === 'GET')) return right(areas, call, writing, table);
      const told = within(areas, {
        batch: {
          writtenBody: (own, answer) => ({
            ...Object(areas.batch.writtenBody(own, answer)),
            ...(answer.status === 201 && { data: JSON.parse(own.body?.toString() ?? 'null') }),
          }),
        },
      });
      return right(told, call, writing, table);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const create = { method: 'POST', href: documentsPath, body: { title: 'u' } };
      const { json } = await edda.batch([readOf(made), create]);
      return at(json, '/1/body/data') !== undefined;
    },
  },
  'batch.same-read-twice': {
    source: 'core: Batch rules 6',
    breaks: 'Each read of a batch is answered with the read response, also the second one of the same instance.',
    variant: changes('batch', 'runBatch', (answer, _areas, call) => {
      const seen = new Set<unknown>();
      const results = listAt(answer.body, '').map((result, index) => {
        const operation = call.json[index];
        const href = at(operation, '/method') === 'GET' ? at(operation, '/href') : undefined;
        if (href === undefined || !seen.has(href)) return (seen.add(href), result);
        return { statusCode: at(result, '/statusCode') };
      });
      return { ...answer, body: results };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'twice' });
      const { json } = await edda.batch(many(2, () => readOf(made)));
      return at(json, '/1/body/data/title') !== 'twice';
    },
  },
  'batch.reads-without-page-links': {
    source: 'core: Batch rules 6; Server side paging 2',
    breaks: 'A read in a batch gives the full response, the links to further pages included.',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, ...rest) =>
      right(areas, call, ...rest).filter(({ rel }) => call.isSibling === undefined || rel !== 'page'),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(11) });
      const { json } = await edda.batch([readOf(made)]);
      return !listAt(json, '/0/body/links').some((link) => at(link, '/rel') === 'page');
    },
  },
  'batch.second-read-of-one-object-is-short': {
    source: 'core: Batch rules 6',
    breaks: 'A GET of a batch brings the full read response, also the second one of the same object.',
    variant: breaks('batch', 'operationResult', (right) => {
      const seen = new Set<string>();
      return (areas, call, answer) => {
        const result = right(areas, call, answer);
        const key = `${call.correlationId} ${call.url}`;
        if (call.method !== 'GET' || !isContent(result.body)) return result;
        const isFirst = !seen.has(key);
        seen.add(key);
        if (isFirst) return result;
        const { schema: _known, links: _linked, ...body } = result.body;
        return { ...result, body };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const read = readOf(made);
      const batch = await edda.batch([read, read]);
      return at(batch.json, '/1/body/schema') === undefined;
    },
  },
  'batch.reads-without-links': {
    source: 'core: Batch rules 6',
    breaks: 'A read in a batch brings the whole read response, links included.',
    variant: changes('batch', 'operationResult', (result, _areas, call) => {
      if (call.method !== 'GET' || !isContent(result.body)) return result;
      const { links: _gone, ...body } = result.body;
      return { ...result, body };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'links' });
      return at((await edda.batch([readOf(made)])).json, '/0/body/links') === undefined;
    },
  },
  'batch.forbidden-operation': {
    source: 'core: Errors 500',
    breaks: 'A batch with an operation that failed is answered with 500, also where the user may not do it.',
    survives: 'a batch is a POST, which the role of a reader lacks: it may be refused as a whole',
    variant: replaces('batch', 'batchStatus', (right, areas, results) =>
      results.some(({ statusCode }) => statusCode === 403) ? 403 : right(areas, results),
    ),
    async shows({ edda, rita }) {
      const made = await edda.make('Document');
      const edit = mergeOf(made, 1, { note: 'n' });
      return (await rita.batch([edit])).status !== 500;
    },
  },
  'batch.status-of-the-only-one': {
    source: 'core: Errors, row 500',
    breaks: 'A batch of which an operation failed is answered 500, one of a single operation too.',
    variant: changes('batch', 'batchAnswer', (answer, _areas, results) => {
      const [only, ...others] = results;
      return only === undefined || others.length > 0
        ? answer
        : { ...answer, status: Math.max(200, only.statusCode >= 400 ? only.statusCode : 200) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.batch([{ method: 'PATCH', href: editPath(made), body: { title: 'u' } }])).status !== 500;
    },
  },
  'batch.what-is-locked-is-no-failure': {
    source: 'core: Batch rules 3',
    breaks: 'A batch answers 500 where an operation failed, whatever kept it from passing.',
    variant: together(
      changes('batch', 'failsBatch', (fails, _areas, { answer }) => fails && answer.status !== 423),
      replaces('batch', 'batchStatus', (right, areas, results) =>
        right(
          areas,
          results.filter(({ statusCode }) => statusCode !== 423),
        ),
      ),
    ),
    async shows({ edda, emil }) {
      const made = await edda.make('Document');
      await edda.post(`/api/space/main/lock/${made.oid}`);
      return (await emil.batch([mergeOf(made, 1, { note: 'n' })])).status === 200;
    },
  },
  'batch.href-by-the-schema-of-the-create': {
    source: 'core: Batch result, body',
    breaks: 'href of a result leads to the new object, whichever input schema it was made by.',
    variant: during('batch', 'runBatch', (batch) =>
      changes('editing', 'createObject', (answer, _areas, { space, place: { softType, view } }) => {
        if (!batch.isOn() || view.id === softType.inputs.keys().next().value) return answer;
        const oid = answer.headers?.['Location']?.split('/').at(-1);
        const Location = `/api/space/${space.id}/softtype/${softType.id}/${view.id}/${oid}`;
        return { ...answer, headers: { ...answer.headers, Location } };
      }),
    ),
    async shows({ edda }) {
      const href = '/api/space/main/softtype/Document/documentBrief';
      const batch = await edda.batch([{ method: 'POST', href, body: { title: 't' } }]);
      return (await edda.get(String(at(batch.json, '/0/body/href')))).status !== 200;
    },
  },
  'batch.results-by-definition': {
    source: 'core: Batch rules 3',
    breaks: 'Each operation of a batch has its own result, also where creates of several definitions alternate.',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      const answer = await right(areas, call, writing, table);
      const results = [...listAt(answer.body, '')];
      const creates = [...call.json.entries()].flatMap(([index, operation]) => {
        const href = String(at(operation, '/href'));
        const definition = /\/softtype\/([^/]+)\/[^/]+$/i.exec(href)?.[1];
        return at(operation, '/method') === 'POST' && definition !== undefined ? [{ index, definition }] : [];
      });
      const groups = Map.groupBy(creates, ({ definition }) => definition);
      const grouped = [...groups.values()].flat().map(({ index }) => results[index]);
      for (const [place, { index }] of creates.entries()) results[index] = grouped[place];
      return { ...answer, body: results };
    }),
    async shows({ edda }) {
      const create = (definition: string, input: string, body: object) => ({
        method: 'POST',
        href: `/api/space/main/softtype/${definition}/${input}`,
        body,
      });
      const document = create('Document', 'documentInput', { title: 't' });
      const answer = await edda.batch([document, create('Part', 'partInput', { name: 'p' }), document]);
      const read = await edda.get(String(at(answer.json, '/1/body/href')));
      return at(read.json, '/data/$softType') === 'Document';
    },
  },
};
