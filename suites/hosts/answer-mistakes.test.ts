import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { judgeHost } from '../../bench/swarm/hosts.ts';
import { findingsOf, saidOf } from '../../bench/swarm/judge.ts';
import type { ExtensionHostProfile } from '../../contract/profile/extension-host.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { RuleId } from '../../contract/rule.ts';
import { isObject, jsonOf, valueAt } from '../../judge/json.ts';
import { type Call, joinUrl } from '../../simulator/extension/call.ts';
import { type Entry, headerValues } from '../../simulator/extension/entry.ts';
import { signatureOf } from '../../simulator/extension/signature.ts';
import type { Step } from '../../simulator/extension/step.ts';
import { together } from '../../variants/extension-host/breaks.ts';
import { breaks, type HostVariant } from '../../variants/extension-host/choice.ts';
import { hostChoices } from '../../variants/extension-host/choices.ts';
import { answers } from '../../variants/extension-host/wire-choices.ts';

interface Mistake {
  readonly rule: RuleId;
  readonly by: HostVariant;
  readonly found: RegExp;
}

const shortMs = 40;
const requestMs = 5000;
const mark = '\ufeff';

/** Mistakes in what a host lets in, answers and edits, beside the fault of their rule. */
const mistakes: Readonly<Record<string, Mistake>> = {
  'results of a batch end at a hundred': {
    rule: 'calls.host.action-batch-body',
    by: breaks('calls', 'batchResults', (right) => (results) => right(results.slice(0, 100))),
    found: /expected number of results of a batch of many to be 150, found 100/,
  },
  'a validation that comes again is refused': {
    rule: 'calls.host.redelivery',
    by: breaks('calls', 'answerValidation', (right) => {
      const known = new Set<string>();
      return (call) => {
        if (known.has(call.id)) return { status: 409 };
        known.add(call.id);
        return right(call);
      };
    }),
    found: /expected status 200, found (?:status )?409/,
  },
  'each result of a batch has the code of the first one': {
    rule: 'calls.host.action-batch-body',
    by: breaks('calls', 'batchResults', (right) => (results) => {
      const statusCode: unknown = Reflect.get(results[0] ?? {}, 'statusCode');
      return right(results.map((result) => ({ ...result, statusCode })));
    }),
    found: /statusCode 201 does not fit the verb GET/,
  },
  'an action without a selection ends with an exception': {
    rule: 'calls.host.action-error-body',
    by: breaks(
      'calls',
      'answerAction',
      (right) => async (call) =>
        call.payload['objectId'] === undefined && !Array.isArray(call.payload['contentPayload'])
          ? { status: 500, json: { message: 'Cannot read properties of undefined' } }
          : await right(call),
    ),
    found: /expected errors in the answer to be an array/,
  },
  'an action in the place of GET tells its status as a text': {
    rule: 'calls.host.action-error-body',
    by: breaks('calls', 'answerAction', (right) => async (call) => {
      const step = await right(call);
      const isMeant = call.payload['httpVerb'] === 'GET';
      return isMeant ? { ...step, json: { ...Object(step.json), statusCode: '200' } } : step;
    }),
    found: /expected statusCode of the answer to an action that stands for GET to be an integer/,
  },
  'any key that the host has lets in': {
    rule: 'api-keys.host.callback-accepted',
    by: admittingAnyKey(),
    found: /expected status of metadata that are asked for with the key of \w+ to be no 2xx, found 200/,
  },
  'a batch that fails has a result for each operation': {
    rule: 'calls.host.action-error-body',
    by: breaks('calls', 'answerAction', (right) => async (call) => {
      const step = await right(call);
      const { contentPayload } = call.payload;
      if (step.status !== 500 || !Array.isArray(contentPayload)) return step;
      return { ...step, json: contentPayload.map(() => ({ statusCode: 500, location: '', svcUOIVersion: 0 })) };
    }),
    found: /expected errors in the answer to be an array/,
  },
  'an array that is no batch ends an action with an exception': {
    rule: 'calls.host.action-error-body',
    by: breaks('calls', 'answerAction', (right) => async (call) => {
      const { contentPayload } = call.payload;
      const isStrange =
        Array.isArray(contentPayload) && !contentPayload.every((item) => isObject(item) && 'href' in item);
      return isStrange ? { status: 500, json: { message: 'href is not a function' } } : await right(call);
    }),
    found: /expected errors in the answer to be an array/,
  },
  'a GET of a batch has no result': {
    rule: 'calls.host.action-batch-body',
    by: breaks('calls', 'answerAction', (right) => async (call) => {
      const { contentPayload } = call.payload;
      if (!Array.isArray(contentPayload)) return right(call);
      const writes = contentPayload.filter((operation) => Object(operation).method !== 'GET');
      return right({ ...call, payload: { ...call.payload, contentPayload: writes } });
    }),
    found: /expected number of results of a batch with a GET behind it to be 4, found 3/,
  },
  'an action shows what the service refused as that came': {
    rule: 'calls.host.action-error-body',
    by: forwarding((status) => (status < 400 ? undefined : { status: 500, json: { title: 'Refused' } })),
    found: /expected errors in the answer to be an array/,
  },
  'an action succeeds with the status that the service refused with': {
    rule: 'calls.host.action-error-body',
    by: forwarding((statusCode) =>
      statusCode < 400 ? undefined : { status: 200, json: { statusCode, location: '', svcUOIVersion: 1 } },
    ),
    found: /expected statusCode of an action whose write was refused to be no code of an error/,
  },
  'an action tells of success whatever the service answers to the request of its form': {
    rule: 'calls.host.action-error-body',
    by: forwarding((statusCode) =>
      statusCode < 400 ? undefined : { status: 200, json: { statusCode: 201, location: '', svcUOIVersion: 1 } },
    ),
    found: /expected what is told of a form whose \w+ the service refused each time to be "?failed"?, found "?done/,
  },
  ...answeringInModule('a validation in a module ends with an exception', 500),
  ...answeringInModule('a validation in a module is refused', 400),
  'a task in another language is taken and dropped': {
    rule: 'tasks.host.final-status',
    by: breaks(
      'tasks',
      'answer',
      (right) => async (call) =>
        Object(call.payload['jobSettings'])['language'] === 'en' ? await right(call) : { status: 200 },
    ),
    found: /the status reported within .* for a task of another language whose input is empty/,
  },
  'a path with a slash behind it is open': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: openAt(/\/$/, (path) => path.slice(0, -1)),
    found: /expected metadata in the answer to a metadata request with a slash behind its path to be false, found true/,
  },
  'a path in capital letters is open': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: openAt(/[A-Z]/, (path) => path.toLowerCase()),
    found: /expected metadata in the answer to a metadata request with capital letters in its path to be false/,
  },
  'an endpoint with a slash behind it is open': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: openAt(/^(?!\/svc\/).*\/$/, (path) => path.slice(0, -1)),
    found: /requests of the host for an unsigned event to be 0, found 1/,
  },
  'a path with two slashes is open': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: openAt(/^\/\//, (path) => path.slice(1)),
    found: /a metadata request with two slashes before its path to be false/,
  },
  'a path with an encoded letter is open': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: openAt(/%/, decodeURIComponent),
    found: /a metadata request with its last letter encoded to be false/,
  },
  'a path with a parameter is open': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: openAt(/;/, (path) => path.replace(/;.*/, '')),
    found: /a metadata request with a parameter behind its path to be false/,
  },
  'a path with a query is open': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: openWhere(({ url = '' }) => url.endsWith('?v=1')),
    found: /a metadata request with a query behind its path to be false/,
  },
  'metadata are open to POST': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: openBy('POST', 'GET'),
    found: /a metadata request with POST in the place of GET to be false/,
  },
  'an event by PUT is open': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: openBy('PUT', 'POST'),
    found: /requests of the host for an unsigned event to be 0, found 1/,
  },
  'an event by PATCH is open': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: openBy('PATCH', 'POST'),
    found: /requests of the host for an unsigned event to be 0, found 1/,
  },
  'an event that was refused is taken for known when it comes signed': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: knowingUnsigned(),
    found: /expected requests of the host because of an event that came unsigned before to be "?some"?, found "?none/,
  },
  'the page of an error tells the key': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: tellingKeyWith(400),
    found: /expected the apiKey in the answer to a call that is no JSON to be false, found true/,
  },
  'a refusal tells the key': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: tellingKeyWith(401),
    found: /expected the right signature or the apiKey in the answer to .* without signature to be false, found true/,
  },
  'a long body is let in unsigned': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: admitting(({ body }) => body.byteLength > 64 * 1024),
    found: /without signature, with \d{6} blanks behind its body to be no 2xx/,
  },
  'a body of more than a megabyte is let in unsigned': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: admitting(({ body }) => body.byteLength > 1024 * 1024),
    found: /without signature, with \d{7} blanks behind its body to be no 2xx/,
  },
  'a body in the chunked coding is let in unsigned': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: admitting((entry) => headerValues(entry, 'transfer-encoding').length > 0),
    found: /without signature, in the chunked coding to be no 2xx/,
  },
  ...behindScheme('bearer'),
  ...behindScheme('BEARER'),
  'an event that is known is let in unsigned': {
    rule: 'signing.extension-host.missing-signature-refused',
    by: knowingSigned(),
    found: /that came signed before, without signature to be no 2xx/,
  },
  'a hash of the path is taken for a signature': {
    rule: 'signing.extension-host.wrong-key-refused',
    by: admittingAlso((_key, path) => createHash('sha512').update(path)),
    found: /with a hash of its path, without the key to be no 2xx/,
  },
  'a signature over nothing is taken for one over the path': {
    rule: 'signing.extension-host.wrong-key-refused',
    by: admittingAlso((key) => createHmac('sha512', key)),
    found: /with a signature over nothing to be no 2xx/,
  },
  'a hash of the key and the path is taken for a signature': {
    rule: 'signing.extension-host.wrong-key-refused',
    by: admittingAlso((key, path) => createHash('sha512').update(key).update(path)),
    found: /with a hash of its key and its path to be no 2xx/,
  },
  'a signature over the method and the path lets in as well': {
    rule: 'signing.extension-host.wrong-path-refused',
    by: admittingAlso((key, path) => createHmac('sha512', key).update(`POST ${path}`)),
    found: /with a signature over its method and its path to be no 2xx/,
  },
  'a signature over the path with a slash behind it lets in as well': {
    rule: 'signing.extension-host.wrong-path-refused',
    by: admittingAlso((key, path) => createHmac('sha512', key).update(`${path}/`)),
    found: /with a signature over its path with a slash behind it to be no 2xx/,
  },
  ...byAlgorithm('SHA256'),
  ...byAlgorithm('SHA1'),
  'the key itself lets in': {
    rule: 'signing.extension-host.wrong-key-refused',
    by: breaks(
      'signing',
      'isAdmitted',
      (right, { surroundings: { apiKey } }) =>
        (entry) =>
          entry.signature?.presented === apiKey || right(entry),
    ),
    found: /with the key itself in the place of a signature to be no 2xx/,
  },
  'a long event is refused for its length': {
    rule: 'calls.host.event-acknowledged-first',
    by: breaks(
      'calls',
      'answerEvent',
      (right) => async (call) => (call.entry.body.byteLength > 100_000 ? { status: 413 } : await right(call)),
    ),
    found: /an event of 128 KiB was refused with 413, and no shorter one/,
  },
  'a long event is acknowledged late': {
    rule: 'calls.host.event-acknowledged-first',
    by: breaks('calls', 'answerEvent', (right) => async (call) => {
      const step = await right(call);
      return call.entry.body.byteLength > 100_000 ? { ...step, delayMs: 20_000 } : step;
    }),
    found: /an answer within 5 s, while the requests that the event sets off wait for theirs/,
  },
  'an event keeps all others waiting until its work is done': {
    rule: 'calls.host.event-acknowledged-first',
    by: workingAlone(),
    found: /what the host sends because of a call before it answers that.* to be "?nothing"?, found "?GET/,
  },
  'an envelope over several lines is refused': {
    rule: 'calls.host.event-acknowledged',
    by: breaks(
      'calls',
      'answerEvent',
      (right) => async (call) =>
        Buffer.from(call.entry.body).includes('\n') ? { status: 400, json: { message: 'No JSON' } } : await right(call),
    ),
    found: /expected status 200 or 201/,
  },
  'a mail like the one before it is refused': {
    rule: 'calls.host.email-acknowledged',
    by: breaks('calls', 'answerEmail', (right) => {
      const known = new Set<string>();
      return (call) => {
        const mail = JSON.stringify(call.payload);
        if (known.has(mail)) return { status: 409 };
        known.add(mail);
        return right(call);
      };
    }),
    found: /a mail like the one before it was refused with 409/,
  },
  'a long mail is refused for its length': {
    rule: 'calls.host.email-acknowledged',
    by: breaks(
      'calls',
      'answerEmail',
      (right) => async (call) =>
        call.entry.body.byteLength > 100 * 1024 ? { status: 413, json: { message: 'Too long' } } : await right(call),
    ),
    found: /a mail of 160 KiB was refused with 413/,
  },
  'a mail with quotation marks ends where they stand': {
    rule: 'calls.host.email-acknowledged',
    by: breaks(
      'calls',
      'answerEmail',
      (right) => async (call) => (String(call.payload['body']).includes('"') ? { status: 500 } : await right(call)),
    ),
    found: /expected status 200 or 201, found status 500/,
  },
  'the length of a mail is counted in 16 bits': {
    rule: 'calls.host.email-acknowledged',
    by: breaks(
      'calls',
      'answerEmail',
      (right) => async (call) =>
        call.entry.body.byteLength > 0xff_ff ? { status: 400, json: { message: 'No JSON' } } : await right(call),
    ),
    found: /a mail of 160 KiB was refused with 400/,
  },
  'a verdict goes as a text': {
    rule: 'calls.host.validation-object',
    by: breaks('calls', 'answerValidation', (right) => async (call) => ({
      ...(await right(call)),
      headers: { 'Content-Type': 'text/plain' },
    })),
    found: /a validation answer is JSON that goes as text\/plain/,
  },
  'the result of an action goes as a text': {
    rule: 'calls.host.action-success-body',
    by: breaks('calls', 'answerAction', (right) => async (call) => ({
      ...(await right(call)),
      headers: { 'Content-Type': 'text/html' },
    })),
    found: /the answer of an action is JSON that goes as text\/html/,
  },
  'an event without content fails': {
    rule: 'calls.host.event-acknowledged',
    by: breaks('calls', 'answerEvent', (right) => async (call) => {
      const content = call.payload['contentPayload'];
      const isEmpty = isObject(content) && Object.keys(content).length === 0;
      return isEmpty ? { status: 500 } : await right(call);
    }),
    found: /an event with an empty content was answered with 500/,
  },
  'an event whose token does not last long is taken and dropped': {
    rule: 'calls.host.event-acknowledged',
    by: breaks('background', 'start', (right) => (call, work) => {
      const claims = jsonOf(Buffer.from(call.accessToken.split('.')[1] ?? '', 'base64url').toString());
      const seconds = Number(valueAt(claims, '/exp')) - Number(valueAt(claims, '/iat'));
      return seconds < 900 ? undefined : right(call, work);
    }),
    found: /an event whose token lasts a minute was taken and set nothing off/,
  },
  'a mail with the subject of another is refused': {
    rule: 'calls.host.email-acknowledged',
    by: breaks('calls', 'answerEmail', (right) => {
      const subjects = new Set<unknown>();
      return (call) => {
        const { subject } = call.payload;
        if (subjects.has(subject)) return { status: 409, json: { message: 'Sent' } };
        subjects.add(subject);
        return right(call);
      };
    }),
    found: /expected status 200 or 201, found status 409/,
  },
  'a mail whose subject is not in ASCII fails': {
    rule: 'calls.host.email-acknowledged',
    by: breaks(
      'calls',
      'answerEmail',
      (right) => (call) => (/[^ -~]/.test(String(call.payload['subject'])) ? { status: 500 } : right(call)),
    ),
    found: /expected status 200 or 201, found status 500/,
  },
  'a mail without text is refused': {
    rule: 'calls.host.email-acknowledged',
    by: breaks(
      'calls',
      'answerEmail',
      (right) => (call) => (call.payload['body'] === '' ? { status: 400 } : right(call)),
    ),
    found: /a mail with an empty body was refused with 400/,
  },
  'a mail without a subject is refused': {
    rule: 'calls.host.email-acknowledged',
    by: breaks(
      'calls',
      'answerEmail',
      (right) => (call) => (call.payload['subject'] === '' ? { status: 400 } : right(call)),
    ),
    found: /a mail with an empty subject was refused with 400/,
  },
  'validations at once share what one of them is about': {
    rule: 'calls.host.validation-outcome',
    by: breaks('calls', 'answerValidation', (_right, calls) => {
      let current = '';
      return async ({ payload }) => {
        current = String(payload['objectId']);
        await calls.surroundings.activity.work(() => setTimeout(shortMs));
        return { status: 200, json: calls.validationBody(current, calls.isValid(current)) };
      };
    }),
    found: /expected isValid of the sample known as \w+ beside the other to be/,
  },
  'actions at once share what one of them is about': {
    rule: 'calls.host.action-error-body',
    by: breaks('calls', 'answerAction', (right, calls) => {
      let current: Call | undefined;
      return async (call) => {
        current = call;
        await calls.surroundings.activity.work(() => setTimeout(shortMs));
        return right(current);
      };
    }),
    found: /expected statuses of an action that succeeds and of one that fails at once to be/,
  },
  'a validation begins with a byte order mark': {
    rule: 'calls.host.validation-object',
    by: breaks('calls', 'answerValidation', (right) => async (call) => {
      const { json, ...step } = await right(call);
      return { ...step, text: mark + JSON.stringify(json) };
    }),
    found: /begins with a byte order mark, which JSON does not/,
  },
  'a validation is not UTF-8': {
    rule: 'calls.host.validation-object',
    by: sayingInLatin1(),
    found: /a validation answer is not UTF-8, which JSON is/,
  },
  'an event with a text of another script ends with an exception': {
    rule: 'calls.host.event-acknowledged',
    by: breaks(
      'calls',
      'answerEvent',
      (right) => async (call) =>
        JSON.stringify(call.payload).includes('\u{1F3D7}') ? { status: 500 } : await right(call),
    ),
    found: /an event with a further content was answered with 500, by which a service sends it again/,
  },
  'addresses below the base address have two slashes': {
    rule: 'calls.host.uses-base-address',
    by: breaks('client', 'request', (right) => (outgoing, signal) => {
      const url = outgoing.url.replace('/api/space/', '//api/space/');
      return right({ ...outgoing, url }, signal);
    }),
    found: /because of a call whose baseAddress has a path to be one below \S+ once, with a single slash behind it/,
  },
  'the last bits of a signature are not looked at': {
    rule: 'signing.extension-host.wrong-key-refused',
    by: admittingNearly((presented, right) => presented.slice(0, -1) === right.slice(0, -1)),
    found: /with the signature with other last bits/,
  },
  'of a signature its beginning is not looked at': {
    rule: 'signing.extension-host.wrong-key-refused',
    by: admittingNearly((presented, right) => presented.slice(11) === right.slice(11)),
    found: /with the signature with another beginning/,
  },
  'of a signature its beginning and its end are looked at': {
    rule: 'signing.extension-host.wrong-key-refused',
    by: admittingNearly(
      (presented, right) => presented.slice(0, 30) === right.slice(0, 30) && presented.slice(-30) === right.slice(-30),
    ),
    found: /with the signature with another middle/,
  },
  'of a signature its signs are looked at, and not their order': {
    rule: 'signing.extension-host.wrong-key-refused',
    by: admittingNearly((presented, right) => [...presented].sort().join('') === [...right].sort().join('')),
    found: /with the signature backwards/,
  },
  'metadata begin with a byte order mark': {
    rule: 'metadata.host.content-type-json',
    by: breaks('metadata', 'answer', (right) => () => {
      const { json, ...step } = right();
      return { ...step, text: mark + JSON.stringify(json), headers: { 'Content-Type': mediaTypes.json } };
    }),
    found: /begins with a byte order mark, which JSON does not/,
  },
  'operations have the type of a merge': {
    rule: 'calls.host.uses-core-headers',
    by: editingAs(mediaTypes.json, [{ op: 'add', path: '/note', value: 'x' }]),
    found: /expected the type of operations that PATCH \S+ sends to be "?application\/json-patch\+json/,
  },
  'a merge has the type of a text': {
    rule: 'calls.host.uses-core-headers',
    by: editingAs('text/plain;charset=UTF-8', {}),
    found: /expected the type of the fields that PATCH \S+ sends to be a type of JSON, found "?text\/plain/,
  },
  'a merge has a type of its own': {
    rule: 'calls.host.uses-core-headers',
    by: editingAs('application/merge-patch+json', {}),
    found: /sends fields by the type application\/merge-patch\+json/,
  },
  'the information filter is sent in the alphabet of addresses': {
    rule: 'calls.host.uses-core-headers',
    by: breaks('calls', 'filterHeader', (right) => (call) => {
      const entries = Object.entries(right(call));
      return Object.fromEntries(entries.map(([name, value]) => [name, value.replaceAll('=', '')]));
    }),
    found: /has the alphabet of addresses, or lacks its padding/,
  },
  'all results of a batch are that of its last operation': {
    rule: 'calls.host.action-batch-body',
    by: creating((results) => results.map(() => results.at(-1))),
    found: /expected results of a batch that are about an object of which another one tells to be 0, found 2/,
  },
  'a deletion is answered without a body': {
    rule: 'calls.host.action-success-body',
    by: breaks('calls', 'answerAction', (right) => async (call) => {
      const step = await right(call);
      return call.payload['httpVerb'] === 'DELETE' ? { status: 204 } : step;
    }),
    found: /expected status 200, found status 204/,
  },
  'the deletions of a batch have no result': {
    rule: 'calls.host.action-batch-body',
    by: breaks('calls', 'answerAction', (right) => async (call) => {
      const step = await right(call);
      const operations = call.payload['contentPayload'];
      if (!Array.isArray(step.json) || !Array.isArray(operations)) return step;
      return { ...step, json: step.json.filter((_result, index) => operations[index]?.method !== 'DELETE') };
    }),
    found: /expected number of results of a batch with a DELETE behind it to be \d+, found/,
  },
  'the results of a batch stand in another order': {
    rule: 'calls.host.action-batch-body',
    by: creating((results) => results.toReversed()),
    found: /the results of a batch do not stand in the order of its operations/,
  },
  'what is made has the version behind none': {
    rule: 'calls.host.action-success-body',
    by: breaks('calls', 'answerAction', (right) => async (call) => {
      const step = await right(call);
      const isNothing = call.payload['svcUOIVersion'] === undefined && step.status === 200;
      return isNothing && isObject(step.json) ? { ...step, json: { ...step.json, svcUOIVersion: null } } : step;
    }),
    found: /expected svcUOIVersion of the answer where nothing is selected to be an integer, found null/,
  },
  'a validation is answered as another one of its request': {
    rule: 'calls.host.validation-outcome',
    by: breaks('calls', 'answerValidation', (right) => {
      const kept = new Map<string, ReturnType<typeof right>>();
      return (call) => {
        const answer = kept.get(call.id) ?? right(call);
        kept.set(call.id, answer);
        return answer;
      };
    }),
    found: /was found valid when its call had the id of one about the other sample/,
  },
  'a bulk upload is signed as the first one was': {
    rule: 'api-keys.host.rotation-handled',
    by: signingOnce(),
    found: /what the signature of POST \S+ is made over or with to be "its path", found "?\/admin\/fileupload\//,
  },
};

