import type { GatewayFailure } from '../../lib/ipc.ts'

/** A port that was asked for by name cannot be had. */
export class PortFailure extends Error {
  constructor(readonly failure: GatewayFailure & { kind: 'port_busy' | 'port_denied' }) {
    super(`${failure.variable}: port ${failure.port}`)
  }
}
