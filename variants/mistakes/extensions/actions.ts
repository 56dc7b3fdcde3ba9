import { jsonOf } from '../../../contract/json.ts';
import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import { action, actionPath, always, callsOf, callsTo } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { mergeOf, part, runAction } from '../proofs.ts';
import { at, encoded, listAt, type Service } from '../service.ts';
import { changes, perServer } from '../variant-parts.ts';

const versions = perServer(() => new Map<string, unknown>());

export const actionsMistakes: Mistakes = {
  'actions.payload-of-who-came-first': {
    source: 'extensions: Payloads by extension type, ExternalAction, informationFilter and email',
    breaks: 'An action is told the address and the filter of the user who runs it, the second at one object too.',
    variant: keepsActionPayloads(),
    async shows(service) {
      const host = await service.host([action]);
      const made = await service.edda.make('Document');
      const body = { kind: 'ribbon', objectId: made.oid };
      await service.edda.post(actionPath, body);
      await service.emil.post(actionPath, body);
      const [one, other] = callsOf(host, 'action').map(({ envelope }) => at(envelope?.payload, '/email'));
      return other !== undefined && one === other;
    },
  },
  'actions.version-of-the-first-call': {
    source: 'extensions: Payloads by extension type, ExternalAction',
    breaks:
      'An action gets the version that the selected object has when it is run, also when it is run again after an edit.',
    variant: breaks('requests', 'payloadOf', (right) => {
      const known = new Map<unknown, unknown>();
      return (areas, delivery, token) => {
        const payload = right(areas, delivery, token);
        if (delivery.kind !== 'action' || !isContent(payload) || payload['objectId'] === undefined) return payload;
        if (!known.has(payload['objectId'])) known.set(payload['objectId'], payload['svcUOIVersion']);
        return { ...payload, svcUOIVersion: known.get(payload['objectId']) };
      };
    }),
    async shows(service) {
      const host = await service.host([action]);
      const made = await service.edda.make('Document');
      await runAction(service, { kind: 'ribbon', objectId: made.oid });
      await service.edda.merge(made, 1, { note: 'edited' });
      await runAction(service, { kind: 'ribbon', objectId: made.oid });
      return at(callsOf(host, 'action').at(-1)?.json, '/payload/svcUOIVersion') !== 2;
    },
  },
  'actions.form-of-three-operations-at-most': {
    source: 'extensions: Payloads by extension type, ExternalAction',
    breaks: 'A form of many operations or items passes all of them.',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const { contentPayload } = body;
      return right(
        areas,
        Array.isArray(contentPayload) ? { ...body, contentPayload: contentPayload.slice(0, 3) } : body,
      );
    }),
    async shows(service) {
      return listAt(await payloadOf(service, formOf([{}, {}, {}, {}])), '/contentPayload').length < 4;
    },
  },
  'actions.version-of-the-context': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'The version told is that of the selected object, also where there is a context object.',
    variant: changes('triggers', 'ribbonPayload', async (own, _areas, call, reading, body, selected) => {
      const context = await reading.object(call.space.id, String(body['contextObjectId']));
      return selected === undefined || context === undefined ? own : { ...own, svcUOIVersion: context.version };
    }),
    async shows(service) {
      const selected = await service.edda.make('Document');
      const context = await service.edda.make('Document');
      await service.edda.merge(context, 1, { note: 'n' });
      const payload = await payloadOf(service, { objectId: selected.oid, contextObjectId: context.oid });
      return at(payload, '/svcUOIVersion') !== 1;
    },
  },
  'actions.address-of-the-first-with-the-role': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'The address is that of the user who runs the action, and not of another with the same role.',
    variant: changes('triggeredCalls', 'deliveryOf', (delivery, areas, call, triggered) => {
      if (triggered.kind !== 'action') return delivery;
      const role = areas.auth.rolesOf(call.user, call.space).at(-1);
      const users = [...areas.configuration.users.values()];
      const user = users.find((each) => areas.auth.rolesOf(each, call.space).at(-1) === role);
      return { ...delivery, payload: { ...(delivery.payload as object), email: user?.email } };
    }),
    async shows(service) {
      const host = await service.host([action]);
      await service.emil.post(actionPath, { kind: 'ribbon' });
      return at(callsOf(host, 'action')[0]?.json, '/payload/email') === 'edda@demonstration.example';
    },
  },
  'actions.batch-without-its-object': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'A form action says which object is selected, also where it stands for a batch.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const isBatch = triggered.kind === 'action' && Array.isArray(at(triggered.payload, '/contentPayload'));
      if (!isBatch) return right(areas, call, triggered);
      const { objectId: _id, svcUOIVersion: _version, ...payload } = triggered.payload as Record<string, unknown>;
      return right(areas, call, { ...triggered, payload });
    }),
    async shows(service) {
      const { oid } = await service.edda.make('Document');
      return at(await payloadOf(service, { ...formOf([{}, {}]), objectId: oid }), '/objectId') === undefined;
    },
  },
  'actions.dollar-members': {
    source: 'extensions: Payloads by extension type',
    breaks: 'The payload of a form is what the service would have sent, for editors with its system members as well.',
    variant: replaces('triggers', 'runAction', (right, areas, call) => {
      const { contentPayload } = call.json;
      const isAdministrator = areas.auth.rolesOf(call.user, call.space).includes('administrator');
      if (isAdministrator || !Array.isArray(contentPayload)) return right(areas, call);
      const cleaned = contentPayload.map((item: unknown) =>
        typeof item === 'object' && item !== null
          ? Object.fromEntries(Object.entries(item).filter(([name]) => !name.startsWith('$')))
          : item,
      );
      return right(areas, { ...call, json: { ...call.json, contentPayload: cleaned } });
    }),
    async shows(service) {
      const payload = await payloadOf(service, formOf([part('a')], '/space/main/softtype'));
      return at(payload, '/contentPayload/0/$id') === undefined;
    },
  },
  'actions.route-without-its-query': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'requestedRoute is the route that the service would have used, its query included.',
    variant: replaces('triggers', 'formPayload', (right, areas, body) =>
      right(areas, { ...body, requestedRoute: String(body['requestedRoute']).split('?', 1)[0] }),
    ),
    async shows(service) {
      const route = '/api/space/main/softtype/Document/documentInput?group.port=value';
      return at(await payloadOf(service, formOf({}, route)), '/requestedRoute') !== route;
    },
  },
  'calls.context-without-a-selection': {
    source: 'extensions: Payloads by extension type, action content payload',
    breaks: 'A ribbon action names a selected object only where one is selected, in the object context module too.',
    variant: changes('triggers', 'ribbonPayload', (payload, _areas, _call, _reading, _body, selected) => {
      const contextObject = at(payload, '/contentPayload/contextObject');
      if (contextObject === undefined || selected !== undefined) return payload;
      return { contentPayload: { contextObject, selectedObject: contextObject } };
    }),
    async shows(service) {
      const { oid } = await service.edda.make('Document');
      const payload = await payloadOf(service, { contextObjectId: oid });
      return at(payload, '/contentPayload/selectedObject') !== undefined;
    },
  },
  'actions.array-as-an-object': {
    source: 'extensions: Payloads by extension type, action content payload',
    breaks: 'The content of a form action is what the form sends, the array of a batch as well.',
    variant: replaces('triggers', 'formPayload', (right, areas, body) => {
      const { contentPayload } = body;
      return right(areas, Array.isArray(contentPayload) ? { ...body, contentPayload: { ...contentPayload } } : body);
    }),
    async shows(service) {
      return !Array.isArray(at(await payloadOf(service, formOf([{}])), '/contentPayload'));
    },
  },
  'actions.null-is-nothing': {
    source: 'extensions: Payloads by extension type, text on the action content payload',
    breaks: 'A form action gets the payload that would have been sent, members that are null included.',
    variant: replaces('triggers', 'formPayload', (right, areas, body) =>
      JSON.parse(JSON.stringify(right(areas, body), (_name, value: unknown) => (value === null ? undefined : value))),
    ),
    async shows(service) {
      return at(await payloadOf(service, formOf({ name: 'n', note: null })), '/contentPayload/note') !== null;
    },
  },
  'actions.selected-in-its-own-module': {
    source: 'extensions: Payloads by extension type, ribbon actions',
    breaks: 'The selected object is told with the context object, also where both are one.',
    variant: replaces('triggers', 'ribbonPayload', (right, areas, call, reading, body, selected) =>
      right(areas, call, reading, body, body['contextObjectId'] === selected?.oid ? undefined : selected),
    ),
    async shows(service) {
      const { oid } = await service.edda.make('Document');
      const payload = await payloadOf(service, { objectId: oid, contextObjectId: oid });
      return at(payload, '/contentPayload/selectedObject/$oid') !== oid;
    },
  },
  'actions.filter-of-the-first-one': {
    source: 'extensions: Payloads by extension type, ExternalAction',
    breaks: 'The payload of an action has the filter of the request that triggers it, the second time too.',
    variant: breaks('requests', 'payloadOf', (right) => {
      const filters = new Map<string, unknown>();
      return (areas, delivery, token) => {
        const payload = right(areas, delivery, token);
        if (delivery.kind !== 'action' || !isContent(payload)) return payload;
        const informationFilter = filters.get(delivery.userName) ?? payload['informationFilter'];
        filters.set(delivery.userName, informationFilter);
        return { ...payload, informationFilter };
      };
    }),
    async shows(service) {
      const host = await service.host([action]);
      const filters = [encoded({ role: 'one' }), encoded({ role: 'other' })];
      for (const filter of filters)
        await service.edda.post(actionPath, { kind: 'ribbon' }, { [headerNames.informationFilter]: filter });
      return at(callsOf(host, 'action')[1]?.json, '/payload/informationFilter') === filters[0];
    },
  },
  'actions.context-that-is-selected': {
    source: 'extensions: Payloads by extension type',
    breaks: 'An action in the context module is told the context object, also when that is what is selected.',
    variant: replaces('triggers', 'ribbonPayload', (right, areas, call, reading, body, selected) => {
      const isSame = body['contextObjectId'] === selected?.oid;
      return right(areas, call, reading, isSame ? { ...body, contextObjectId: undefined } : body, selected);
    }),
    async shows(service) {
      const { oid } = await service.edda.make('Document');
      const payload = await payloadOf(service, { objectId: oid, contextObjectId: oid });
      return at(payload, '/contentPayload/contextObject/$oid') !== oid;
    },
  },
  'action.no-answers-of-a-batch': {
    source: 'extensions: Errors 4',
    breaks: 'An action that stands for a batch succeeds with an array of answers.',
    survives: 'What whoever runs an action gets of its answer is not shown, but for the web client: recorded.',
    variant: changes('triggers', 'runAction', (answer) => {
      if (answer.status === 200 && Array.isArray(jsonOf(String(answer.raw))))
        throw new Refusal(502, 'The extension answered with no object.');
      return answer;
    }),
    async shows(service) {
      const answers = [{ statusCode: 204, location: '/', svcUOIVersion: 2 }];
      await service.host([action], always({ status: 200, json: answers }));
      return (await runAction(service, formOf([]))).status === 502;
    },
  },
  'action.first-error-alone': {
    source: 'extensions: Errors 4',
    breaks: 'All errors that an action answers with are shown.',
    survives: 'What whoever runs an action gets of its answer is not shown, but for the web client: recorded.',
    variant: changes('triggers', 'runAction', (answer) => {
      const errors = listAt(jsonOf(String(answer.raw)), '/errors');
      return errors.length > 1 ? { ...answer, raw: JSON.stringify({ errors: errors.slice(0, 1) }) } : answer;
    }),
    async shows(service) {
      const errors = [{ message: 'one' }, { message: 'two' }];
      await service.host([action], always({ status: 500, json: { errors } }));
      return listAt((await runAction(service, { kind: 'ribbon' })).json, '/errors').length === 1;
    },
  },
  'actions.success-without-content': {
    source: 'extensions: Errors 4',
    breaks: 'Status 200 is the success of an action, also without a body: it is run once.',
    variant: replaces('triggers', 'runAction', async (right, areas, call) => {
      const answer = await right(areas, call);
      return answer.status === 200 && answer.raw === undefined ? right(areas, call) : answer;
    }),
    async shows(service) {
      const host = await service.host([action], always(200));
      await runAction(service, { kind: 'ribbon' });
      return callsTo(host).length > 1;
    },
  },
  'actions.warnings-of-the-run-before': {
    source: 'extensions: Errors 4',
    breaks: 'An action that succeeds is answered so, also right after one that did not.',
    survives: 'What the request gets back that runs an action is not shown (trigger-action-binding).',
    variant: breaks('triggers', 'runAction', (right) => {
      let failed: Answer | undefined;
      return async (areas, call) => {
        const former = failed;
        const answer = await right(areas, call);
        failed = answer.status === 500 ? answer : undefined;
        return former ?? answer;
      };
    }),
    async shows(service) {
      const failure = { status: 500, json: { errors: [{ message: 'm' }] } };
      await service.host([action], [{ when: { kind: 'action' }, steps: [failure] }]);
      await runAction(service, { kind: 'ribbon' });
      return (await runAction(service, { kind: 'ribbon' })).status !== 200;
    },
  },
  'actions.batch-of-one': {
    source: 'extensions: Errors 4',
    breaks: 'The responses to a batch are an array, also where it had one request.',
    survives: 'What the request gets back that runs an action is not shown (trigger-action-binding).',
    variant: changes('triggers', 'runAction', (answer) => {
      const value: unknown = answer.raw === undefined ? undefined : JSON.parse(String(answer.raw));
      return Array.isArray(value) && value.length === 1 ? { ...answer, raw: JSON.stringify(value[0]) } : answer;
    }),
    async shows(service) {
      await service.host([action]);
      return !Array.isArray((await runAction(service, formOf([{ method: 'GET' }]))).json);
    },
  },
  'actions.errors-for-others-are-general': {
    source: 'extensions: Errors 4',
    breaks: 'The messages of an action that failed reach its user, whatever role that has.',
    survives: 'What the service itself answers to whoever runs an action is not shown (ledger trigger-action-binding).',
    variant: replaces('triggers', 'runAction', async (right, areas, call): Promise<Answer> => {
      const answer = await right(areas, call);
      if (answer.status !== 500 || areas.auth.rolesOf(call.user, call.space).includes('administrator')) return answer;
      return { ...answer, raw: JSON.stringify({ errors: [{ message: 'The action failed.' }] }) };
    }),
    async shows(service) {
      await service.host([action], always({ status: 500, json: { errors: [{ message: 'no paper' }] } }));
      return at((await runAction(service, { kind: 'ribbon' })).json, '/errors/0/message') !== 'no paper';
    },
  },
  'actions.another-spelling-in-forms': {
    source: 'core: Names; extensions: Payloads by extension type, row ExternalAction',
    breaks: 'The version of the selected object has the name with the neutral prefix, in the payload of a form too.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const { kind, payload } = triggered;
      if (kind !== 'action' || !isContent(payload) || payload['requestedRoute'] === undefined)
        return right(areas, call, triggered);
      const { svcUOIVersion, ...rest } = payload;
      const version = svcUOIVersion === undefined ? {} : { svcUoiVersion: svcUOIVersion };
      return right(areas, call, { ...triggered, payload: { ...rest, ...version } });
    }),
    async shows(service) {
      const { oid } = await service.edda.make('Document');
      return at(await payloadOf(service, { ...formOf({}), objectId: oid }), '/svcUOIVersion') === undefined;
    },
  },
  'action.version-of-the-request': {
    source: 'core: Names',
    breaks: 'An action learns the version of the selected object, whatever version its request speaks of.',
    survives: 'What a version header does on the request of an action is not shown.',
    variant: replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      const version = call.headers['svc-uoiversion'];
      const { payload } = triggered;
      if (version === undefined || at(payload, '/svcUOIVersion') === undefined) return right(areas, call, triggered);
      return right(areas, call, { ...triggered, payload: { ...Object(payload), svcUOIVersion: Number(version) } });
    }),
    async shows(service) {
      const host = await service.host([action]);
      const { oid } = await service.edda.make('Document');
      await service.edda.post(actionPath, { kind: 'ribbon', objectId: oid }, { 'Svc-UOIVersion': '4' });
      return at(callsTo(host)[0]?.envelope?.payload, '/svcUOIVersion') === 4;
    },
  },
  'actions.context-is-what-is-selected': {
    source: 'extensions: Action content payload',
    breaks: 'The context object is the one whose module it is, also where what is selected is of the same SoftType.',
    variant: changes('triggers', 'ribbonPayload', async (payload, _areas, call, reading, body, selected) => {
      const context = await reading.object(call.space.id, String(body['contextObjectId']));
      if (selected === undefined || context?.softType !== selected.softType) return payload;
      const selectedObject = { $oid: selected.oid };
      return { ...payload, contentPayload: { selectedObject, contextObject: selectedObject } };
    }),
    async shows(service) {
      const [one, other] = [await service.edda.make('Part'), await service.edda.make('Part')];
      const payload = await payloadOf(service, { objectId: one.oid, contextObjectId: other.oid });
      return at(payload, '/contentPayload/contextObject/$oid') !== other.oid;
    },
  },
  'actions.batch-of-one-operation': {
    source: 'extensions: text on the action content payload; Errors 4',
    breaks: 'The content of a form is what would have been sent, an array also where a batch has one operation.',
    variant: changes('triggers', 'formPayload', (payload) => {
      const [only, ...more] = listAt(payload, '/contentPayload');
      return only === undefined || more.length > 0 ? payload : { ...payload, contentPayload: only };
    }),
    async shows(service) {
      return !Array.isArray(at(await payloadOf(service, formOf([{ method: 'GET' }])), '/contentPayload'));
    },
  },
  'actions.context-as-the-selected': {
    source: 'extensions: Payloads by extension type, ExternalAction, objectId',
    breaks: 'Where nothing is selected there is no selected object, in the module of another one neither.',
    variant: changes('triggers', 'ribbonPayload', (payload) => {
      const objectId = at(payload, '/contentPayload/contextObject/$oid');
      return at(payload, '/contentPayload/selectedObject') === undefined && objectId !== undefined
        ? { objectId, ...payload }
        : payload;
    }),
    async shows(service) {
      const { oid } = await service.edda.make('Document');
      return at(await payloadOf(service, { contextObjectId: oid }), '/objectId') === oid;
    },
  },
  'actions.empty-batch-is-an-object': {
    source: 'extensions: Payloads by extension type, row ExternalAction (object or array)',
    breaks: 'The content of a form action is what the form sends, an empty array as well.',
    variant: changes('triggers', 'formPayload', (payload) => {
      const content: unknown = Reflect.get(payload, 'contentPayload');
      return Array.isArray(content) && content.length === 0 ? { ...payload, contentPayload: {} } : payload;
    }),
    async shows(service) {
      const host = await service.host([action], always(200));
      await runAction(service, formOf([]));
      return !Array.isArray(at(callsTo(host)[0]?.envelope?.payload, '/contentPayload'));
    },
  },
  'actions.version-kept-past-a-batch': {
    source: 'extensions: Payloads by extension type, row ExternalAction',
    breaks: 'svcUOIVersion is the version of the selected object, also after a batch has changed it.',
    variant: together(
      replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
        const objectId = at(triggered.payload, '/objectId');
        if (triggered.kind !== 'action' || typeof objectId !== 'string') return right(areas, call, triggered);
        const svcUOIVersion = versions(areas).get(objectId) ?? at(triggered.payload, '/svcUOIVersion');
        versions(areas).set(objectId, svcUOIVersion);
        const payload = { ...Object(triggered.payload), svcUOIVersion };
        return right(areas, call, { ...triggered, payload });
      }),
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        const answer = await right(areas, route, call);
        for (const oid of versions(areas).keys())
          if (call.method !== 'GET' && call.url.includes(oid)) versions(areas).delete(oid);
        return answer;
      }),
    ),
    async shows(service) {
      const host = await service.host([{ id: 'action', extensionType: 'ExternalAction' }]);
      const made = await service.edda.make('Document');
      await runAction(service, { kind: 'ribbon', objectId: made.oid });
      await service.edda.batch([mergeOf(made, 1, { title: 'changed' })]);
      await runAction(service, { kind: 'ribbon', objectId: made.oid });
      return at(callsOf(host, 'action')[1]?.envelope?.payload, '/svcUOIVersion') === 1;
    },
  },
};