test.each([
  [
    'an empty object as an empty array',
    /"options":\{\}/,
    '"options":[]',
    /sends to the route of the form \[\] at "\/options", where/,
  ],
  ['a list with keys', /\["a"\]/, '{"1":"a"}', /sends to the route of the form \{"1":"a"\} at "\/list", where/],
  ['a text of digits as a number', /"code":"007"/, '"code":7', /sends to the route of the form 7 at "\/code", where/],
  [
    'a moment as another time of day',
    /08:00:00\+05:00/,
    '03:00:00Z',
    /sends to the route of the form "2024-03-01T03:00:00Z" at "\/built", where/,
  ],
  ['a text without its umlaut', /\u00e4/, '?', /sends to the route of the form "Kr\?nchen" at "\/name", where/],
  ['what it holds', /^/, '', undefined],
])('an action writes of a form %s', async (_what, part, other, found) => {
  const built = '2024-03-01T08:00:00+05:00';
  const contentPayload = { title: 'Crane', options: {}, list: ['a'], code: '007', name: 'Kr\u00e4nchen', built };
  const by = breaks('calls', 'answerAction', (right, calls) => async (call) => {
    const url = joinUrl(call.baseAddress, String(call.payload['requestedRoute']));
    const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, 'Content-Type': mediaTypes.json };
    const body = JSON.stringify(call.payload['contentPayload']).replace(part, other);
    await calls.surroundings.client.send({ method: 'POST', url, headers, body }, new AbortController().signal);
    return right(call);
  });
  const binding = (stated: ExtensionHostProfile): ExtensionHostProfile => {
    const payload = { ...stated.samples?.action?.success?.payload, contentPayload };
    return { ...stated, samples: { ...stated.samples, action: { ...stated.samples?.action, success: { payload } } } };
  };
  const { outcomes } = await judgeHost([{ meets: 'a mistake', by, binding }], {
    rules: ['calls.host.action-success-body'],
    seed: 1,
  });
  expect(findingsOf(outcomes, []).map(saidOf)).toEqual(found === undefined ? [] : [expect.stringMatching(found)]);
});

