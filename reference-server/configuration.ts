/** A member of a SoftType definition or of an entry. Names are canonical: those of the definition, not of a schema. */
export type Member =
  | { readonly kind: 'string' | 'integer' | 'number' | 'boolean'; readonly mandatory: boolean }
  /** Plain values, never paged. */
  | { readonly kind: 'list'; readonly of: Scalar; readonly mandatory: boolean }
  /** One effectivity-dated element: `{ value, effectivity }`, effectivity an RFC 3339 time. */
  | { readonly kind: 'dated'; readonly of: Scalar; readonly mandatory: boolean }
  | { readonly kind: 'object'; readonly members: Members; readonly mandatory: boolean }
  /** An array port. */
  | { readonly kind: 'entries'; readonly members: Members; readonly mandatory: boolean }
  /** An array port whose entries refer to objects of another definition: `{ id, value: {...} }`. */
  | { readonly kind: 'references'; readonly to: string; readonly mandatory: boolean };

export type Scalar = 'string' | 'integer' | 'number' | 'boolean';

export type Members = ReadonlyMap<string, Member>;

/** An input or output schema: which canonical root members it holds, and under which name. */
export interface SchemaView {
  readonly id: string;
  /** Name in the schema -> canonical name, in the order of the definition. */
  readonly names: ReadonlyMap<string, string>;
}

export interface SoftType {
  readonly id: string;
  readonly members: Members;
  /** First one is the default. */
  readonly inputs: ReadonlyMap<string, SchemaView>;
  readonly outputs: ReadonlyMap<string, SchemaView>;
  readonly maturity?: MaturityProcess;
}

export interface MaturityProcess {
  readonly id: string;
  /** Level id -> its states in order. */
  readonly levels: ReadonlyMap<string, readonly string[]>;
}

/** Equality on one member of the entries of one port; `equals` absent means that the request gives the value. */
export interface Filter {
  readonly id: string;
  readonly softType: string;
  readonly port: string;
  readonly member: string;
  readonly equals?: string;
  readonly groupId?: string;
  readonly criteriaPort?: string;
}

export interface Template {
  readonly id: string;
  readonly name: string;
  readonly softTypes: ReadonlyMap<string, SoftType>;
  readonly filters: ReadonlyMap<string, Filter>;
}

export interface Space {
  readonly id: string;
  readonly name: string;
  readonly template: Template;
  /** Participant id -> user name -> role id. */
  readonly participants: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export interface User {
  readonly name: string;
  readonly displayName: string;
  readonly password: string;
  readonly pat: string;
  readonly collectionAdministrator: boolean;
  /** Address that actions of extensions get to know. */
  readonly email?: string;
}

export interface AuthSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly signingKey: Buffer;
  readonly tokenLifetimeSeconds: number;
  readonly idTokenIssuer: string;
  readonly idTokenAudience: string;
  readonly idTokenKey: Buffer;
}

/** What a server serves, read from the space template and the seed. */
export interface Configuration {
  /** Where the outside reaches the service, usually a gateway; where the server listens unless given. */
  readonly baseAddress?: string;
  /** Sender of mails that go out through an extension. */
  readonly emailFrom?: string;
  /** Base64 of the key that opens bulk upload from the start. */
  readonly administrationKey?: string;
  /** Directories of this host that bulk uploads may take files from; any unless given. */
  readonly bulkSources?: readonly string[];
  /** Longest stream upload, in bytes; 64 MiB unless given. */
  readonly maxStreamBytes?: number;
  readonly collection: { readonly id: string; readonly name: string };
  readonly auth: AuthSettings;
  readonly templates: ReadonlyMap<string, Template>;
  readonly spaces: ReadonlyMap<string, Space>;
  readonly users: ReadonlyMap<string, User>;
  /** Role id -> methods it allows. */
  readonly roles: ReadonlyMap<string, ReadonlySet<string>>;
}
