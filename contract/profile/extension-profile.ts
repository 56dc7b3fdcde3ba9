import type { Static } from 'typebox';
import { profileSchema } from '../profile.ts';
import { extensionHost } from './extension-host.ts';
import { optional, text } from '../schema-parts.ts';
import { Type } from '../type.ts';

const { profileVersion, tls, proxy, listener, limits, time, informationFilter, claims, notSupported, knownFailures } =
  profileSchema.properties;

/** What a profile may hold where an extension host alone is judged; hostUri and apiKey may come from the command line. */
export const extensionProfileSchema = Type.Closed(
  {
    profileVersion,
    implementation: optional(text('Name of the implementation; results are published under it.')),
    extensionHost: optional(
      Type.Closed({
        ...extensionHost.properties,
        hostUri: optional(extensionHost.properties.hostUri),
        apiKey: optional(extensionHost.properties.apiKey),
      }),
    ),
    tls,
    proxy,
    listener,
    limits,
    time,
    informationFilter,
    claims,
    notSupported,
    knownFailures,
  },
  {
    $id: 'https://svc-conformance.example/schema/extension-profile.json',
    title: 'Profile of an extension host under test',
  },
);

export type ExtensionProfile = Static<typeof extensionProfileSchema>;