test('an action leaves out the query of the route of a form', async () => {
  const by = breaks('calls', 'answerAction', (right, calls) => async (call) => {
    const [path = ''] = String(call.payload['requestedRoute']).split('?');
    const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, 'Content-Type': mediaTypes.json };
    const body = JSON.stringify(call.payload['contentPayload']);
    const url = joinUrl(call.baseAddress, path);
    await calls.surroundings.client.send({ method: 'POST', url, headers, body }, new AbortController().signal);
    return right(call);
  });
  const binding = (stated: ExtensionHostProfile): ExtensionHostProfile => {
    const before = stated.samples?.action?.success?.payload;
    const requestedRoute = '/api/space/main/softtype/Document/documentInput?softTypeFilterId=one';
    const payload = { ...before, requestedRoute, httpVerb: 'POST' };
    return { ...stated, samples: { ...stated.samples, action: { ...stated.samples?.action, success: { payload } } } };
  };
  const { outcomes } = await judgeHost([{ meets: 'a mistake', by, binding }], {
    rules: ['calls.host.action-success-body'],
    seed: 1,
  });
  expect(outcomes.map(saidOf)).toEqual([expect.stringMatching(/without the query of that/)]);
});

test('a signature over the path in small letters lets in as well', async () => {
  const by = admittingAlso((key, path) => createHmac('sha512', key).update(path.toLowerCase()));
  const { outcomes } = await judgeHost(
    [{ meets: 'a mistake', by }, ...hostChoices(['endpoints have encoded signs, which are signed as they stand'])],
    { rules: ['signing.extension-host.wrong-path-refused'], seed: 1 },
  );
  expect(outcomes.map(saidOf)).toEqual([
    expect.stringMatching(/a signature over its path in small letters to be no 2xx/),
  ]);
});

