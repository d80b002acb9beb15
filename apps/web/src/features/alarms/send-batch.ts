import { type Body, call } from '../../lib/api-client.ts'

/** Ids of one request. */
const AT_ONCE = 1000

/** Does the same to any number of alarms; those that refused are returned with the reason. */
export async function sendBatch(
  what: Omit<Body<'alarms.batch'>, 'ids'>,
  ids: readonly string[],
): Promise<{ done: number; failed: { id: string; code: string; message: string }[] }> {
  const sum = { done: 0, failed: [] as { id: string; code: string; message: string }[] }
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const reply = await call('alarms.batch', { body: { ...what, ids: ids.slice(at, at + AT_ONCE) } })
    sum.done += reply.done
    sum.failed.push(...reply.failed)
  }
  return sum
}
