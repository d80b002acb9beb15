import { createOutbound, type Outbound, OutboundError } from '../../lib/outbound/outbound.ts'
import { ChannelError } from '../../modules/contacts/channel.port.ts'

export interface ChannelHttp {
  /**
   * POSTs to a provider, or to its simulator in the provider's place.
   * @param simulator `http://127.0.0.1:port`, of a simulator that this server started; null: the real one
   * @returns the answer's body as JSON, whatever its status; null: it is none
   * @throws ChannelError when there is no answer
   */
  post(
    simulator: string | null,
    url: string,
    headers: Record<string, string>,
    body: string | Uint8Array,
  ): Promise<{ status: number; json: Record<string, unknown> | null }>
}

const LOOPBACK = ['127.0.0.1/32']

export function createChannelHttp(options: { allow: readonly string[]; timeoutMs?: number }): ChannelHttp {
  const { timeoutMs = 10_000 } = options
  const real = createOutbound({ allow: options.allow, timeoutMs, maxBytes: 256 * 1024 })
  const simulated: Outbound = createOutbound({ allow: LOOPBACK, timeoutMs, maxBytes: 256 * 1024 })
  return {
    async post(simulator, target, headers, body) {
      const url = new URL(target)
      // The simulator stands at its own address, never at one that somebody typed.
      const address = simulator === null ? url : new URL(url.pathname + url.search, simulator)
      try {
        const out = simulator === null ? real : simulated
        const answer = await out.fetch(address, { method: 'POST', headers, body })
        const text = await answer.text()
        return { status: answer.status, json: objectIn(text) }
      } catch (error) {
        if (error instanceof OutboundError && error.failure === 'blocked')
          throw new ChannelError('account', error.message, { cause: error })
        throw new ChannelError('again', error instanceof OutboundError ? error.message : 'no answer', { cause: error })
      }
    },
  }
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** A yes that cannot be read is no yes. */
export const unreadable = (status: number) =>
  new ChannelError(status >= 500 || status === 429 ? 'again' : 'never', `HTTP ${status}, an answer that cannot be read`)
