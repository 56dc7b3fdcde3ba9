/** Header and media type names of the documents. Header names are compared without regard to case. */
export const headerNames = {
  version: 'Svc-UOIVersion',
  informationFilter: 'Svc-InformationFilter',
  correlationId: 'X-Correlation-Id',
} as const;

export const mediaTypes = {
  json: 'application/json',
  operations: 'application/json-patch+json',
  form: 'application/x-www-form-urlencoded',
  problem: 'application/problem+json',
} as const;

/** Path below hostUri at which an extension tells of itself. Source: extensions, Metadata exchange */
export const metadataPath = '/svc/extension';

/**
 * Where scripts of findings send orders to what the service calls: PUT states who is called, GET `/<n>/<base>?within=<s>&about=<object>` hands
 * a call back.
 */
export const calleePath = '/_callee';

/** Placeholder of the page number in the href of a page link. */
export const pageNumberTemplate = '{pageNumber}';

/** What an extension can be for. Source: extensions, Extension metadata record, extensionType */
export const extensionTypes = [
  'FilePreview',
  'Email',
  'ExternalValidation',
  'ExternalEvent',
  'ExternalTask',
  'FullTextIndexing',
  'FullTextSearch',
  'EventLogging',
  'ExternalAction',
  'ExternalView',
  'NameValue',
  'FileConverter',
  'Identity',
] as const;
export type ExtensionType = (typeof extensionTypes)[number];

/** Keys that an extension may ask for. Source: extensions, Permission names */
export const permissionNames = [
  'TaskUploadAPI',
  'AuthorizationAPI',
  'AdministrationAPI',
  'SnapshotAPI',
  'LicenseCommunicationAPI',
] as const;

/** A host that nobody has, so that no third party is called: names under .invalid lead nowhere. */
export const nowhere = 'https://nowhere.invalid';

/** The variable by which curl finds its own settings: every line needs it, and none names it. */
export const curlHomeName = 'CURL_HOME';
/** Of the variable of a script for a path that is signed with the key of an extension. */
export const signatureVariable = 'SIGNATURE';

/** A JSON Pointer through members of these names. Source: RFC 6901, 3 */
export function pointerThrough(names: readonly PropertyKey[]): string {
  return names.map((name) => `/${String(name).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('');
}
