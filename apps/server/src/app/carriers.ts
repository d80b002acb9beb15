import { createOneLink } from '../adapters/carrier/cmcc-onelink/cmcc-onelink.ts'
import { createFiveG } from '../adapters/carrier/ctcc/ctcc-5g.ts'
import { createCmp } from '../adapters/carrier/ctcc/ctcc-cmp.ts'
import { createOutbound } from '../lib/outbound/outbound.ts'
import type { CarrierFactory } from '../modules/sim-cards/carrier.port.ts'

/** Carriers answer slowly, and a change that was not answered in time is asked about before it is sent again. */
const TIMEOUT_MS = 20_000
/** Where the simulated carriers of the demo company listen; nobody but the demo makes a connection of that kind. */
const SIMULATED = ['127.0.0.1/32']

/** The carriers that there are adapters for. */
export function createCarriers(options: { outboundAllow: readonly string[]; now(): number }): CarrierFactory {
  const outbound = createOutbound({ allow: options.outboundAllow, timeoutMs: TIMEOUT_MS, keepAlive: true })
  const near = createOutbound({ allow: SIMULATED, timeoutMs: TIMEOUT_MS, keepAlive: true })
  return (kind, access, simulated) => {
    const needs = { outbound: simulated ? near : outbound, now: options.now }
    switch (kind) {
      case 'onelink':
        return createOneLink(access, needs)
      case 'cmp':
        return createCmp(access, needs)
      case 'dcp':
        return createFiveG(access, needs)
    }
  }
}
