import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { judgeHost } from '../../bench/swarm/hosts.ts';
import { findingsOf, saidOf } from '../../bench/swarm/judge.ts';
import type { ExtensionHostProfile } from '../../contract/profile/extension-host.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { RuleId } from '../../contract/rule.ts';
import { isObject, jsonOf, objectsIn, valueAt } from '../../judge/json.ts';
import type { Calls } from '../../simulator/extension/areas/calls.ts';
import { type Call, joinUrl } from '../../simulator/extension/call.ts';
import type { Entry } from '../../simulator/extension/entry.ts';
import { signatureOf } from '../../simulator/extension/signature.ts';
import { together } from '../../variants/extension-host/breaks.ts';
import { breaks, type HostVariant } from '../../variants/extension-host/choice.ts';
import { answers } from '../../variants/extension-host/wire-choices.ts';

interface Mistake {
  readonly rule: RuleId;
  readonly by: HostVariant;
  readonly found: RegExp;
  /** Judged before, where the mistake shows in the second case alone. */
  readonly before?: RuleId;
  /** What the profile says of the objects that the host reads. */
  readonly objects?: Record<string, Record<string, unknown>>;
}

const shortMs = 40;
const twelve = Array.from({ length: 12 }, (_file, index) => ({ name: `f${index}` }));

/** The objects of the samples, told apart by what they hold. */
const objects = {
  'object-1': { title: 'Crane', files: twelve },
  'invalid-1': { title: 'Crane', files: twelve.with(11, { name: 'bad' }) },
};

/** The same, without pages. */
const readAtOnce = {
  'object-1': { title: 'Crane', files: twelve.slice(0, 1) },
  'invalid-1': { title: 'Crane', files: [{ name: 'bad' }] },
};

