import type { ModbusRegister } from '@thingwright/contracts/format-schemas'
import type { ModbusPolling } from '@thingwright/contracts/links.contract'
import { linkSettings } from '../../../lib/links/settings.ts'
import { compileRegisters, planReads, type ReadRequest, type Register } from '../../codecs/modbus/index.ts'
import type { ProductEntry } from '../../directory/product-cache.ts'
import type { DeviceRecord } from '../../uplink.ts'

/** A device on the bus: what is asked of it, and how often. */
export interface Slave {
  device: DeviceRecord
  address: number
  polling: ModbusPolling
  registers: readonly Register[]
  /** Divided where the slave refused a question. */
  plan: readonly ReadRequest[]
  /** Since when it is on its bus, and when it was last polled; epoch ms. */
  since: number
  polledAt: number | null
  /** When it is polled next, on the clock that never jumps. */
  dueAt: number
  /** A poll is under way. */
  busy: boolean
  /** Polls in a row without any answer. */
  failures: number
  /** Its last poll was answered. */
  answers: boolean
  /** It waits for its turn among those that are not known to answer. */
  queued: boolean
  /** It is no longer on this bus. */
  gone: boolean
}

/** Longest pause between polls of a slave that does not answer, ms. */
const LONGEST_PAUSE_MS = 60_000

/** The part of a slave that settings decide; null when the device's product has no register table. */
export function slaveOf(
  device: DeviceRecord,
  product: ProductEntry,
): Pick<Slave, 'device' | 'address' | 'polling' | 'registers' | 'plan'> | null {
  const { settings } = product
  if (settings?.format.kind !== 'modbus' || !Array.isArray(settings.format.registers)) return null
  const own = (device.overrides.link ?? {}) as { slave?: number; cycleSeconds?: number }
  const { modbus } = linkSettings(settings.link, 'modbus')
  const polling = { ...modbus, ...(own.cycleSeconds ? { cycleSeconds: own.cycleSeconds } : {}) }
  const address = own.slave ?? subAddressOf(device) ?? polling.slave
  const registers = compileRegisters(settings.format.registers as ModbusRegister[], product.model)
  return { device, address, polling, registers, plan: planReads(registers, { slave: address, gap: polling.maxGap }) }
}

/** The next time of polling: the cycle is kept without drift; who does not answer is asked less and less often. */
export function nextPoll(slave: Slave, now: number): number {
  const cycle = slave.polling.cycleSeconds * 1_000
  const pause = Math.max(cycle, Math.min(cycle * 2 ** Math.min(slave.failures, 16), LONGEST_PAUSE_MS))
  const due = slave.dueAt + pause
  // A bus that is slower than its cycle is not asked twice for the same moment.
  return due > now ? due : slave.dueAt + Math.ceil((now - slave.dueAt) / cycle) * cycle
}

/** The address of a device below a DTU, when it is one of a bus. */
function subAddressOf(device: DeviceRecord): number | null {
  if (device.subAddress === null || !/^\d{1,3}$/.test(device.subAddress)) return null
  const address = Number(device.subAddress)
  return address >= 1 && address <= 247 ? address : null
}
