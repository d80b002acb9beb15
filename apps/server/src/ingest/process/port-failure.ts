import type { GatewayFailure, PortRequest } from '../channel/ipc.ts'

/** A port that was asked for by name cannot be had. */
export class PortFailure extends Error {
  constructor(readonly failure: GatewayFailure & { kind: 'port_busy' | 'port_denied' }) {
    super(`${failure.variable}: port ${failure.port}`)
  }
}

/** Ports tried after one that nobody asked for by name. */
const TRIES = 50

export const triesOf = (request: PortRequest): number => (request.explicit ? 0 : TRIES)

/** Names the variable behind an error of listen; any other error stays what it is. */
export function nameListenError(error: unknown, host: string, requests: readonly PortRequest[]): unknown {
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return new Error(`HOST: ${host} is no address of this machine`)
  const request = requests.find(r => port !== undefined && port >= r.port && port <= r.port + triesOf(r))
  if (!request || port === undefined || (code !== 'EADDRINUSE' && code !== 'EACCES')) return error
  return new PortFailure({
    kind: code === 'EACCES' ? 'port_denied' : 'port_busy',
    variable: request.variable,
    port: request.port,
  })
}
