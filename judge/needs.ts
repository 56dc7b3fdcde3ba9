import type { Need } from '../contract/needs.ts';
import type { IdentityName, Profile, TriggerName } from '../contract/profile.ts';
import type { Rule } from './rule.ts';
import type { AreaName } from './files/files.ts';
import { isObject, jsonOf } from './json.ts';
import { hasCredential, isGrantable, mayReaderWrite } from './service/roles.ts';
import { arrangeFor, isMutual, targetOf } from './service/soft-types.ts';
import { isTimeControlled, timeBudgetSeconds, usualTimeBudgetSeconds } from './time/budget.ts';

/** A need that the profile does not meet, and what to write there. */
export interface UnmetNeed {
  readonly need: Need;
  readonly hint: string;
}

const fileAreas: readonly AreaName[] = ['collection', 'space', 'user', 'participant'];

interface Binding {
  /** Keys of the profile that meet the need. */
  readonly keys: string;
  readonly isMet: (profile: Profile) => boolean;
}

/** Keys of a profile that meet a need, or say that it is not met. */
export function keysFor(need: Need): string | undefined {
  return bindings[need]?.keys;
}

/** The needs of a rule that the profile does not meet. */
export function unmetNeeds(rule: Pick<Rule, 'needs'>, profile: Profile): readonly UnmetNeed[] {
  const arranged = arrangeFor(rule.needs, profile);
  return rule.needs.flatMap((need) => {
    const binding = bindings[need];
    if (binding === undefined) return [{ need, hint: 'no key of this profile version binds it yet' }];
    return binding.isMet(arranged) ? [] : [{ need, hint: `add ${binding.keys}` }];
  });
}

const primary = (profile: Profile) => profile.softTypes?.primary;
const has = (...values: readonly unknown[]): boolean => values.every((value) => value !== undefined);
const identity = (name: IdentityName): Binding => ({
  keys: `identities.${name} with username and password, token or pat`,
  isMet: (profile) => hasCredential(profile, name),
});

const metByHost: Binding = { keys: 'extensionHost', isMet: () => true };
const trigger = (name: TriggerName): Binding => ({
  keys: `triggers.${name}`,
  isMet: (profile) => has(profile.triggers?.[name]),
});

const fileArea = (name: AreaName): Binding => ({
  keys: name === 'participant' ? 'files.areas.participant and participant' : `files.areas.${name}`,
  isMet: (profile) => isAreaUsable(profile, name),
});

