import { once } from 'node:events'
import { createServer } from 'node:net'

const FIRST = 20_000
const PORTS = 12_000
/** Each process begins at a place of its own, so that two that look at the same time do not find the same. */
const OF_A_PROCESS = 40
let next = (process.pid * OF_A_PROCESS) % PORTS

/**
 * A port for a listener that a test closes and opens again, or opens later; another one each time. It is below those
 * from which systems take ports for outgoing connections and for "any port" (32768 and up on Linux): the other tests
 * would sooner or later sit on it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS; tries++) {
    const port = FIRST + next
    next = (next + 1) % PORTS
    const probe = createServer()
    const free = await once(probe.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    )
    if (!free) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
  throw new Error('no free port between 20000 and 32000')
}
