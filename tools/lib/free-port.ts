import { createServer } from 'node:net'

/**
 * A port nobody listens on now; the installation must come back on the same ones after every kill. Below the range from
 * which the system takes ports for outgoing connections, or thousands of devices would sooner or later sit on it.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const free = await new Promise<boolean>(resolve => {
      const probe = createServer()
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
    })
    if (free) return port
  }
  throw new Error('no free port between 20000 and 32000')
}