/** Mistakes beside the fault of their rule. */
const mistakes: Readonly<Record<string, Mistake>> = {
  'metadata are encoded in Latin-1': {
    rule: 'metadata.host.content-type-json',
    by: namingInLatin1(),
    found: /expected encoding of the metadata.*UTF-8.*found "?other bytes/,
  },
  'an unsigned event is refused and worked on': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: together(
      breaks('signing', 'isAdmitted', (right) => (entry) => entry.kind === 'event' || right(entry)),
      breaks('calls', 'answerEvent', (right) => async (call) => {
        const answer = await right(call);
        return call.entry.signature?.ok === true ? answer : { status: 401 };
      }),
    ),
    found: /for an unsigned event to be 0, found 1/,
  },
  'a signature over the path in upper case lets in': {
    rule: 'signing.extension-host.wrong-path-refused',
    by: breaks('signing', 'isAdmitted', (right, { surroundings: { apiKey = '' } }) => (entry) => {
      const [path = ''] = entry.target.split('?');
      return right(entry) || entry.signature?.presented === signatureOf(apiKey, path.toUpperCase());
    }),
    found: /with the signature of \/[A-Z]/,
  },
  'a password lets in': {
    rule: 'signing.extension-host.wrong-key-refused',
    by: breaks(
      'signing',
      'isAdmitted',
      (right) => (entry) =>
        entry.headers.some(([name, value]) => /^authorization$/i.test(name) && value.startsWith('Basic ')) ||
        right(entry),
    ),
    found: /with a password in the place of a signature/,
  },
  'events go to the base address of the one that came last': {
    rule: 'calls.host.uses-base-address',
    by: keepingLatestAddress(),
    found: /because of a call beside one with another baseAddress/,
  },
  'the token of a call lets in': {
    rule: 'signing.extension-host.wrong-key-refused',
    by: breaks(
      'signing',
      'isAdmitted',
      (right) => (entry) =>
        (entry.envelope !== undefined && entry.signature?.presented === entry.envelope.accessToken) || right(entry),
    ),
    found: /with the token of the call in the place of a signature/,
  },
  'an edit has version 1 whatever was read': {
    rule: 'calls.host.uses-core-headers',
    by: editing(() => ({ [headerNames.version]: '1' })),
    found: /expected version of PATCH \S+ to be one that was read before: \d.* found "?1"?$/,
  },
  'an edit has the version that it makes': {
    rule: 'calls.host.uses-core-headers',
    by: editing((read) => ({ [headerNames.version]: String(Number(read) + 1) })),
    found: /expected version of PATCH \S+ to be one that was read before: 1, found "?2"?$/,
  },
  'operations go to the route of fields': {
    rule: 'calls.host.uses-core-headers',
    by: editing((read) => ({ [headerNames.version]: read }), {
      operations: [{ op: 'replace', path: '/note', value: 'x' }],
    }),
    found: /PATCH \S+ sends operations to a route that is none of theirs/,
  },
  ...grouping('more than 50 instances are created at once', {
    route: 'softtype',
    body: Array.from({ length: 51 }, (_item, index) => ({ $id: `i${index}`, $softType: 'Document', data: {} })),
    found: /number of items of the multi-create .* to be 50 at most, found 51/,
  }),
  ...grouping('an instance tells its SoftType by another name', {
    route: 'softtype',
    body: [{ $id: 'one', softType: 'Document', data: {} }],
    found: /what is wrong with an item of the multi-create .* found "?its \$softType/,
  }),
  ...grouping('an instance leads to none of its request', {
    route: 'softtype',
    body: linked({ instanceRef: 'c', softTypeId: 'Document' }),
    found: /found "?its reference to "?\\?"c\\?"?, which no item is/,
  }),
  ...grouping('two instances have the id that another leads to', {
    route: 'softtype',
    body: [...linked({ instanceRef: 'a', softTypeId: 'Document' }), { $id: 'a', $softType: 'Document', data: {} }],
    found: /which several items are/,
  }),
  ...grouping('a reference does not tell the SoftType of what it leads to', {
    route: 'softtype',
    body: linked({ instanceRef: 'a' }),
    found: /found "?the softTypeId of its reference/,
  }),
  ...grouping('instances that are created at once go below the prefix of the others', {
    route: 'softtype',
    below: '/api/space',
    body: linked({ instanceRef: 'a', softTypeId: 'Document' }),
    found: /POST \S+ sends instances to a route that is none of theirs/,
  }),
  ...grouping('a batch goes below no prefix', {
    route: 'batch',
    below: '/space',
    body: [{ method: 'GET', href: '/api/space/main/softtype/00000001' }],
    found: /POST \S+ lacks the \/api before its route/,
  }),
  ...grouping('an instance is created by no schema', {
    route: 'softtype/Document',
    below: '/api/space',
    body: { title: 'One' },
    found: /POST \S+ sends an instance to a route that is none of theirs/,
  }),
  ...grouping('a page is asked for by POST', {
    route: 'softtype/page/Document/documentFull/files/00000001/1',
    below: '/api/space',
    body: undefined,
    found: /POST \S+ sends an instance to a route that is none of theirs/,
  }),
  ...grouping('the number of a page is not filled in', {
    route: 'softtype/page/Document/documentFull/files/00000001/%7BpageNumber%7D',
    below: '/api/space',
    body: undefined,
    found: /expected a template in the path of POST \S+ to be false, found true/,
  }),
  ...grouping('a batch reads a file', {
    route: 'batch',
    body: [{ method: 'GET', href: '/api/space/main/fs/file/notes/one.txt' }],
    found: /found "?its route, which no batch takes/,
  }),
  ...grouping('an instance has its content beside its data', {
    route: 'softtype',
    body: [{ $id: 'one', $softType: 'Document', title: 'One' }],
    found: /an item of a multi-create has title beside its data/,
  }),
  ...grouping('a reference is an entry of an array, and not the value of one', {
    route: 'softtype',
    body: [
      { $id: 'a', $softType: 'Document', data: {} },
      { $id: 'b', $softType: 'Document', data: { above: [{ id: 'above', instanceRef: 'a', softTypeId: 'Document' }] } },
    ],
    found: /which is not the value of an entry with an id/,
  }),
  'an event uploads a file without its checksum': {
    rule: 'calls.host.uses-core-headers',
    objects: { '00000001': { note: 'n' } },
    by: breaks('calls', 'workOnEvent', (right, calls) => async (call, signal) => {
      const url = joinUrl(
        call.baseAddress,
        `/api/space/${String(call.payload['spaceId'])}/fs/file/stream/notes/one.txt`,
      );
      const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, 'Content-Type': 'text/plain' };
      await calls.surroundings.client.send({ method: 'POST', url, headers, body: 'One' }, signal);
      return right(call, signal);
    }),
    found: /expected header checksum of POST \S+ to be /,
  },
  'an event promotes by POST': {
    rule: 'calls.host.uses-core-headers',
    objects: { '00000001': { note: 'n' } },
    by: promoting('POST', '00000001/process/level'),
    found: /expected method of the maturity action \S+ to be "?PUT"?, found "?POST/,
  },
  'an event promotes with a body': {
    rule: 'calls.host.uses-core-headers',
    objects: { '00000001': { note: 'n' } },
    by: promoting('PUT', '00000001/process/level', '{"state":"Released"}'),
    found: /PUT \S+ sends a body, which a maturity action has not/,
  },
  'an event promotes to no level': {
    rule: 'calls.host.uses-core-headers',
    objects: { '00000001': { note: 'n' } },
    by: promoting('PUT', '00000001/process'),
    found: /PUT \S+ sends a promote to a route that is none of theirs/,
  },
  ...grouping('an operation of a batch writes its verb small', {
    route: 'batch',
    body: [{ method: 'get', href: '/api/space/main/softtype/00000001' }],
    found: /found "?its method/,
  }),
  ...grouping('an edit in a batch has no body', {
    route: 'batch',
    body: [
      {
        method: 'PATCH',
        href: '/api/space/main/softtype/Document/documentInput/00000001',
        headers: { [headerNames.version]: '1' },
      },
    ],
    found: /found "?the PATCH has no body/,
  }),
  'fields in a batch go to the route of operations': {
    rule: 'calls.host.uses-core-headers',
    by: editing((read) => ({ [headerNames.version]: read }), { isInBatch: true, to: 'Document/00000001' }),
    found: /PATCH \S+\/Document\/00000001 sends fields to a route that is none of theirs/,
  },
  'of a batch that was rolled back one of two comes again': {
    rule: 'calls.host.uses-core-headers',
    by: forgettingTheRest(),
    found: /1 of 2 writes came again, and not POST /,
  },
  ...grouping('a batch reads in a space of nobody', {
    route: 'batch',
    body: [{ method: 'GET', href: 'api/space/nobodys/softtype/00000001' }],
    found: /the host asked in space "nobodys", which nothing in the call names/,
  }),
  ...grouping('a batch demotes by a POST', {
    route: 'batch',
    body: [{ method: 'POST', href: '/api/space/main/maturityAction/demote/00000001/p/l' }],
    found: /method of the maturity action \S+ to be "?PUT"?, found "?POST/,
  }),
  ...grouping('an operation of a batch has its body as a text', {
    route: 'batch',
    body: [{ method: 'POST', href: '/api/space/main/softtype/Document/documentInput', body: '{"title":"x"}' }],
    found: /found "?its body is written as a text/,
  }),
  ...grouping('the operations of a batch are a member of an object', {
    route: 'batch',
    body: { operations: [] },
    found: /the batch that POST \S+ sends to be an array/,
  }),
  ...grouping('an operation of a batch leads to no address', {
    route: 'batch',
    body: [{ method: 'POST', href: 'softtype/Document/documentInput', body: {} }],
    found: /what is wrong with an item of the batch .* found "?its href is no full address/,
  }),
  'an edit in a batch has no version': {
    rule: 'calls.host.uses-core-headers',
    by: editing(() => ({}), { isInBatch: true }),
    found: /expected version of PATCH \S+ in a batch to be an integer, found "?none"?$/,
  },
  'an edit in a batch has version 1 whatever was read': {
    rule: 'calls.host.uses-core-headers',
    by: editing(() => ({ 'svc-uoiversion': 1 }), { isInBatch: true }),
    found: /expected version of PATCH \S+ in a batch to be one that was read before: \d.* found "?1"?$/,
  },
  'an event adds what it read': {
    rule: 'calls.host.uses-core-headers',
    objects: { '00000001': { note: 'n' } },
    by: editing((read) => ({ [headerNames.version]: read }), {
      operations: [{ op: 'add', path: '/note', value: 'x' }],
    }),
    found: /expected the member that operations add .* to be "?none"?, found "?\/note"?$/,
  },
  ...editingBadly("an event's removal has a value", { op: 'remove', path: '/note', value: null }, 'a value of what'),
  ...editingBadly("an event's operation has the name of a member", { op: 'add', path: 'note', value: 'x' }, 'its path'),
  ...editingBadly('an event replaces by an object', { op: 'replace', path: '/note', value: {} }, 'it replaces by an'),
  'an event adds what an event before it added': {
    rule: 'calls.host.uses-core-headers',
    objects: { '00000001': { note: 'n' } },
    by: editing((read) => ({ [headerNames.version]: read }), {
      operations: [{ op: 'add', path: '/seen', value: 'x' }],
    }),
    found: /expected the member that operations add .* to be "?none"?, found "?\/seen"?$/,
  },
  'an event edits an entry by its place': {
    rule: 'calls.host.uses-core-headers',
    objects: { '00000001': { files: [{ name: 'a.txt' }] } },
    by: editing((read) => ({ [headerNames.version]: read }), {
      operations: [{ op: 'replace', path: '/files/0/name', value: 'b.txt' }],
    }),
    found: /expected the entry that operations lead to by what is no id.* to be "?none"?, found "?\/files\/0\/name"?$/,
  },
  'an event edits an entry by what it is called': {
    rule: 'calls.host.uses-core-headers',
    objects: { '00000001': { files: [{ name: 'a.txt' }] } },
    by: editing((read) => ({ [headerNames.version]: read }), {
      operations: [{ op: 'add', path: '/files/a.txt/size', value: 1 }],
    }),
    found:
      /expected the entry that operations lead to by what is no id.* to be "?none"?, found "?\/files\/a\.txt\/size/,
  },
  'an event edits a member in the data of what it read': {
    rule: 'calls.host.uses-core-headers',
    objects: { '00000001': { note: 'n' } },
    by: editing((read) => ({ [headerNames.version]: read }), {
      operations: [{ op: 'replace', path: '/data/note', value: 'x' }],
    }),
    found: /expected the member that operations lead to by way of the data .* to be "?none"?, found "?\/data\/note"?$/,
  },
  'an event edits a member in the data of what it read, and another as it has to': {
    rule: 'calls.host.uses-core-headers',
    objects: { '00000001': { note: 'n', title: 't' } },
    by: together(
      editing((read) => ({ [headerNames.version]: read }), {
        operations: [{ op: 'replace', path: '/data/note', value: 'x' }],
      }),
      breaks('calls', 'workOnEvent', (right, calls) => async (call, signal) => {
        await right(call, signal);
        const href = `/api/space/${String(call.payload['spaceId'])}/softtype/Document/documentInput/00000001`;
        const url = joinUrl(call.baseAddress, href);
        const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, ...calls.filterHeader(call) };
        const read = await calls.surroundings.client.request({ method: 'GET', url, headers }, signal);
        await read.body.resume().toArray();
        const own = {
          [headerNames.version]: String(read.headers['svc-uoiversion']),
          'Content-Type': mediaTypes.operations,
        };
        const body = JSON.stringify([{ op: 'replace', path: '/title', value: 'y' }]);
        await calls.surroundings.client.send({ method: 'PATCH', url, headers: { ...headers, ...own }, body }, signal);
      }),
    ),
    found: /expected the member that operations lead to by way of the data .* to be "?none"?, found "?\/data\/note"?$/,
  },
  'an event edits the definition of its object': {
    rule: 'calls.host.uses-core-headers',
    objects: { '00000001': { $softType: 'Document', note: 'n' } },
    by: editing((read) => ({ [headerNames.version]: read }), {
      to: '00000001/Document',
      operations: [{ op: 'replace', path: '/note', value: 'x' }],
    }),
    found: /expected what an edit leads to in the place of the object.* to be "?none"?, found "?Document"?$/,
  },
  'an operation is sent without its array': {
    rule: 'calls.host.uses-core-headers',
    objects: { '00000001': { note: 'n' } },
    by: editing((read) => ({ [headerNames.version]: read }), {
      operations: { op: 'replace', path: '/note', value: 'x' },
    }),
    found: /expected what PATCH \S+ sends by the type of operations to be an array/,
  },
  'a validation looks at the first page alone': {
    rule: 'calls.host.validation-outcome',
    objects,
    by: validating(async (read, calls, call) => isGood(await read(calls, call))),
    found: /expected isValid of the sample known as invalid to be false, found true/,
  },
  'a validation goes by what it found before': {
    rule: 'calls.host.validation-outcome',
    objects,
    by: remembering(),
    found: /expected isValid of an object that others edited since the host read it to be false, found true/,
  },
  'the events of one request are taken for one': {
    rule: 'calls.host.redelivery',
    by: breaks(
      'background',
      'start',
      (right) => (call, work) => right({ ...call, payload: { ...call.payload, id: '' } }, work),
    ),
    found: /whose call has the id of that of event .*, found none/,
  },
  'an event whose connection ended is known when it comes again, and was given up': {
    rule: 'calls.host.redelivery',
    by: givingUpWithCaller(),
    found: /event \S+, which came again as its connection had ended, as because of .*, found none/,
  },
  'an event like one before it is taken for that': {
    rule: 'calls.host.redelivery',
    by: startingEvents(
      (right) => (call, work) => right({ ...call, id: '', payload: { ...call.payload, id: '' } }, work),
    ),
    found: /requests of the host because of event \S+, as because of \S+, found none/,
  },
  'an event of another installation is taken for one that has its ids': {
    rule: 'calls.host.uses-base-address',
    by: startingEvents((right) => {
      const known = new Set<string>();
      return (call, work) => {
        const ids = `${call.id} ${JSON.stringify(call.payload)}`;
        if (known.has(ids)) return undefined;
        known.add(ids);
        return right(call, work);
      };
    }),
    found: /was not worked on after one of another installation that has its ids/,
  },
  'an event of another kind fails': {
    rule: 'calls.host.event-acknowledged',
    by: breaks('calls', 'answerEvent', (right) => async (call) => {
      const answer = await right(call);
      return isObject(call.payload['contentPayload']) && 'of' in call.payload['contentPayload']
        ? { status: 500 }
        : answer;
    }),
    found: /another content was answered with 500/,
  },
  'an action tells the version that it was told': {
    rule: 'calls.host.action-success-body',
    by: forwarding(({ told }) => ({ version: told, tells: told })),
    found: /the action tells version 3 of an object of which the service made version 4/,
  },
  'an action goes by a version that it reads': {
    rule: 'calls.host.action-success-body',
    by: forwarding(({ read }) => ({ version: read, tells: read + 1 })),
    found: /wrote over what they made of it/,
  },
  'one event of eight is lost': {
    rule: 'calls.host.redelivery',
    by: startingEvents((right) => {
      let came = 0;
      return (call, work) => {
        came += 1;
        return came % 8 === 0 ? undefined : right(call, work);
      };
    }),
    found: /requests of the host because of event \S+, as because of those before it, found none/,
  },
  'the id of a call is kept as far as a GUID goes': {
    rule: 'calls.host.correlation-id-used',
    by: breaks('client', 'send', (right) => (request, signal) => {
      const { 'X-Correlation-Id': id = '', ...headers } = request.headers ?? {};
      return right({ ...request, headers: { ...headers, 'X-Correlation-Id': id.slice(0, 36) } }, signal);
    }),
    found: /the host sent X-Correlation-Id \S+ because of a call whose id is \S+, although/,
  },
  'an event in the chunked coding has no body': {
    rule: 'calls.host.event-acknowledged',
    by: breaks(
      'calls',
      'answerEvent',
      (right) => async (call) =>
        call.entry.headers.some(([name]) => /^transfer-encoding$/i.test(name)) ? { status: 400 } : right(call),
    ),
    found: /an event in the chunked coding was answered with 400, and not refused with 411/,
  },
  'an event that does not go into a buffer is acknowledged and dropped': {
    rule: 'calls.host.redelivery',
    by: startingEvents(
      (right) => (call, work) => (call.entry.body.byteLength > 64 * 1024 ? undefined : right(call, work)),
    ),
    found: /requests of the host because of event \S+, of 128 KiB, as because of short ones, found none/,
  },
  'an event is read as far as a buffer goes': {
    rule: 'calls.host.event-acknowledged-first',
    by: breaks(
      'calls',
      'answerEvent',
      (right) => async (call) =>
        isObject(jsonOf(Buffer.from(call.entry.body).toString('utf8', 0, 64 * 1024))) ? right(call) : { status: 400 },
    ),
    found: /an event of 128 KiB was refused with 400, and no shorter one/,
  },
  'an event beside another one is acknowledged and dropped': {
    rule: 'calls.host.concurrent-calls',
    by: startingEvents((right) => {
      let running = 0;
      return async (call, work) => {
        if (running > 0) return;
        running += 1;
        await right(call, work);
        await setTimeout(shortMs);
        running -= 1;
      };
    }),
    found: /\d of \d events that came at once and were acknowledged set nothing off, unlike the others/,
  },
  'requests have the filter of the call before': {
    rule: 'calls.host.uses-core-headers',
    by: breaks('calls', 'filterHeader', (right) => {
      let before: Call | undefined;
      return (call) => {
        const header = right(before ?? call);
        before = call;
        return header;
      };
    }),
    found: /expected the call whose information filter GET \S+ carries to be/,
  },
  'the href of a page goes behind the base address, whose path it has': {
    rule: 'calls.host.uses-base-address',
    objects,
    by: validating(async (read, calls, call) => {
      const [link] = objectsIn(valueAt(await read(calls, call), '/links'));
      const href = String(link?.['href']).replace('{pageNumber}', '1');
      const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, ...calls.filterHeader(call) };
      const url = call.baseAddress + href;
      await calls.surroundings.client.send({ method: 'GET', url, headers }, AbortSignal.timeout(5000));
      return !String(call.payload['objectId']).startsWith('invalid-');
    }),
    found: /expected path of GET \S+, because of a call whose baseAddress has a path to be one below \S+ once/,
  },
  'a validation goes by an object that it read before, and by its pages of now': {
    rule: 'calls.host.validation-outcome',
    objects: readAtOnce,
    by: rememberingObjects(),
    found: /expected isValid of an object that others edited since the host read it to be false, found true/,
  },
  'validations at once share what is read of one id': {
    rule: 'calls.host.validation-outcome',
    objects: readAtOnce,
    by: sharingReads(({ payload }) => String(payload['objectId'])),
    found: /expected isValid of an object beside one of another service that has its id to be (?:true|false), found/,
  },
  'validations at once share what one of them read': {
    rule: 'calls.host.validation-outcome',
    objects: readAtOnce,
    by: sharingReads(({ baseAddress, payload }) => `${baseAddress} ${String(payload['objectId'])}`),
    found: /[2-5] of 6 validations at once did not read with their own token, unlike the others/,
  },
  'what could not be read once is invalid from then on': {
    rule: 'calls.host.validation-outcome',
    objects: readAtOnce,
    by: keepingUnread(),
    found:
      /expected isValid of the sample known as valid, which the host could not read before to be true, found false/,
  },
  'what was not there once is invalid from then on': {
    rule: 'calls.host.validation-outcome',
    objects: readAtOnce,
    by: keepingMissing(),
    found:
      /expected isValid of the sample known as valid, which the host could not read before to be true, found false/,
  },
  'the version behind a conflict is guessed': {
    rule: 'calls.host.uses-core-headers',
    by: editing((read, tried) => ({ [headerNames.version]: String(Number(read) + tried) }), { times: 2 }),
    found: /expected version of PATCH \S+ to be one that was read before: \d+, found "?\d/,
  },
  'a validation judges the object in whose context it stands': {
    rule: 'calls.host.validation-outcome',
    objects: readAtOnce,
    by: validating(async (read, calls, call) => {
      const { objectId, contextObjectId = objectId } = call.payload;
      return isGood(await read(calls, { ...call, payload: { ...call.payload, objectId: contextObjectId } }));
    }),
    found: /expected verdicts on the samples.* to be "?their own"?, found "?those of their context/,
  },
  'a validation reads in Latin-1 what it is told': {
    rule: 'calls.host.validation-outcome',
    objects: readAtOnce,
    by: readingAs((id) => Buffer.from(id).toString('latin1')),
    found: /asks for to judge the object object-\S+\u00e9 to be "?itself"?, found "?\/\S+%C3%83%C2%A9/,
  },
  'a validation knows no sign beyond ASCII': {
    rule: 'calls.host.validation-outcome',
    objects: readAtOnce,
    by: readingAs((id) => id.replace(/[^ -~]/gu, '\u{fffd}')),
    found: /asks for to judge the object object-\S+\u00e9 to be "?itself"?, found "?\/\S+%EF%BF%BD/,
  },
  'a validation does not encode the id in an address': {
    rule: 'calls.host.validation-outcome',
    objects: readAtOnce,
    by: readingAs((id) => id.replace(/#.*/, '')),
    found: /the host asked for \/\S+ to judge the object whose id is object-/,
  },
  'what cannot be read is valid': {
    rule: 'calls.host.validation-outcome',
    objects: readAtOnce,
    by: validating(async (read, calls, call) => isGood(await read(calls, call))),
    found: /found valid where the host could not read it/,
  },
  'what the service does not have is valid': {
    rule: 'calls.host.validation-outcome',
    objects: readAtOnce,
    by: findingMissingValid(),
    found: /found valid where the host could not read it/,
  },
  'the id of a space is written small': {
    rule: 'calls.host.uses-envelope-token',
    objects: readAtOnce,
    by: validating(async (read, calls, call) => {
      const spaceId = String(call.payload['spaceId']).toLowerCase();
      return isGood(await read(calls, { ...call, payload: { ...call.payload, spaceId } }));
    }),
    found: /the host asked in space "space-\S+", which nothing in the call names/,
  },
  'a correlation id is written small': {
    rule: 'calls.host.correlation-id-used',
    by: breaks(
      'calls',
      'workOnEvent',
      (right) => (call, signal) => right({ ...call, id: call.id.toLowerCase() }, signal),
    ),
    found: /the host sent X-Correlation-Id request\.of\S+ because of a call whose id is Request\.OF/,
  },
  'a correlation id is written without its hyphens': {
    rule: 'calls.host.correlation-id-used',
    by: breaks(
      'calls',
      'workOnEvent',
      (right) => (call, signal) => right({ ...call, id: call.id.replaceAll('-', '') }, signal),
    ),
    found: /X-Correlation-Id of the requests of the host is the id of the envelope in another spelling/,
  },
  'a correlation id has the number of the request behind it': {
    rule: 'calls.host.correlation-id-used',
    by: breaks('calls', 'workOnEvent', (right) => (call, signal) => right({ ...call, id: `${call.id}-1` }, signal)),
    found: /X-Correlation-Id of the requests of the host is the id of the envelope and more, by which nobody finds/,
  },
  'the id of an event stands for that of its call': {
    rule: 'calls.host.correlation-id-used',
    by: breaks(
      'calls',
      'workOnEvent',
      (right) => (call, signal) => right({ ...call, id: String(call.payload['id']) }, signal),
    ),
    found: /X-Correlation-Id of the requests of the host is the id of the event, by which nobody finds/,
  },
  'what is asked again has no filter': {
    rule: 'calls.host.uses-core-headers',
    by: askingAgain((call) => leaveOut(call, 'informationFilter')),
    found: /information filter of GET \S+, where the first request of each call was answered with 503 to be a JSON/,
  },
  'what is asked again has the token of the call that came last': {
    rule: 'calls.host.uses-core-headers',
    by: askingAgain((call, { accessToken }) => ({ ...call, accessToken })),
    found: /expected the call whose (?:token|information filter) GET \S+ carries, of those at once to be/,
  },
  'what is asked again has the filter of the call that came last': {
    rule: 'calls.host.uses-core-headers',
    by: askingAgain((call, { informationFilter }) => ({ ...call, ...(informationFilter && { informationFilter }) })),
    found: /expected the call whose information filter GET \S+ carries, of those at once to be/,
  },
  'the message of a validation shows the token': {
    rule: 'calls.host.uses-envelope-token',
    by: breaks('calls', 'answerValidation', (right) => async (call) => {
      const step = await right(call);
      return { ...step, json: { ...Object(step.json), message: `Read with ${call.accessToken}.` } };
    }),
    found: /the answer to a call of record "[^"]+" shows the token of the call/,
  },
  'what takes its time is valid': {
    rule: 'calls.host.validation-outcome',
    objects: readAtOnce,
    by: validating(async (read, calls, call) => {
      const reading = read(calls, call);
      const found = await Promise.race([reading, setTimeout(1000)]);
      return found === undefined || isGood(found);
    }),
    found: /found valid where the service took 2.5 s to tell of its object/,
  },
  'a blank in the id of a space becomes a plus': {
    rule: 'calls.host.validation-outcome',
    objects: readAtOnce,
    by: validating(async (read, calls, call) => {
      const spaceId = encodeURIComponent(String(call.payload['spaceId'])).replaceAll('%20', '+');
      const objectId = encodeURIComponent(String(call.payload['objectId']));
      return isGood(await read(calls, { ...call, payload: { ...call.payload, spaceId, objectId } }));
    }),
    found: /the host asked for \S+ to judge an object of the space whose id is Space-/,
  },
  'a time is negative': {
    rule: 'metadata.host.optional-field-types',
    by: breaks(
      'metadata',
      'announcedRecords',
      (right) => (records) => right(records).map((record) => ({ ...Object(record), requestTimeout: -30 })),
    ),
    found: /requestTimeout of record "[^"]+" is -30, which is no time/,
  },
  'records have other ids whenever they are read': {
    rule: 'metadata.host.ids-unique',
    by: breaks('metadata', 'announcedRecords', (right) => {
      let readings = 0;
      return (records) => {
        readings += 1;
        return right(records).map((record) => ({ ...Object(record), id: `${Object(record)['id']}-${readings}` }));
      };
    }),
    found: /every record has an id that it had not when the metadata were read before/,
  },
  'a record tells when it was called last': {
    rule: 'metadata.host.no-additional-properties',
    by: (areas) => {
      const called = new Map<string, string>();
      return together(
        breaks('signing', 'isAdmitted', (right) => (entry) => {
          if (entry.recordId !== undefined) called.set(entry.recordId, entry.arrivedWall);
          return right(entry);
        }),
        breaks(
          'metadata',
          'announcedRecords',
          (right) => (records) =>
            right(
              records.map((record) =>
                called.has(record.id) ? { ...record, lastCall: called.get(record.id) } : record,
              ),
            ),
        ),
      )(areas);
    },
    found: /expected members of record "\S+", when all were called beyond the documented ones .* found \["lastCall"\]/,
  },
  'what an action made is told at the address of the host': {
    rule: 'calls.host.action-success-body',
    by: breaks('calls', 'answerAction', (right, calls) => async (call) => {
      const answer = await right(call);
      const location = `${calls.surroundings.hostUri}/api/space/main/softtype/1`;
      return isObject(answer.json) ? { ...answer, json: { ...answer.json, location } } : answer;
    }),
    found: /location of the answer leads to the host, and not to the service/,
  },
  'what an action made is told at the route of the form': {
    rule: 'calls.host.action-success-body',
    by: breaks('calls', 'answerAction', (right) => async (call) => {
      const answer = await right(call);
      const location = String(call.payload['requestedRoute']);
      return isObject(answer.json) ? { ...answer, json: { ...answer.json, location } } : answer;
    }),
    found: /location of the answer is the route that the form requests, and not where what was made is/,
  },
  'events beside another one are to come again': {
    rule: 'calls.host.concurrent-calls',
    by: breaks('calls', 'answerEvent', (right) => {
      let running = 0;
      return async (call) => {
        if (running > 0) return { status: 429 };
        running += 1;
        const answer = await right(call);
        await setTimeout(shortMs);
        running -= 1;
        return answer;
      };
    }),
    found: /expected calls at once, with those before no more than the rate of 5 to be "?taken"?, found "?429 at first/,
  },
  'a scheme with nothing behind it lets in': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: admitting(({ headers }) => headers.some(([, value]) => /^Bearer\s*$/.test(value))),
    found: /with a scheme and nothing behind it/,
  },
  'dashes and underscores count for nothing': {
    rule: 'signing.extension-host.wrong-key-refused',
    by: admitting(
      ({ signature, target }, key) =>
        withoutSigns(signature?.presented ?? '') === withoutSigns(signatureOf(key, target.split('?')[0] ?? '')),
    ),
    found: /with the signature with its dashes and underscores changed/,
  },
  'a signature over the root lets in': {
    rule: 'signing.extension-host.wrong-path-refused',
    by: admitting(({ signature }, key) => signature?.presented === signatureOf(key, '/')),
    found: /with the signature of \/ /,
  },
  'a signature over the path above lets in': {
    rule: 'signing.extension-host.wrong-path-refused',
    by: admitting(
      ({ signature, target }, key) => signature?.presented === signatureOf(key, target.replace(/(?<=.)\/[^/]*$/, '')),
    ),
    found: /a metadata request with the signature of \/svc /,
  },
  'an empty key lets in': {
    rule: 'signing.extension-host.wrong-key-refused',
    by: admittingKey(() => Buffer.from('')),
    found: /signed with an empty key/,
  },
  'the text of the key lets in as well': {
    rule: 'signing.extension-host.wrong-key-refused',
    by: admittingKey((apiKey) => Buffer.from(apiKey)),
    found: /signed with the text of the key/,
  },
  'half of the key lets in as well': {
    rule: 'signing.extension-host.wrong-key-refused',
    by: admittingKey((apiKey) => {
      const key = Buffer.from(apiKey, 'base64');
      return key.subarray(0, key.byteLength / 2);
    }),
    found: /signed with half of the key/,
  },
  'a refusal tells the right signature': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: tellingSignatures(),
    found: /expected the right signature or the apiKey in the answer to .* without signature to be false, found true/,
  },
  'a base address is kept from a call before': {
    rule: 'calls.host.uses-base-address',
    by: breaks('calls', 'workOnEvent', (right) => {
      let first: string | undefined;
      return (call, signal) => right({ ...call, baseAddress: (first ??= call.baseAddress) }, signal);
    }),
    found: /expected address of GET .*, because of a call with another baseAddress/,
  },
  'requests carry the token of a call of another installation': {
    rule: 'calls.host.uses-envelope-token',
    before: 'calls.host.concurrent-calls',
    by: breaks('calls', 'tokenOf', (right) => {
      const kept = new Map<string, string>();
      return (call) => {
        kept.set(call.baseAddress, right(call));
        return [...kept].find(([baseAddress]) => baseAddress !== call.baseAddress)?.[1] ?? right(call);
      };
    }),
    found: /sent here with the token of a call of another installation to be "?none"?, found "?[A-Z]+ \//,
  },
  'validations at once carry the token of one of them': {
    rule: 'calls.host.uses-envelope-token',
    objects: readAtOnce,
    by: sharing((current, call) => ({ ...call, entry: current.entry, accessToken: current.accessToken })),
    found: /of another installation(?: that called at once)? to be "?none"?, found|of those at once to be/,
  },
  'validations at once carry the filter of one of them': {
    rule: 'calls.host.uses-envelope-token',
    objects: readAtOnce,
    by: sharing(({ informationFilter }, call) => ({ ...call, informationFilter })),
    found: /expected the call whose information filter GET \/\S+ carries, of those at once to be/,
  },
  'validations at once go to the service that called last': {
    rule: 'calls.host.uses-envelope-token',
    objects: readAtOnce,
    by: sharing((current, { payload }) => ({ ...current, payload })),
    found: /of another installation(?: that called at once)? to be "?none"?, found|of those at once to be/,
  },
  'an edit that others were ahead of is given up': {
    rule: 'calls.host.uses-core-headers',
    by: editing((read) => ({ [headerNames.version]: read })),
    found: /refused with 409 as others edited the object first, did not come again/,
  },
  'an edit that others were ahead of comes again with the version of before': {
    rule: 'calls.host.uses-core-headers',
    by: editing((read) => ({ [headerNames.version]: read }), { times: 3 }),
    found: /refused with 409 as others edited the object first, did not come again/,
  },
  'an action sends another verb to the route of the form': {
    rule: 'calls.host.action-success-body',
    by: breaks('calls', 'answerAction', (right, calls) => async (call) => {
      const url = joinUrl(call.baseAddress, String(call.payload['requestedRoute']));
      const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, [headerNames.version]: '3' };
      const request = { method: 'PUT', url, headers, body: '{}' };
      await calls.surroundings.client.send(request, new AbortController().signal);
      return right(call);
    }),
    found: /the action sent PUT to the route that the form requests with POST/,
  },
  'a signature of another length ends the comparison with an exception': {
    rule: 'signing.extension-host.refusal-is-final',
    by: throwingFor((presented) => presented.length !== 86),
    found:
      /expected status of a metadata request with a short text as its signature to be one that ends it.* found 500/,
  },
  'a signature with umlauts ends the comparison with an exception': {
    rule: 'signing.extension-host.refusal-is-final',
    by: throwingFor((presented) => /[^ -~]/.test(presented)),
    found: /expected status of a metadata request with umlauts as its signature to be one that ends it.* found 500/,
  },
  'an event whose token does not last long is refused': {
    rule: 'calls.host.event-acknowledged',
    by: refusingEvents(({ accessToken }) => {
      const claims = jsonOf(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
      return Number(valueAt(claims, '/exp')) - Number(valueAt(claims, '/iat')) < 900;
    }),
    found: /an event whose token lasts a minute was refused with 400/,
  },
  'an event like one of an earlier case is taken for that': {
    rule: 'calls.host.redelivery',
    before: 'calls.host.event-acknowledged',
    by: startingEvents((right) => {
      const known = new Set<string>();
      return (call, work) => {
        const content = JSON.stringify(call.payload['contentPayload']);
        if (known.has(content)) return undefined;
        known.add(content);
        return right(call, work);
      };
    }),
    found: /four events set nothing off, although others of their record did/,
  },
  'a validation waits for the work of an event': {
    rule: 'calls.host.answers-within-timeout',
    by: validatingAfterEvents(),
    found: /a validation was not answered within 15 s while the service answered nothing/,
  },
  'a validation whose object cannot be read is answered with a text': {
    rule: 'calls.host.validation-outcome',
    objects: readAtOnce,
    by: apologizing(),
    found: /expected the validation answer to be an object/,
  },
  'the path of a base address is dropped': {
    rule: 'calls.host.uses-base-address',
    by: breaks(
      'calls',
      'workOnEvent',
      (right) => (call, signal) => right({ ...call, baseAddress: new URL(call.baseAddress).origin }, signal),
    ),
    found: /expected path of GET .*, because of a call whose baseAddress has a path to be one below/,
  },
};

