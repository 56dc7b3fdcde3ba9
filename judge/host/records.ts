import { isObject, objectsIn } from '../json.ts';
import { withoutSlash } from '../../contract/address.ts';

/** The types whose payload is documented. Source: extensions, Payloads by extension type */
export const calledTypes = ['ExternalEvent', 'ExternalValidation', 'ExternalTask', 'Email', 'ExternalAction'] as const;
export type HostCalledType = (typeof calledTypes)[number];

/** The calls whose token is told in the query as well. Source: extensions, Calls to extensions */
export const withQueryToken: readonly HostCalledType[] = ['ExternalValidation', 'ExternalTask', 'Email'];

/** An item of the metadata answer, whatever it holds. */
export type AnnouncedRecord = Readonly<Record<string, unknown>>;

/** Members that a record may do without, beside capabilities and permissions. Source: extensions, Extension metadata record */
export const optionalMembers = [
  'description',
  'requestTimeout',
  'rateLimitNumberOfExecutions',
  'retryForever',
] as const;

const mayBeMissing: readonly string[] = [...optionalMembers, 'capabilities', 'permissions'];

/** A record of the host that can be called. */
export interface HostRecord {
  readonly id: string;
  readonly type: HostCalledType;
  /** As the record writes it. */
  readonly endpoint: string;
  /** Where it is called: hostUri and endpoint with exactly one slash between them. */
  readonly url: string;
  /** In seconds. */
  readonly requestTimeout: number;
  /** Executions per minute. */
  readonly rate: number;
}

/** A record that asks for API keys, whether or not it can be called. */
export interface AskingRecord {
  readonly id: string;
  readonly permissions: Permissions;
}

export interface Permissions {
  readonly tokenCallback: string;
  readonly permissions: readonly string[];
}

/** A host that announces more is called at these only. */
const mostRecords = 50;
const usualTimeoutSeconds = 100;
const mailTimeoutSeconds = 600;
const usualRate = 5;

/** An optional member that is null is left out: how one looks that has no value is not said. @param metadata body of the metadata answer */
export function announcedRecords(metadata: unknown): readonly AnnouncedRecord[] {
  return objectsIn(metadata).map((record) =>
    Object.fromEntries(
      Object.entries(record).filter(([name, value]) => value !== null || !mayBeMissing.includes(name)),
    ),
  );
}

/** Names of the optional members that are null somewhere. @param metadata body of the metadata answer */
export function nullMembers(metadata: unknown): readonly string[] {
  const records = objectsIn(metadata);
  return mayBeMissing.filter((name) => records.some((record) => record[name] === null));
}

/** The records that can be called, whatever else is wrong with them. @param metadata body of the metadata answer */
export function callableRecords(metadata: unknown, hostUri: string): readonly HostRecord[] {
  const records = announcedRecords(metadata).flatMap((record): readonly HostRecord[] => {
    const { id, endpoint } = record;
    const type = calledTypes.find((name) => name === record['extensionType']);
    if (type === undefined || typeof id !== 'string' || typeof endpoint !== 'string') return [];
    return [
      {
        id,
        type,
        endpoint,
        url: joinEndpoint(hostUri, endpoint),
        ...limitsOf(record, type),
      },
    ];
  });
  return records.slice(0, mostRecords);
}

/** The records that ask for keys, of whatever type. */
export function askingRecords(announced: readonly AnnouncedRecord[]): readonly AskingRecord[] {
  return announced.flatMap((record): readonly AskingRecord[] => {
    const { id } = record;
    const permissions = permissionsOf(record);
    return typeof id === 'string' && permissions !== undefined ? [{ id, permissions }] : [];
  });
}

/** An absolute endpoint is called as it stands, so that what is wrong with it shows once. Dots in front stand for hostUri, as in any address. */
export function joinEndpoint(hostUri: string, endpoint: string): string {
  if (/^https?:\/\//i.test(endpoint)) return endpoint;
  return `${withoutSlash(hostUri)}/${endpoint.replace(/^(?:\.?\/)+/, '')}`;
}

function limitsOf({ requestTimeout, rateLimitNumberOfExecutions: rate }: AnnouncedRecord, type: HostCalledType) {
  const usual = type === 'Email' ? mailTimeoutSeconds : usualTimeoutSeconds;
  return { requestTimeout: positive(requestTimeout) ?? usual, rate: positive(rate) ?? usualRate };
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}

function permissionsOf({ permissions }: AnnouncedRecord): Permissions | undefined {
  if (!isObject(permissions)) return undefined;
  const { tokenCallback, permissions: names } = permissions;
  if (typeof tokenCallback !== 'string' || !Array.isArray(names)) return undefined;
  return { tokenCallback, permissions: names.filter((name) => typeof name === 'string') };
}
