import { type Facts, type Fix, type Found, found, SILENT_MS } from './facts.ts'

/** A bus that has just been connected is still being looked up, ms. */
const SETTLE_MS = 10_000

/** Why a slave is not polled; words that the console has a sentence for. */
type Why = 'slave_no_table' | 'slave_no_registers' | 'slave_gateway_no_bus' | 'slave_not_on_bus' | 'slave_no_turn'

const FIXES: Record<Why, Fix[]> = {
  slave_no_table: ['open_format'],
  slave_no_registers: ['open_format'],
  slave_gateway_no_bus: ['open_gateway'],
  slave_not_on_bus: ['open_gateway', 'open_device_link'],
  slave_no_turn: ['open_gateway', 'open_log'],
}

/** Finds a Modbus device without polling: it sends nothing by itself, so no values arrive. */
export function unpolled(facts: Facts): Found[] {
  const { device, path } = facts
  const { gateway } = device
  // A connection that is not there is another fault.
  const linked = gateway ? gateway.online : path?.session?.transport === 'tcp'
  if (!path?.laneTakes || !linked || device.lifecycle === 'disabled' || device.lifecycle === 'recycled') return []
  const why = whyNot(facts)
  if (why === null) return []
  const { polling } = path
  return [
    found('slave_not_polled', {
      at: polling?.slave?.since ?? polling?.since ?? null,
      params: {
        reason: why,
        address: polling?.slave?.address ?? null,
        slaves: polling?.slaves ?? 0,
        ...(gateway ? { gatewayId: gateway.id, gatewayNo: gateway.deviceNo } : {}),
      },
      fixes: FIXES[why].filter(fix => fix !== 'open_gateway' || gateway !== null),
    }),
  ]
}

function whyNot({ device, path, now }: Facts): Why | null {
  const polling = path?.polling ?? null
  const hasTable = device.formatKind === 'modbus'
  if (!polling) return hasTable && device.gateway ? 'slave_gateway_no_bus' : null
  const { slave, since, slaves } = polling
  if (slave) {
    if (slave.questions === 0) return 'slave_no_registers'
    return slave.polledAt === null && now - slave.since >= SILENT_MS ? 'slave_no_turn' : null
  }
  if (now - since < SETTLE_MS) return null
  if (hasTable) return 'slave_not_on_bus'
  // A DTU need not be a slave itself.
  return device.gateway || (slaves === 0 && device.nodeType !== 'gateway') ? 'slave_no_table' : null
}