test('the results of a batch stand in the order of the methods', async () => {
  const rankOf = (operation: unknown): number => ['PATCH', 'PUT', 'POST'].indexOf(String(Object(operation).method));
  const by = breaks('calls', 'answerAction', (right) => async (call) => {
    const { contentPayload } = call.payload;
    if (!Array.isArray(contentPayload)) return right(call);
    const inOrder = contentPayload.toSorted((one, other) => rankOf(other) - rankOf(one));
    return right({ ...call, payload: { ...call.payload, contentPayload: inOrder } });
  });
  const href = '/api/space/main/softtype/Document/documentInput';
  const contentPayload = [
    { method: 'POST', href, body: {} },
    { method: 'PATCH', href: `${href}/object-1`, body: {} },
  ];
  const binding = (stated: ExtensionHostProfile): ExtensionHostProfile => {
    const payload = { ...stated.samples?.action?.batch?.payload, contentPayload };
    return { ...stated, samples: { ...stated.samples, action: { ...stated.samples?.action, batch: { payload } } } };
  };
  const { outcomes } = await judgeHost([{ meets: 'a mistake', by, binding }], {
    rules: ['calls.host.action-batch-body'],
    seed: 1,
  });
  expect(outcomes.map(saidOf)).toEqual([expect.stringMatching(/statusCode 201 does not fit the verb PATCH/)]);
});

