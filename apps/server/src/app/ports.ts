import type { Server } from 'node:net'
import type { PortSetting } from '../lib/config.ts'

/** A port that was asked for cannot be had; the message is one printable line. */
export class PortError extends Error {}

const TRIES = 50

/**
 * Listens on the wanted port; when nobody asked for this very one, on the next free one.
 * @returns the port that was taken
 * @throws PortError naming the variable when an explicit port is busy or not allowed
 */
export async function listenOn(server: Server, host: string, wanted: PortSetting): Promise<number> {
  for (let port = wanted.port, tries = 0; ; port += 1, tries += 1) {
    const failure = await attempt(server, host, port)
    if (!failure) return (server.address() as { port: number }).port
    if (failure.code === 'EADDRINUSE' && !wanted.explicit && tries < TRIES) continue
    if (failure.code === 'EADDRINUSE')
      throw new PortError(
        `${wanted.variable}: port ${port} is in use by another program; choose another or leave the variable unset`,
      )
    if (failure.code === 'EACCES')
      throw new PortError(`${wanted.variable}: port ${port} may not be used by this user; choose one above 1023`)
    if (failure.code === 'EADDRNOTAVAIL' || failure.code === 'ENOTFOUND')
      throw new PortError(`HOST: ${host} is no address of this machine`)
    throw failure
  }
}

function attempt(server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise(resolve => {
    const onError = (error: NodeJS.ErrnoException) => {
      server.off('listening', onListening)
      resolve(error)
    }
    const onListening = () => {
      server.off('error', onError)
      resolve(null)
    }
    server.once('error', onError)
    server.once('listening', onListening)
    server.listen(port, host)
  })
}