test.each(Object.entries(mistakes))('%s', async (_what, { rule, by, found, objects, before = rule }) => {
  const binding = (stated: ExtensionHostProfile): ExtensionHostProfile => ({ ...stated, ...(objects && { objects }) });
  const { outcomes } = await judgeHost([{ meets: 'a mistake', by, binding }], {
    rules: [...new Set([before, rule])],
    seed: 1,
  });
  expect(outcomes.filter((outcome) => outcome.rule === rule).map(saidOf)).toEqual([expect.stringMatching(found)]);
});

test('what is asked again as before is not blamed', async () => {
  const rules: RuleId[] = ['calls.host.uses-envelope-token', 'calls.host.uses-core-headers'];
  const { outcomes } = await judgeHost([{ meets: 'a retry', by: askingAgain((call) => call) }], { rules, seed: 1 });
  expect(findingsOf(outcomes, []).map(saidOf)).toEqual([]);
});

/** A host with one more way in. */
function admitting(isLetIn: (entry: Entry, apiKey: string) => boolean): HostVariant {
  return breaks(
    'signing',
    'isAdmitted',
    (right, { surroundings: { apiKey = '' } }) =>
      (entry) =>
        right(entry) || isLetIn(entry, apiKey),
  );
}

function withoutSigns(signature: string): string {
  return signature.replaceAll(/[-_]/g, '');
}