test.each(Object.entries(mistakes))('%s', async (_what, { rule, by, found }) => {
  const { outcomes } = await judgeHost([{ meets: 'a mistake', by }], { rules: [rule], seed: 1 });
  expect(outcomes.map(saidOf)).toEqual([expect.stringMatching(found)]);
});

/** The signature of a bulk upload is kept until another key comes. */
function signingOnce(): HostVariant {
  return breaks('client', 'request', (right) => {
    let kept: string | undefined;
    return (outgoing, signal) => {
      if (outgoing.url.includes('/acquireAccessToken/')) kept = undefined;
      const { Authorization: authorization } = outgoing.headers;
      if (!outgoing.url.includes('/admin/fileupload') || authorization === undefined) return right(outgoing, signal);
      kept ??= authorization;
      return right({ ...outgoing, headers: { ...outgoing.headers, Authorization: kept } }, signal);
    };
  });
}

/** All keys are in one store. */
function admittingAnyKey(): HostVariant {
  const store: string[] = [];
  return together(
    breaks('keys', 'answerCallback', (right) => (entry) => {
      for (const key of Object.values(Object(jsonOf(entry.body.toString()))))
        store.push(String(valueAt(key, '/apiKey')));
      return right(entry);
    }),
    breaks('signing', 'isAdmitted', (right) => (entry) => {
      const path = entry.target.replace(/\?.*/, '');
      return right(entry) || store.some((key) => entry.signature?.presented === signatureOf(key, path));
    }),
  );
}

