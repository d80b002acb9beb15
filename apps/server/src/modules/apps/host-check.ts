import { resolve4, resolve6, resolveCname } from 'node:dns/promises'
import type { ResponseOf } from '@thingwright/contracts'
import type { webAppsContract } from '@thingwright/contracts/web-apps.contract'
import type { Outbound } from '../../lib/outbound/outbound.ts'

/** Looks where a host points to, and asks there for the portal. What is wrong is in the answer. */
export type HostCheck = (
  url: string,
  host: string,
  suffix: string,
) => Promise<ResponseOf<(typeof webAppsContract)['checkHost']>>

export interface NameServer {
  addresses(host: string): Promise<string[]>
  alias(host: string): Promise<string | null>
}

/** The system's own name servers. */
export const systemNames: NameServer = {
  async addresses(host) {
    const found = await Promise.allSettled([resolve4(host), resolve6(host)])
    const addresses = found.flatMap(each => (each.status === 'fulfilled' ? each.value : []))
    if (addresses.length === 0 && found[0]?.status === 'rejected') throw found[0].reason
    return addresses
  },
  alias: async host => (await resolveCname(host).catch(() => []))[0] ?? null,
}

export function createHostCheck(outbound: Outbound, names: NameServer = systemNames): HostCheck {
  return async (url, host, suffix) => {
    const found = { resolves: false, addresses: [] as string[], alias: null as string | null, reached: false, said: '' }
    try {
      found.addresses = (await names.addresses(host)).slice(0, 10)
      found.alias = await names.alias(host)
      found.resolves = found.addresses.length > 0
    } catch (error) {
      return { ...found, said: (error as { code?: string }).code ?? String(error) }
    }
    try {
      const answer = await outbound.fetch(`${url}/api/v1/public/portal`)
      const body = answer.ok ? ((await answer.json()) as { suffix?: unknown }) : null
      found.reached = body?.suffix === suffix
      if (!found.reached) found.said = body ? 'another portal answered' : `HTTP ${answer.status}`
    } catch (error) {
      found.said = (error as Error).message
    }
    return found
  }
}
