/**
 * Restarts a server by its control route. Connections of before may end under the first request on them, so that it is asked until it is answered.
 * @param headers what lets a client in there
 */
export async function restartServer(url: string, headers: Readonly<Record<string, string>>): Promise<Response> {
  const restarted = await fetch(`${url}/_control/restart`, { method: 'POST', headers });
  const isAnswered = async (): Promise<boolean> => {
    const answer = await fetch(`${url}/_control/clock`, { headers }).catch(() => undefined);
    await answer?.text();
    return answer !== undefined;
  };
  for (let left = 5; left > 0 && !(await isAnswered()); left -= 1);
  return restarted;
}