/** A validation in the context object module is answered with that status. */
function answeringInModule(mistake: string, status: number): Record<string, Mistake> {
  return {
    [mistake]: {
      rule: 'calls.host.validation-outcome',
      by: breaks(
        'calls',
        'answerValidation',
        (right) => async (call) => (call.payload['contextObjectId'] === undefined ? await right(call) : { status }),
      ),
      found: new RegExp(`a sample was answered with ${status} in the module of the other, though not by itself`),
    },
  };
}

/** Nobody has to sign what is sent to such a path, which is taken for a plain one. */
function openAt(isMeant: RegExp, plain: (path: string) => string): HostVariant {
  return openWhere((request) => {
    const [path = '', ...query] = (request.url ?? '').split('?');
    if (isMeant.test(path)) request.url = [plain(path), ...query].join('?');
    return isMeant.test(path);
  });
}

/** Nobody has to sign such a request. @param take whether it is one, which is made a plain one then */
function openWhere(take: (request: IncomingMessage) => boolean): HostVariant {
  return together(
    breaks('wire', 'pass', (right) => (request, response) => {
      if (take(request)) request.rawHeaders.push('x-plain', 'true');
      right(request, response);
    }),
    breaks(
      'signing',
      'isAdmitted',
      (right) => (entry) => entry.headers.some(([name]) => name === 'x-plain') || right(entry),
    ),
  );
}

