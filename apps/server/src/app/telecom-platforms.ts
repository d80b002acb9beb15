import { createCtwing } from '../adapters/telecom/ctwing/ctwing.ts'
import { createOneNet } from '../adapters/telecom/onenet/onenet.ts'
import { createOutbound } from '../lib/outbound/outbound.ts'
import type { PlatformFactory } from '../modules/telecom/platform.port.ts'

/** A device that is told something at once has ten seconds to answer its platform. */
const TIMEOUT_MS = 15_000
/** Where the simulated platforms of the demo company listen; nobody but the demo makes a key of that kind. */
const SIMULATED = ['127.0.0.1/32']

/** The NB-IoT platforms that there are adapters for. */
export function createTelecomPlatforms(options: { outboundAllow: readonly string[]; now(): number }): PlatformFactory {
  const outbound = createOutbound({ allow: options.outboundAllow, timeoutMs: TIMEOUT_MS, keepAlive: true })
  const near = createOutbound({ allow: SIMULATED, timeoutMs: TIMEOUT_MS, keepAlive: true })
  return (kind, access, simulated) => {
    const needs = { outbound: simulated ? near : outbound, now: options.now }
    return kind === 'ctwing' ? createCtwing(access, needs) : createOneNet(access, needs)
  }
}