/** Needs without an entry belong to areas whose profile keys do not exist yet. */
const bindings: Readonly<Partial<Record<Need, Binding>>> = {
  'soft-type': { keys: 'softTypes.primary', isMet: (profile) => has(primary(profile)) },
  'text-member': { keys: 'softTypes.primary.scalars', isMet: (profile) => has(primary(profile)?.scalars?.[0]) },
  'scalar-members': {
    keys: 'two members to softTypes.primary.scalars',
    isMet: (profile) => has(primary(profile)?.scalars?.[1]),
  },
  'object-member': { keys: 'softTypes.primary.object', isMet: (profile) => has(primary(profile)?.object) },
  'array-port': { keys: 'softTypes.primary.arrayPort', isMet: (profile) => has(primary(profile)?.arrayPort) },
  'second-array-port': {
    keys: 'softTypes.primary.secondArrayPort',
    isMet: (profile) => has(primary(profile)?.secondArrayPort),
  },
  'nested-array-port': {
    keys: 'softTypes.primary.arrayPort.nested',
    isMet: (profile) => has(primary(profile)?.arrayPort?.nested),
  },
  'mandatory-member': {
    keys: 'softTypes.primary.arrayPort.mandatory',
    isMet: (profile) => has(primary(profile)?.arrayPort?.mandatory),
  },
  'renamed-member': { keys: 'softTypes.primary.renamed', isMet: (profile) => has(primary(profile)?.renamed) },
  'escaped-member': { keys: 'softTypes.primary.escaped', isMet: (profile) => has(primary(profile)?.escaped) },
  'dated-effectivity': {
    keys: 'softTypes.primary.dated and informationFilter.dateMember',
    isMet: (profile) => has(primary(profile)?.dated, profile.informationFilter?.dateMember),
  },
  'second-output-schema': {
    keys: 'softTypes.primary.secondOutputSchema',
    isMet: (profile) => has(primary(profile)?.secondOutputSchema),
  },
  'second-soft-type': { keys: 'softTypes.second', isMet: (profile) => has(profile.softTypes?.second) },
  'reference-port': {
    keys: 'softTypes.primary.reference, with a SoftType of the profile as target, and references.readPath',
    isMet: (profile) => has(profile.references) && leadsSomewhere(profile),
  },
  'mutual-reference': { keys: 'softTypes.primary.reference and softTypes.second.reference', isMet: closesCycle },
  'instance-listing': { keys: 'routes.instanceListing', isMet: (profile) => has(profile.routes?.instanceListing) },
  'multi-create-result': {
    keys: 'multiCreate.resultHref',
    isMet: (profile) => has(profile.multiCreate),
  },
  'lock-route': {
    keys: 'routes.lockTake and routes.lockFree',
    isMet: ({ routes }) => has(routes?.lockTake, routes?.lockFree),
  },
  filter: { keys: 'filters.fixed', isMet: (profile) => has(profile.filters?.fixed) },
  'filter-with-value': { keys: 'filters.withValue', isMet: (profile) => has(profile.filters?.withValue) },
  maturity: { keys: 'maturity', isMet: (profile) => has(profile.maturity) },
  'terminal-state': { keys: 'maturity.states', isMet: (profile) => has(profile.maturity?.states) },
  'demote-route': {
    keys: 'routes.demote and maturity',
    isMet: (profile) => has(profile.routes?.demote) && has(profile.maturity),
  },
  'put-route': { keys: 'routes.softTypePut', isMet: (profile) => has(profile.routes?.softTypePut) },
  'delete-route': { keys: 'routes.softTypeDelete', isMet: (profile) => has(profile.routes?.softTypeDelete) },
  'second-editor': identity('secondEditor'),
  'reader-identity': {
    keys: 'identities.reader with username and password, token or pat, and no methods but GET',
    isMet: (profile) => hasCredential(profile, 'reader') && !mayReaderWrite(profile),
  },
  'outsider-identity': identity('outsider'),
  // documented routes need no key; a deployment without one says so under notSupported
  merge: { keys: 'merge to notSupported', isMet: () => true },
  operations: { keys: 'operations to notSupported', isMet: () => true },
  batch: { keys: 'batch to notSupported', isMet: () => true },
  'multi-create': { keys: 'multi-create to notSupported', isMet: () => true },
  // what a case uses shows when it is refused
  'role-methods': { keys: 'identities.*.methods', isMet: () => true },
  'no-role-identity': identity('noRole'),
  'collection-admin': identity('administrator'),
  'editor-identity': identity('editor'),
  'collection-route': { keys: 'collection.reads', isMet: (profile) => has(profile.collection) },
  jwt: {
    keys: 'identities.editor.username and password with auth.tokenUrl, or a JWT as identities.editor.token',
    isMet: hasJwt,
  },
  'password-grant': {
    keys: 'auth.tokenUrl, clientId and clientSecret, and username and password of identities.editor',
    isMet: (profile) => has(profile.auth?.clientSecret) && isGrantable(profile, 'editor'),
  },
  'signing-key': { keys: 'auth.signingKey', isMet: (profile) => has(profile.auth?.signingKey) },
  'expired-token': {
    keys: 'auth.expiredToken or auth.signingKey',
    isMet: ({ auth }) => has(auth?.expiredToken) || has(auth?.signingKey),
  },
  pat: {
    keys: 'username and pat of identities.editor',
    isMet: ({ identities }) => has(identities.editor.username, identities.editor.pat),
  },
  'admin-pat': { keys: 'identities.administrator.pat', isMet: ({ identities }) => has(identities.administrator?.pat) },
  'id-token': { keys: 'auth.idTokenExchange', isMet: ({ auth }) => has(auth?.idTokenExchange) },
  'etag-resource': { keys: 'caching.resources', isMet: (profile) => has(profile.caching) },
  'etag-resource-edit': { keys: 'caching.change', isMet: (profile) => has(profile.caching?.change) },
  'openapi-static': {
    keys: 'routes.openApiStatic',
    isMet: (profile) => (profile.routes?.openApiStatic ?? []).length > 0,
  },
  openapi: { keys: 'openApi: { served: true }', isMet: (profile) => profile.openApi?.served === true },
  'second-space': { keys: 'secondSpace', isMet: (profile) => has(profile.secondSpace) },
  'log-probe': {
    keys: 'probes.log.url or probes.log.file',
    isMet: ({ probes }) => has(probes?.log?.url) || has(probes?.log?.file),
  },
  'extension-listener': { keys: 'listener', isMet: (profile) => has(profile.listener) },
  'extension-probe': {
    keys: 'listener, triggers.event (and no carryHeaders: false in triggers), and an administrator in identities',
    isMet: (profile) =>
      has(profile.listener, profile.triggers?.event) &&
      profile.triggers?.carryHeaders !== false &&
      hasCredential(profile, 'administrator'),
  },
  'registration-update': {
    keys: 'routes.registrationUpdate',
    isMet: (profile) => has(profile.routes?.registrationUpdate),
  },
  'base-address': { keys: 'baseAddress', isMet: (profile) => has(profile.baseAddress) },
  'trigger-event': trigger('event'),
  'trigger-endpoint': trigger('endpoint'),
  // a validation extension that stays registered after the run would go on stopping operations
  'trigger-validation': {
    keys: 'triggers.validation and routes.registrationDelete',
    isMet: ({ triggers, routes }) => has(triggers?.validation, routes?.registrationDelete),
  },
  'trigger-task': trigger('task'),
  'trigger-email': trigger('email'),
  'trigger-action': {
    keys: 'triggers.actionForm or triggers.actionRibbon',
    isMet: ({ triggers }) => has(triggers?.actionForm) || has(triggers?.actionRibbon),
  },
  'trigger-action-form': trigger('actionForm'),
  'trigger-action-ribbon': trigger('actionRibbon'),
  'trigger-headers': {
    keys: 'triggers, and no carryHeaders: false in it',
    isMet: ({ triggers }) => has(triggers) && triggers?.carryHeaders !== false,
  },
  'admin-api-key': { keys: 'bulk.adminApiKey', isMet: ({ bulk }) => has(bulk?.adminApiKey) },
  'file-area-any': {
    keys: 'an area to files.areas, with an identity that has a credential',
    isMet: (profile) => fileAreas.some((name) => isAreaUsable(profile, name)),
  },
  'file-area-collection': fileArea('collection'),
  'file-area-space': fileArea('space'),
  'file-area-user': fileArea('user'),
  'file-area-participant': fileArea('participant'),
  'second-participant': {
    keys: 'files.secondParticipant with an identity that has a credential',
    isMet: (profile) =>
      profile.files?.secondParticipant !== undefined && hasCredential(profile, profile.files.secondParticipant.as),
  },
  'host-directory': { keys: 'bulk.hostDirectory', isMet: ({ bulk }) => has(bulk?.hostDirectory) },
  'acquire-identity': {
    keys: 'apiKeys.acquireAs, and an administrator in identities where it says so',
    isMet: mayAcquire,
  },
  'context-module': {
    keys: 'triggers.validationInContext and triggers.actionRibbonInContext',
    isMet: ({ triggers }) => has(triggers?.validationInContext, triggers?.actionRibbonInContext),
  },
  'event-delete': { keys: 'routes.eventDelete', isMet: (profile) => has(profile.routes?.eventDelete) },
  'job-read': { keys: 'routes.job', isMet: (profile) => has(profile.routes?.job) },
  'extension-host': { keys: 'extensionHost with hostUri and apiKey', isMet: ({ extensionHost }) => has(extensionHost) },
  // told by the metadata of the host, or by each case for the sample that it needs
  'extension-event': metByHost,
  'extension-validation': metByHost,
  'extension-task': metByHost,
  'extension-email': metByHost,
  'extension-query': metByHost,
  'extension-action': metByHost,
  'extension-record': metByHost,
  'extension-call': metByHost,
  'extension-options': metByHost,
  'extension-capabilities': metByHost,
  'extension-permissions-member': metByHost,
  'extension-permissions': metByHost,
  'extension-samples': metByHost,
  'clock-control': { keys: 'time: { mode: controlled, control: … }', isMet: isTimeControlled },
  'restart-control': { keys: 'restart', isMet: (profile) => has(profile.restart) },
  'long-run': {
    keys: `time: { mode: controlled, … }, or give --time-budget more than ${usualTimeBudgetSeconds} s`,
    isMet: (profile) => isTimeControlled(profile) || timeBudgetSeconds(profile) > usualTimeBudgetSeconds,
  },
};

function isAreaUsable(profile: Profile, name: AreaName): boolean {
  const as = profile.files?.areas[name]?.as;
  return as !== undefined && hasCredential(profile, as) && (name !== 'participant' || has(profile.participant));
}

/** A key of an extension or the token of an envelope comes with the extension itself. */
function mayAcquire(profile: Profile): boolean {
  const acquireAs = profile.apiKeys?.acquireAs;
  if (acquireAs === 'administrator' || acquireAs === 'editor') return hasCredential(profile, acquireAs);
  return acquireAs !== undefined;
}

function leadsSomewhere(profile: Profile): boolean {
  const type = primary(profile);
  return type !== undefined && targetOf(type, profile) !== undefined;
}

function closesCycle(profile: Profile): boolean {
  const type = primary(profile);
  return type !== undefined && isMutual(type, profile);
}

/** A personal access token may stand there as well. */
function isJwt(token: string): boolean {
  const [head = '', ...rest] = token.split('.');
  return rest.length === 2 && isObject(jsonOf(Buffer.from(head, 'base64url').toString()));
}

function hasJwt(profile: Profile): boolean {
  const token = profile.identities.editor.token;
  return token === undefined ? isGrantable(profile, 'editor') : isJwt(token);
}
