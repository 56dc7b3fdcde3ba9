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

/** Placeholder of the page number in the href of a page link. */
export const pageNumberTemplate = '{pageNumber}';