interface Versions {
  readonly read: number;
  readonly told: number;
}

/** An action edits its object in the place of the service. */
function forwarding(choose: (versions: Versions) => { readonly version: number; readonly tells: number }): HostVariant {
  return breaks('calls', 'answerAction', (_right, calls) => async (call) => {
    const { client } = calls.surroundings;
    const route = `/api/space/${String(call.payload['spaceId'])}/softtype/Document/documentInput/${String(call.payload['objectId'])}`;
    const url = joinUrl(call.baseAddress, route);
    const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, ...calls.filterHeader(call) };
    const { body } = await client.request({ method: 'GET', url, headers }, new AbortController().signal);
    const read = Number(valueAt(jsonOf(await text(body)), '/version'));
    const { version, tells } = choose({ read, told: Number(call.payload['svcUOIVersion']) });
    const edit = { ...headers, [headerNames.version]: String(version), 'Content-Type': mediaTypes.json };
    const { status } = await client.send(
      { method: 'PATCH', url, headers: edit, body: '{}' },
      new AbortController().signal,
    );
    return status < 300
      ? { status: 200, json: { statusCode: 201, location: route, svcUOIVersion: tells } }
      : { status: 500, json: { errors: [{ message: 'Others edited it.' }] } };
  });
}

type Starting = (
  right: (call: Call, work: (signal: AbortSignal) => Promise<void>) => void | Promise<void>,
) => (call: Call, work: (signal: AbortSignal) => Promise<void>) => void | Promise<void>;

