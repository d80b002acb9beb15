import { createServer } from 'node:net'

const FIRST = 20_000
const PORTS = 12_000
/** Each process begins at a place of its own, so that two that look at the same time do not find the same. */
const OF_A_PROCESS = 40
let next = (process.pid * OF_A_PROCESS) % PORTS

/**
 * A port nobody listens on now, another one each time; the installation must come back on the same ones after every
 * kill. Below the range from which the system takes ports for outgoing connections, or thousands of devices would sooner
 * or later sit on it.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < PORTS; tries++) {
    const port = FIRST + next
    next = (next + 1) % PORTS
    const free = await new Promise<boolean>(resolve => {
      const probe = createServer()
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
    })
    if (free) return port
  }
  throw new Error('no free port between 20000 and 32000')
}
