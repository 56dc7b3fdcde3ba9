/** Objects that stay, one line a reason. */
export function remainsLines(remains: readonly { readonly uri: string; readonly reason: string }[]): readonly string[] {
  const byReason = Map.groupBy(remains, ({ reason }) => reason);
  return [...byReason].map(([reason, [first, ...others]]) => {
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return `Not deleted: ${first?.uri}${more} (${reason}).`;
  });
}