function startingEvents(wrong: Starting): HostVariant {
  return breaks('background', 'start', (right) => {
    const wrongly = wrong(right);
    return (call, work) => (call.kind === 'event' ? wrongly(call, work) : right(call, work));
  });
}

/** An event is remembered at once, and its work begins with its answer, which nobody waits for any more. */
function givingUpWithCaller(): HostVariant {
  const known = new Set<string>();
  return together(
    startingEvents((right) => (call, work) => {
      const ids = `${call.id} ${JSON.stringify(call.payload)}`;
      if (known.has(ids)) return undefined;
      known.add(ids);
      return right(call, work);
    }),
    breaks('calls', 'answerEvent', (right) => async (call) => {
      const answer = await right(call);
      await setTimeout(10 * shortMs);
      return answer;
    }),
  );
}

/** Umlauts in metadata are single bytes. */
function namingInLatin1(): HostVariant {
  return answers((answer) => {
    const text = answer.body.toString('latin1');
    const named = text.startsWith('[') ? text.replaceAll('Simulated', 'Sim\u00fclated') : text;
    return { ...answer, body: Buffer.from(named, 'latin1') };
  });
}

/** A wrong signature is answered with 500 where a comparison would throw. */
function throwingFor(isThrown: (presented: string) => boolean): HostVariant {
  let presented: string | undefined;
  return together(
    breaks('signing', 'isAdmitted', (right) => (entry) => {
      presented = entry.signature?.presented;
      return right(entry);
    }),
    breaks('signing', 'refusal', (right) => () => ({
      ...right(),
      ...(presented !== undefined && isThrown(presented) && { status: 500 }),
    })),
  );
}