/** What is run from a form, which would have sent this. */
function formOf(contentPayload: unknown, requestedRoute = '/api/space/main/batch') {
  return { kind: 'form', requestedRoute, httpVerb: 'POST', contentPayload };
}

/** The payload of the call of an action, which is run from a ribbon unless the fields say otherwise. */
async function payloadOf(service: Service, fields: object): Promise<unknown> {
  const host = await service.host([action]);
  await runAction(service, { kind: 'ribbon', ...fields });
  return callsOf(host, 'action')[0]?.envelope?.payload;
}

/** What an action is told of an object is put together once for each version of it. */
function keepsActionPayloads(): Variant {
  const keptIn = perServer(() => new Map<string, unknown>());
  return replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
    const { payload, recordId, registrationId } = triggered;
    const oid = at(payload, '/objectId');
    if (triggered.kind !== 'action' || oid === undefined) return right(areas, call, triggered);
    const asked = ['svcUOIVersion', 'requestedRoute', 'httpVerb', 'contentPayload'].map((name) =>
      at(payload, `/${name}`),
    );
    const key = JSON.stringify([registrationId, recordId, oid, ...asked]);
    const kept = keptIn(areas).get(key) ?? payload;
    keptIn(areas).set(key, kept);
    return right(areas, call, { ...triggered, payload: kept });
  });
}
