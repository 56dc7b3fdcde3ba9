import type { Static } from 'typebox';
import { Type } from './type.ts';

/** Shapes of what the core API sends. Objects stay open: further members are nobody's fault. Source: core, Resources and their fields. */
export const linkSchema = Type.Object({
  rel: Type.String({ minLength: 1 }),
  href: Type.String({ minLength: 1 }),
  method: Type.String({ minLength: 1 }),
  sectionPath: Type.Optional(Type.String()),
  pages: Type.Optional(Type.Integer()),
  totalNumber: Type.Optional(Type.Integer()),
});
export type Link = Static<typeof linkSchema>;

const instanceDataSchema = Type.Object({
  $version: Type.Integer(),
  $oid: Type.String(),
  $softType: Type.String(),
});

const entrySchema = Type.Object({ $entryId: Type.Union([Type.Integer(), Type.String()]) });

const instanceSchema = Type.Object({
  href: Type.String(),
  data: instanceDataSchema,
  version: Type.Integer(),
  links: Type.Array(linkSchema),
  schema: Type.Object({}),
});
export type Instance = Static<typeof instanceSchema> & { data: Record<string, unknown> };

const pageSchema = Type.Object({
  href: Type.String(),
  data: Type.Array(entrySchema),
  version: Type.Integer(),
});
export type Page = Static<typeof pageSchema>;

export const tokenSchema = Type.Object({ access_token: Type.String() });

/** RFC 9457, as the reference server sends it; the documents leave error bodies open. */
export const problemSchema = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String(),
  pointer: Type.Optional(Type.String()),
});
