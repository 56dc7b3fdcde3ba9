import { setImmediate } from 'node:timers/promises';
import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { FileRecord } from '../../../reference-server/areas/file-areas.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { documentsPath, mergeOf, named, operationsOf, profilePath, tokenOf } from '../proofs.ts';
import { at, editPath, listAt, many, movePath, spaceFiles, versionHeader } from '../service.ts';
import { changes, mapEntries } from '../variant-parts.ts';

/** Objects whose last write was a list of operations; no two servers share an id. */
const operatedOn = new Set<string>();

/** Objects of runs that lost an entry by way of a member of it. */
const cascaded = new WeakSet<object>();

export const headersMistakes: Mistakes = {
  'headers.packed-answer-for-half-the-write': {
    source: 'core: What the service does; Endpoint table, POST softtype',
    breaks: 'A create stores all of its entries, also for a client that takes packed answers.',
    variant: changes('contents', 'contentFrom', (input, _areas, call) =>
      call.method !== 'POST' || !call.headers['accept-encoding']?.includes('gzip')
        ? input
        : mapEntries(input, (entries) => entries.slice(0, 1)),
    ),
    async shows({ edda }) {
      const created = await edda.post(documentsPath, { title: 't', files: named(2) }, { 'accept-encoding': 'gzip' });
      const read = await edda.get(created.headers.get('location') ?? '');
      return listAt(read.json, '/data/files').length === 1;
    },
  },
  'access.demote-needs-no-filter': {
    source: 'core: Common request headers',
    breaks: 'The information filter is required on the demote route as well.',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const isLeftOut = call.headers['svc-informationfilter'] === undefined;
      return isLeftOut && call.url.includes('/maturityAction/demote/') ? {} : right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      const headers = { 'Svc-UOIVersion': '2', 'Svc-InformationFilter': '' };
      return (await edda.send('PUT', movePath(made, 'demote'), { headers })).status < 300;
    },
  },
  'filter.that-of-the-request-before': {
    source: 'core: Common request headers',
    breaks: 'The information filter is required of every request, also of one that follows another.',
    variant: breaks('messages', 'informationFilterOf', (right) => {
      const known = new Map<string, string>();
      return (areas, call) => {
        const who = call.headers['authorization'] ?? '';
        const given = call.headers['svc-informationfilter'] ?? known.get(who);
        const filter = right(
          areas,
          given === undefined ? call : { ...call, headers: { ...call.headers, 'svc-informationfilter': given } },
        );
        if (given !== undefined) known.set(who, given);
        return filter;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      return (await edda.get(made.path, { 'Svc-InformationFilter': '' })).status === 200;
    },
  },
  'tokens.known-in-small-letters': {
    source: 'core: Common request headers, Authorization',
    breaks: 'A token is one whose signature is right, letter case included, whichever was let in before.',
    variant: breaks('tokens', 'verifyToken', (right) => {
      const known = new Map<string, string>();
      return async (areas, token) => {
        const first = known.get(token.toLowerCase()) ?? token;
        const claims = await right(areas, first);
        known.set(token.toLowerCase(), first);
        return claims;
      };
    }),
    async shows(service) {
      const token = await tokenOf(service, 'edda');
      const made = await service.edda.make('Document');
      await service.nobody.get(made.path, { authorization: `Bearer ${token}` });
      const [head = '', claims = '', signature = ''] = token.split('.');
      const other = signature.replace(/[A-Za-z]/, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      );
      const forged = [head, claims, other].join('.');
      return (await service.nobody.get(made.path, { authorization: `Bearer ${forged}` })).status === 200;
    },
  },
  'caching.no-tag-for-who-holds-another': {
    source: 'core: Common request headers, text below on ETag',
    breaks: 'A read of data other than SoftTypes has an ETag, also where the client named one that counts no more.',
    variant: changes('caching', 'conditional', (found, _areas, call) => {
      if (found.status === 304 || call.headers['if-none-match'] === undefined) return found;
      const { ETag: _tag, ...headers } = found.headers ?? {};
      return { ...found, headers };
    }),
    async shows({ cora }) {
      const read = await cora.get('/api/collection/space', { 'if-none-match': '"another"' });
      return read.status === 200 && !read.headers.has('etag');
    },
  },
  'caching.templates-are-sent-again': {
    source: 'core: Common request headers, If-None-Match',
    breaks: 'Who holds the tag of the templates gets them no second time.',
    variant: replaces('caching', 'conditional', (right, areas, call, answer) => {
      if (!call.url.startsWith('/api/collection/template')) return right(areas, call, answer);
      const { 'if-none-match': _held, ...headers } = call.headers;
      return right(areas, { ...call, headers }, answer);
    }),
    async shows({ cora }) {
      const path = '/api/collection/template';
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      return (await cora.get(path, { 'If-None-Match': tag })).status !== 304;
    },
  },
  'editing.put-by-another-schema-tells-the-old': {
    source: 'core: Common request headers, Svc-UOIVersion in responses',
    breaks: 'A PUT is answered with the new version, by whichever input schema it comes.',
    variant: changes('editing', 'putObject', (answer, _areas, call) => {
      const isFirst = call.place.softType.inputs.values().next().value === call.place.view;
      return isFirst ? answer : { ...answer, headers: { ...answer.headers, ...versionHeader(call.object.version) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const answer = await edda.put(editPath(made).replace('documentInput', 'documentBrief'), 1, { title: 'u' });
      return answer.headers.get('svc-uoiversion') !== '2';
    },
  },
  'merge.behind-operations-is-complete': {
    source: 'core: Common request headers',
    breaks: 'A body of plain JSON edits what it names and nothing else, right behind a list of operations as well.',
    variant: together(
      changes('operations', 'operateObject', (answer, _areas, call) => {
        operatedOn.add(call.object.oid);
        return answer;
      }),
      replaces('editing', 'mergeObject', (right, areas, call, writing) => {
        if (!operatedOn.delete(call.object.oid)) return right(areas, call, writing);
        const { softType, view } = call.place;
        const optional = [...view.names].filter(([, name]) => {
          const member = softType.members.get(name);
          return member?.kind === 'string' && !member.mandatory;
        });
        const nulls = Object.fromEntries(optional.map(([name]) => [name, null]));
        return right(areas, { ...call, json: { ...nulls, ...(call.json as object) } }, writing);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: 'n' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/title', value: 'u' }]);
      await edda.merge(made, 2, { remark: 'r' });
      return at(await edda.read(made), '/data/note') !== 'n';
    },
  },
  'batch.type-of-the-operation-before': {
    source: 'core: Common request headers, Content-Type',
    breaks: 'The type of its own request selects the operations PATCH, and not that of the operation before it.',
    survives: 'What an operation is that names no media type is not said (batch-content-type-of-operation): recorded.',
    variant: breaks('batch', 'operationHeaders', (right) => {
      const types = new Map<string, string>();
      return (areas, batch, operation) => {
        const headers = right(areas, batch, operation);
        const isOwn = Object.keys(operation.headers).some((name) => name.toLowerCase() === 'content-type');
        const type = isOwn ? headers['content-type'] : types.get(batch.correlationId);
        if (type === undefined) return headers;
        types.set(batch.correlationId, type);
        return { ...headers, 'content-type': type };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const batch = await edda.batch([
        operationsOf(made, 1, [{ op: 'replace', path: '/title', value: 'u' }]),
        mergeOf(made, 2, { note: 'n' }),
      ]);
      return batch.status !== 200;
    },
  },
  'version.cascade-counts-twice': {
    source: 'core: Common request headers, text below',
    breaks: 'An edit leads to the next version, one that removes a parent along with its member too.',
    variant: together(
      replaces('operations', 'cascadeTo', (right, areas, run, entry) => {
        cascaded.add(run.object);
        return right(areas, run, entry);
      }),
      replaces(
        'versioning',
        'versionAfterOperations',
        (right, areas, object, operations) => right(areas, object, operations) + (cascaded.has(object) ? 1 : 0),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: [{ name: 'a' }] });
      const edit = await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/name' }]);
      return edit.headers.get(headerNames.version) === '3';
    },
  },
  'versioning.begins-with-the-same-digits': {
    source: 'core: Common request headers, row Svc-UOIVersion',
    breaks: 'A version is compared as a number: 1 is not the beginning of 10.',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) =>
      String(current).startsWith(String(sent)),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      for (let version = 1; version < 10; version += 1) await edda.merge(made, version, { note: `n${version}` });
      return (await edda.merge(made, 1, { note: 'again' })).status < 300;
    },
  },
  'editing.location-of-the-latest': {
    source: 'core: Common request headers, Location',
    breaks: 'The Location of a create leads to what it created, also when two come at once.',
    variant: breaks('messages', 'finish', (right) => {
      let latest: Answer['headers'];
      return async (areas, call, answer) => {
        const finished = await right(areas, call, answer);
        const isCreate = finished.status === 201 && call.params['inputSchemaId'] !== undefined;
        if (!isCreate || 'isSibling' in call) return finished;
        latest = finished.headers;
        await setImmediate();
        await setImmediate();
        return { ...finished, ...(latest && { headers: latest }) };
      };
    }),
    async shows({ edda }) {
      const creates = many(6, (number) => edda.post(documentsPath, { title: `t${number}` }));
      const places = (await Promise.all(creates)).map(({ headers }) => headers.get('location'));
      return new Set(places).size < places.length;
    },
  },
  'versioning.header-counts-operations': {
    source: 'core: Common request headers',
    breaks: 'A PATCH returns the new version, which is one more, however many operations it has.',
    variant: replaces('operations', 'operateObject', async (right, areas, call, writing) => {
      await right(areas, call, writing);
      return areas.versioning.editedAnswer(call.object.version + Math.max(1, call.json.length));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'operations' });
      const operations = ['note', 'remark'].map((member) => ({ op: 'add', path: `/${member}`, value: member }));
      const answer = await edda.operate(made, 1, operations);
      return answer.headers.get(headerNames.version) !== String(at(await edda.read(made), '/version'));
    },
  },
  'editing.empty-merge-tells-the-former-version': {
    source: 'core: Common request headers',
    breaks: 'The version that an edit answers with is the one that the object has from then on, whatever was edited.',
    variant: changes('editing', 'mergeObject', (answer, _areas, call) => {
      if (!isContent(call.json) || Object.keys(call.json).length > 0) return answer;
      return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(call.object.version) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Part');
      const { headers } = await edda.merge(made, 1, {});
      return headers.get(headerNames.version) !== String(at(await edda.read(made), '/version'));
    },
  },
  'caching.tag-of-the-file-before': {
    source: 'core: Common request headers, text below',
    breaks: 'The tag of a file is that of the file that is there now, not of one that was deleted from its place.',
    variant: breaks('fileAreas', 'fileRecordOf', (right) => {
      const records = new Map<string, FileRecord>();
      return async (areas, place, stamp) => {
        const id = JSON.stringify(place);
        const record = records.get(id) ?? (await right(areas, place, stamp));
        if (record !== undefined && !record.growing) records.set(id, record);
        return record;
      };
    }),
    async shows({ edda }) {
      const path = `${spaceFiles}/a.txt`;
      await edda.upload('a.txt', 'before');
      const tag = (await edda.get(path)).headers.get('etag');
      await edda.delete(path);
      await edda.upload('a.txt', 'after it');
      return (await edda.get(path)).headers.get('etag') === tag;
    },
  },
  'maturity.no-version-for-administrators': {
    source: 'core: Common request headers, text below',
    breaks: 'The answer to a promote tells the new version to whoever promotes.',
    variant: changes('maturity', 'promoteObject', (answer, areas, call) => {
      if (!areas.auth.rolesOf(call.user, call.space).includes('administrator')) return answer;
      const { [headerNames.version]: _version, ...headers } = answer.headers ?? {};
      return { ...answer, headers };
    }),
    async shows({ edda, alma }) {
      const made = await edda.make('Document');
      return (await alma.move(made, 1)).headers.get(headerNames.version) === null;
    },
  },
  'caching.no-tag-for-readers': {
    source: 'core: Common request headers',
    breaks: 'Data other than SoftTypes come with an ETag, whoever reads them.',
    variant: changes('openApi', 'readDynamicOpenApi', (answer, areas, call) => {
      if (areas.auth.mayUse(call.user, call.space, 'PUT')) return answer;
      const { ETag: _tag, ...headers } = answer.headers ?? {};
      return { ...answer, headers };
    }),
    async shows({ rita }) {
      const answer = await rita.get('/space/main/SoftType/dynamic/softtype.openApi');
      return answer.status === 200 && answer.headers.get('etag') === null;
    },
  },
  'editing.empty-merge-without-a-version': {
    source: 'core: Common request headers, response headers',
    breaks: 'Every PATCH returns the version, also one whose body names no field.',
    variant: changes('editing', 'mergeObject', (answer, _areas, call) =>
      Object.keys(call.json ?? {}).length === 0 ? { status: answer.status } : answer,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const answer = await edda.merge(made, 1, {});
      return answer.status === 204 && answer.headers.get(headerNames.version) === null;
    },
  },
  'caching.tag-once-for-each': {
    source: 'core: Common request headers, ETag',
    breaks: 'ETag is returned on each GET of such data, also on the second one by the same user.',
    variant: breaks('caching', 'conditional', (right) => {
      const told = new Set<string>();
      return (areas, call, answer) => {
        const { headers: { ETag: tag = '', ...others } = {}, ...rest } = right(areas, call, answer);
        const key = `${call.headers['authorization']} ${call.url} ${tag}`;
        const isTold = told.has(key) && call.headers['if-none-match'] === undefined;
        told.add(key);
        return { ...rest, headers: isTold ? others : { ...others, ETag: tag } };
      };
    }),
    async shows({ cora }) {
      await cora.get(profilePath);
      return (await cora.get(profilePath)).headers.get('etag') === null;
    },
  },
  'reading.an-empty-filter-header': {
    source: 'core: Common request headers',
    breaks: 'A request needs an information filter; a header without any text is none.',
    survives:
      'What a filter that is no Base64 of a JSON object is answered with is not described, and a text without a character is one.',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) =>
      call.headers['svc-informationfilter'] === '' ? {} : right(areas, call),
    ),
    async shows({ edda }) {
      const made = await edda.make('Part');
      const { status } = await edda.get(made.path, { 'svc-informationfilter': ' ' });
      return status === 200;
    },
  },
  'maturity.header-of-a-demote': {
    source: 'core: Common request headers',
    breaks: 'A demote answers with the new version, as a promote does.',
    variant: changes('maturity', 'demoteObject', (answer, _areas, call) => ({
      ...answer,
      headers: { ...answer.headers, [headerNames.version]: String(call.object.version) },
    })),
    async shows({ edda }) {
      const made = await edda.make('Document');
      await edda.move(made, 1);
      return (await edda.move(made, 2, 'demote')).headers.get(headerNames.version) !== '3';
    },
  },
};
