import { isStartError } from '../db/start-error.ts'
import { GatewayStartError } from './gateway-client.ts'
import { PortError } from './ports.ts'

/** Whether a failed start is explained by its message alone. */
export function isPrintable(error: unknown): boolean {
  return isStartError(error) || error instanceof PortError || error instanceof GatewayStartError
}