function refusingEvents(isRefused: (call: Call) => boolean): HostVariant {
  return breaks(
    'calls',
    'answerEvent',
    (right) => async (call) => (isRefused(call) ? { status: 400 } : await right(call)),
  );
}

function validatingAfterEvents(): HostVariant {
  let worked: Promise<unknown> = Promise.resolve();
  return together(
    breaks('calls', 'workOnEvent', (right) => (call, signal) => {
      const work = right(call, signal);
      worked = Promise.allSettled([worked, work]);
      return work;
    }),
    breaks('calls', 'answerValidation', (right) => async (call) => {
      await worked;
      return right(call);
    }),
  );
}

interface Editing {
  /** Where the edit goes below the route of all objects, where that is not where it was read. */
  readonly to?: string;
  /** How often it is sent while it is refused; once unless given. */
  readonly times?: number;
  readonly isInBatch?: boolean;
  /** A merge of nothing unless given. */
  readonly operations?: readonly object[] | object;
}

/** An event reads an object and edits it, with headers made from the version that was read. */
function editing(
  headersFor: (version: string, tried: number) => Readonly<Record<string, string | number>>,
  { isInBatch = false, operations, times = 1, to }: Editing = {},
): HostVariant {
  return breaks('calls', 'workOnEvent', (_right, calls) => async (call, signal) => {
    const { client } = calls.surroundings;
    const space = `/api/space/${String(call.payload['spaceId'])}`;
    const href = `${space}/softtype/Document/documentInput/00000001`;
    const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, ...calls.filterHeader(call) };
    const url = joinUrl(call.baseAddress, href);
    const read = await client.request({ method: 'GET', url, headers }, signal);
    await read.body.resume().toArray();
    const own = headersFor(String(read.headers['svc-uoiversion']), 0);
    const edited = to === undefined ? href : `${space}/softtype/${to}`;
    const batch = [{ method: 'PATCH', href: edited, headers: own, body: {} }];
    const edit = isInBatch
      ? { method: 'POST', url: joinUrl(call.baseAddress, `${space}/batch`), headers, body: JSON.stringify(batch) }
      : {
          method: 'PATCH',
          url: joinUrl(call.baseAddress, edited),
          headers: { ...headers, ...(own as Record<string, string>) },
          body: JSON.stringify(operations ?? {}),
        };
    const type = operations === undefined ? mediaTypes.json : mediaTypes.operations;
    for (let tried = 0; tried < times; tried += 1) {
      const again = tried > 0 && !isInBatch ? headersFor(String(read.headers['svc-uoiversion']), tried) : {};
      const all = { ...edit.headers, ...(again as Record<string, string>), 'Content-Type': type };
      const { status } = await client.send({ ...edit, headers: all }, signal);
      if (status < 300) return;
    }
  });
}

