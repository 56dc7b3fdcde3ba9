const ownLine = /^( *adminApiKey: )(\S+)$/m;

/** The bundled profile for a server with another administration key: where to find it is told, not the key itself. @param key undefined for the bundled one */
export function withKeyFromEnvironment(profile: string, key: string | undefined): string {
  return profile.replace(ownLine, (line, member: string, bundled: string) =>
    key === undefined || key === bundled ? line : `${member}\${SVC_ADMINISTRATION_KEY}`,
  );
}
