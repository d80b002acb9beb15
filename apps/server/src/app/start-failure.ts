import { isStartError } from '../db/start-error.ts'
import { ConfigError } from '../lib/config.ts'
import { GatewayStartError } from './gateway-client.ts'
import { PortError } from './ports.ts'

/** Whether a failed start is explained by its message alone. */
export function isPrintable(error: unknown): boolean {
  return isStartError(error) || error instanceof PortError || error instanceof GatewayStartError
}

/** Ends a command that failed: what its user can act on is one line, a fault of ours shows where. */
export function printAndEnd(error: unknown): void {
  const said = error instanceof ConfigError || isPrintable(error)
  process.stderr.write(`${said ? (error as Error).message : ((error as Error)?.stack ?? String(error))}\n`)
  process.exit(1)
}