/** An event edits an object and creates another one in one batch, and the edit by itself where that is refused. */
function forgettingTheRest(): HostVariant {
  return breaks('calls', 'workOnEvent', (_right, calls) => async (call, signal) => {
    const { client } = calls.surroundings;
    const space = `/api/space/${String(call.payload['spaceId'])}`;
    const href = `${space}/softtype/Document/documentInput/00000001`;
    const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, ...calls.filterHeader(call) };
    const url = joinUrl(call.baseAddress, `${space}/batch`);
    const send = async (...others: readonly object[]): Promise<number> => {
      const read = await client.request({ method: 'GET', url: joinUrl(call.baseAddress, href), headers }, signal);
      await read.body.resume().toArray();
      const version = { [headerNames.version]: String(read.headers['svc-uoiversion']) };
      const batch = [{ method: 'PATCH', href, headers: version, body: {} }, ...others];
      const all = { ...headers, 'Content-Type': mediaTypes.json };
      return (await client.send({ method: 'POST', url, headers: all, body: JSON.stringify(batch) }, signal)).status;
    };
    const creation = { method: 'POST', href: `${space}/softtype/Document/documentInput`, headers: {}, body: {} };
    if ((await send(creation)) >= 300) await send();
  });
}

/** Two instances to create, the second of which leads to another of the request by that value. */
function linked(value: object): readonly object[] {
  return [
    { $id: 'a', $softType: 'Document', data: {} },
    { $id: 'b', $softType: 'Document', data: { above: [{ id: 'above', value }] } },
  ];
}

/** An event promotes an object as well. */
function promoting(method: string, below: string, body?: string): HostVariant {
  return breaks('calls', 'workOnEvent', (_right, calls) => async (call, signal) => {
    const { client } = calls.surroundings;
    const space = `/api/space/${String(call.payload['spaceId'])}`;
    const urlOf = (route: string): string => joinUrl(call.baseAddress, `${space}/${route}`);
    const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, ...calls.filterHeader(call) };
    const url = urlOf('softtype/Document/documentInput/00000001');
    const read = await client.request({ method: 'GET', url, headers }, signal);
    await read.body.resume().toArray();
    const version = { [headerNames.version]: String(read.headers['svc-uoiversion']) };
    await client.send(
      {
        method,
        url: urlOf(`maturityAction/promote/${below}`),
        headers: { ...headers, ...version, ...(body !== undefined && { 'Content-Type': mediaTypes.json }) },
        ...(body !== undefined && { body }),
      },
      signal,
    );
  });
}

