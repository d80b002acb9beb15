import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port for a listener that a test closes and opens again, or opens later. It is below those from which systems take
 * ports for outgoing connections and for "any port" (32768 and up on Linux): the other tests would sooner or later sit
 * on it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const probe = createServer()
    const free = once(probe.listen(port, '127.0.0.1'), 'listening').then(
      () => true,
      () => false,
    )
    if (!(await free)) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
  throw new Error('no free port between 20000 and 32000')
}