/** Nobody has to sign a request by that method, which is taken for the other. */
function openBy(method: string, other: string): HostVariant {
  return openWhere((request) => {
    if (request.method !== method) return false;
    request.method = other;
    return true;
  });
}

/** An action that would succeed first sends on what its form holds. @param told of the status of that; the right answer where it has none */
function forwarding(told: (status: number) => Step | undefined): HostVariant {
  return breaks('calls', 'answerAction', (right, calls) => async (call) => {
    const answer = await right(call);
    const { requestedRoute, contentPayload } = call.payload;
    if (answer.status !== 200 || Array.isArray(contentPayload)) return answer;
    const { client, activity } = calls.surroundings;
    const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, 'Content-Type': mediaTypes.json };
    const url = joinUrl(call.baseAddress, String(requestedRoute));
    const { statusCode } = await activity.call(() =>
      client.request(
        { method: 'POST', url, headers, body: JSON.stringify(contentPayload) },
        AbortSignal.timeout(requestMs),
      ),
    );
    return told(statusCode) ?? answer;
  });
}

interface Created {
  readonly statusCode: number;
  readonly location: string;
  readonly svcUOIVersion: number;
}

/** An action sends what it gets on to the service, each operation by itself. */
function creating(told: (results: readonly Created[]) => readonly unknown[]): HostVariant {
  return breaks('calls', 'answerAction', (right, calls) => async (call) => {
    const { contentPayload, requestedRoute, httpVerb } = call.payload;
    const operations = [contentPayload].flat().filter(isObject);
    if ((await right(call)).status !== 200) return right(call);
    const results: Created[] = [];
    for (const { href = requestedRoute, body = contentPayload, method = httpVerb } of operations) {
      const url = joinUrl(call.baseAddress, String(href));
      const headers = {
        Authorization: `Bearer ${calls.tokenOf(call)}`,
        'Content-Type': mediaTypes.json,
        ...calls.filterHeader(call),
      };
      const { client, activity } = calls.surroundings;
      const { statusCode, headers: answered } = await activity.call(() =>
        client.request(
          { method: String(method), url, headers, body: JSON.stringify(body) },
          AbortSignal.timeout(requestMs),
        ),
      );
      results.push({ statusCode, location: String(answered.location), svcUOIVersion: 1 });
    }
    const json = told(results);
    return { status: 200, json: Array.isArray(contentPayload) ? json : json[0] };
  });
}