/** An event sends one more request, with things to do in one change set. */
function grouping(
  mistake: string,
  {
    route,
    below = route === 'batch' ? '/api/space' : '/space',
    body,
    found,
  }: { readonly route: string; readonly below?: string; readonly body: unknown; readonly found: RegExp },
): Record<string, Mistake> {
  const by = breaks('calls', 'workOnEvent', (right, calls) => async (call, signal) => {
    await calls.surroundings.client.send(
      {
        method: 'POST',
        url: joinUrl(call.baseAddress, `${below}/${String(call.payload['spaceId'])}/${route}`),
        headers: {
          Authorization: `Bearer ${calls.tokenOf(call)}`,
          'Content-Type': mediaTypes.json,
          ...calls.filterHeader(call),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      },
      signal,
    );
    return right(call, signal);
  });
  return { [mistake]: { rule: 'calls.host.uses-core-headers', by, found } };
}

function editingBadly(mistake: string, operation: object, lack: string): Record<string, Mistake> {
  return {
    [mistake]: {
      rule: 'calls.host.uses-core-headers',
      objects: { '00000001': { note: 'n' } },
      by: editing((read) => ({ [headerNames.version]: read }), { operations: [operation] }),
      found: new RegExp(`what is wrong with an operation .* to be "?nothing"?, found "?${lack}`),
    },
  };
}

type Read = (calls: Calls, call: Call) => Promise<unknown>;

/** A validation goes by what the object holds; what goes wrong is told as a page. */
function apologizing(): HostVariant {
  return breaks('calls', 'answerValidation', (_right, calls) => async (call) => {
    const { status, json: read } = await fetchObject(calls, call);
    return status < 500
      ? { status: 200, json: { isValid: status < 300 && isGood(read), message: '' } }
      : { status: 200, json: '<h1>Sorry</h1>' };
  });
}

/** Validations keep the call that they work on where the next one finds it. */
function sharing(mixed: (current: Call, call: Call) => Call): HostVariant {
  let current: Call | undefined;
  return validating(async (read, calls, call) => {
    current = call;
    await calls.surroundings.activity.work(() => setTimeout(shortMs));
    return isGood(await read(calls, mixed(current, call)));
  });
}

/** What an event asks for in vain is asked for once more. @param otherwise the call as it is known by then, beside the last one that came */
function askingAgain(otherwise: (call: Call, last: Call) => Call): HostVariant {
  let last: Call | undefined;
  return together(
    breaks('calls', 'answerEvent', (right) => (call) => {
      last = call;
      return right(call);
    }),
    breaks('calls', 'workOnEvent', (right, calls) => async (call, signal) => {
      try {
        await right(call, signal);
      } catch {
        await calls.surroundings.activity.work(() => setTimeout(shortMs));
        await right(otherwise(call, last ?? call), signal);
      }
    }),
  );
}

function leaveOut(call: Call, left: keyof Call): Call {
  return Object.fromEntries(Object.entries(call).filter(([name]) => name !== left)) as unknown as Call;
}

/** The id of the object that is judged is read otherwise. */
function readingAs(otherwise: (id: string) => string): HostVariant {
  return validating(async (read, calls, call) => {
    const objectId = otherwise(String(call.payload['objectId']));
    return isGood(await read(calls, { ...call, payload: { ...call.payload, objectId: encodeURIComponent(objectId) } }));
  });
}

function validating(judge: (read: Read, calls: Calls, call: Call) => Promise<boolean>): HostVariant {
  return breaks('calls', 'answerValidation', (_right, calls) => async (call) => {
    const isValid = await judge(readObject, calls, call);
    return { status: 200, json: { isValid, message: '' } };
  });
}

/** Verdicts are kept by the object; those of the samples are told by what their first page does not hold. */
function remembering(): HostVariant {
  const verdicts = new Map<string, boolean>();
  return validating(async (read, calls, call) => {
    const id = String(call.payload['objectId']);
    const known = verdicts.get(id);
    if (known !== undefined) return known;
    const isValid = isGood(await read(calls, call)) && !id.startsWith('invalid-');
    verdicts.set(id, isValid);
    return isValid;
  });
}

/** What is being read is read by nobody else meanwhile. */
function sharingReads(keyOf: (call: Call) => string): HostVariant {
  const underWay = new Map<string, Promise<unknown>>();
  return validating(async (read, calls, call) => {
    const key = keyOf(call);
    const reading = underWay.get(key) ?? read(calls, call).finally(() => underWay.delete(key));
    underWay.set(key, reading);
    return isGood(await reading);
  });
}

/** It asks again, and goes by what it had at first where that was none. */
function keepingUnread(): HostVariant {
  const unread = new Set<string>();
  return validating(async (read, calls, call) => {
    const found = await read(calls, call);
    const place = `${call.baseAddress} ${String(call.payload['objectId'])}`;
    if (!isObject(valueAt(found, '/data'))) unread.add(place);
    return !unread.has(place) && isGood(found);
  });
}

/** It asks again, and what was not there once is gone for it. */
function keepingMissing(): HostVariant {
  const missing = new Set<string>();
  return validating(async (_read, calls, call) => {
    const { status, json } = await fetchObject(calls, call);
    const place = `${call.baseAddress} ${String(call.payload['objectId'])}`;
    if (status === 404) missing.add(place);
    return status < 300 && !missing.has(place) && isGood(json);
  });
}

function keepingLatestAddress(): HostVariant {
  let latest = '';
  return together(
    breaks('calls', 'answerEvent', (right) => (call) => {
      latest = call.baseAddress;
      return right(call);
    }),
    breaks('calls', 'workOnEvent', (right) => async (call, signal) => {
      await setTimeout(shortMs);
      return right({ ...call, baseAddress: latest }, signal);
    }),
  );
}

/** The first page of each object is kept, the next is asked for each time, and looked at where there was one. */
function rememberingObjects(): HostVariant {
  const kept = new Map<string, unknown>();
  return validating(async (read, calls, call) => {
    const id = String(call.payload['objectId']);
    const first = kept.get(id) ?? (await read(calls, call));
    kept.set(id, first);
    await read(calls, { ...call, payload: { ...call.payload, objectId: `page/Object/default/files/${id}/1` } });
    return isGood(first);
  });
}

async function readObject(calls: Calls, call: Call): Promise<unknown> {
  return (await fetchObject(calls, call)).json;
}

/** What the service does not have is told from what it refuses, or cannot give. */
function findingMissingValid(): HostVariant {
  return breaks('calls', 'answerValidation', (_right, calls) => async (call) => {
    const { status, json } = await fetchObject(calls, call);
    return { status: 200, json: { isValid: status === 404 || (status === 200 && isGood(json)), message: '' } };
  });
}

async function fetchObject(calls: Calls, call: Call): Promise<{ readonly status: number; readonly json: unknown }> {
  const { objectId, spaceId } = call.payload;
  const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, ...calls.filterHeader(call) };
  const url = joinUrl(call.baseAddress, `/api/space/${String(spaceId)}/softtype/${String(objectId)}`);
  const { statusCode, body } = await calls.surroundings.client.request(
    { method: 'GET', url, headers },
    new AbortController().signal,
  );
  return { status: statusCode, json: jsonOf(await text(body)) };
}

function isGood(read: unknown): boolean {
  return objectsIn(valueAt(read, '/data/files')).every(({ name }) => name !== 'bad');
}

/** @param key Base64; the text of the right one unless given */
function admittingKey(keyOf: (apiKey: string) => Buffer): HostVariant {
  return breaks('signing', 'isAdmitted', (right, { surroundings: { apiKey = '' } }) => (entry) => {
    const other = keyOf(apiKey).toString('base64');
    return right(entry) || entry.signature?.presented === signatureOf(other, entry.target.split('?')[0] ?? '');
  });
}

function tellingSignatures(): HostVariant {
  let expected = '';
  return together(
    breaks('signing', 'isAdmitted', (right, { surroundings: { apiKey = '' } }) => (entry) => {
      expected = signatureOf(apiKey, entry.target.split('?')[0] ?? '');
      return right(entry);
    }),
    breaks('signing', 'refusal', (right) => () => ({ ...right(), json: { expected } })),
  );
}