/** What is known is kept before it is known who sent it. */
function knowingUnsigned(): HostVariant {
  const known = new Set<string>();
  return together(
    breaks('signing', 'isAdmitted', (right) => (entry) => {
      const isAdmitted = right(entry);
      if (!isAdmitted && entry.envelope?.id !== undefined) known.add(entry.envelope.id);
      return isAdmitted;
    }),
    breaks(
      'background',
      'start',
      (right) => (call, work) => (known.has(call.id) && call.kind === 'event' ? undefined : right(call, work)),
    ),
  );
}

/** What came before is answered before it is looked at who sends it. */
function knowingSigned(): HostVariant {
  const known = new Set<string>();
  return breaks('signing', 'isAdmitted', (right) => (entry) => {
    const id = entry.envelope?.id ?? '';
    if (known.has(id)) return true;
    const isAdmitted = right(entry);
    if (isAdmitted && id !== '') known.add(id);
    return isAdmitted;
  });
}

/** Each of few processes works on an event before it answers anybody. */
function workingAlone(): HostVariant {
  let isAtWork = false;
  return together(
    breaks('background', 'start', (right, background) => async (call, work) => {
      if (call.kind !== 'event') return right(call, work);
      isAtWork = true;
      await background.run(call, work);
      isAtWork = false;
    }),
    breaks('metadata', 'answer', (right) => () => ({ ...right(), ...(isAtWork && { delayMs: 20_000 }) })),
  );
}

function tellingKeyWith(told: number): HostVariant {
  let key = '';
  return together(
    breaks('signing', 'isAdmitted', (right, { surroundings }) => {
      key = surroundings.apiKey ?? '';
      return right;
    }),
    breaks('wire', 'pass', (right) => (request, response) => {
      right(request, response);
      const writeHead = response.writeHead.bind(response);
      const writeTelling = (status: number, ...rest: never[]) => {
        if (status === told) response.setHeader('X-Config', `apiKey=${key}`);
        return writeHead(status, ...rest);
      };
      Object.assign(response, { writeHead: writeTelling });
    }),
  );
}

/** An event reads an object and edits it, with a body of that type. */
function editingAs(type: string, body: object): HostVariant {
  return breaks('calls', 'workOnEvent', (_right, calls) => async (call, signal) => {
    const { client } = calls.surroundings;
    const space = `/api/space/${String(call.payload['spaceId'])}`;
    const url = joinUrl(call.baseAddress, `${space}/softtype/Document/documentInput/00000001`);
    const headers = { Authorization: `Bearer ${calls.tokenOf(call)}`, ...calls.filterHeader(call) };
    const read = await client.request({ method: 'GET', url, headers }, signal);
    await read.body.resume().toArray();
    const version = { [headerNames.version]: String(read.headers['svc-uoiversion']), 'Content-Type': type };
    await client.send(
      { method: 'PATCH', url, headers: { ...headers, ...version }, body: JSON.stringify(body) },
      signal,
    );
  });
}

/** Umlauts in what a validation says are single bytes. */
function sayingInLatin1(): HostVariant {
  return answers((answer) => {
    const said = answer.body.toString('latin1').replace(/"message":"./, '"message":"\u00fc');
    return { ...answer, body: Buffer.from(said, 'latin1') };
  });
}

/** Lets in what looks like that as well. */
function admitting(isLike: (entry: Entry) => boolean): HostVariant {
  return breaks('signing', 'isAdmitted', (right) => (entry) => isLike(entry) || right(entry));
}

/** Lets in what is signed in another way as well. */
function admittingAlso(sign: (key: Buffer, path: string) => Hash | Hmac): HostVariant {
  return breaks('signing', 'isAdmitted', (right, { surroundings }) => (entry) => {
    const key = Buffer.from(surroundings.apiKey ?? '', 'base64');
    const signed = sign(key, entry.target.split('?')[0] ?? '').digest('base64url');
    return entry.signature?.presented === signed || right(entry);
  });
}

function behindScheme(scheme: string): Record<string, Mistake> {
  return {
    [`whatever stands behind the scheme ${scheme} is let in`]: {
      rule: 'signing.extension-host.wrong-key-refused',
      by: admitting((entry) => headerValues(entry, 'authorization').some((value) => value.startsWith(`${scheme} `))),
      found: new RegExp(`behind the scheme ${scheme} to be no 2xx`),
    },
  };
}

function byAlgorithm(algorithm: string): Record<string, Mistake> {
  return {
    [`a signature by ${algorithm} is let in`]: {
      rule: 'signing.extension-host.wrong-key-refused',
      by: admittingAlso((key, path) => createHmac(algorithm, key).update(path)),
      found: new RegExp(`with a signature by ${algorithm} to be no 2xx`),
    },
  };
}

/** Lets in what is nearly signed as well. */
function admittingNearly(isNear: (presented: string, right: string) => boolean): HostVariant {
  return breaks('signing', 'isAdmitted', (right, { surroundings }) => (entry) => {
    const wanted = signatureOf(surroundings.apiKey ?? '', entry.target.split('?')[0] ?? '');
    return isNear(entry.signature?.presented ?? '', wanted) || right(entry);
  });
}
