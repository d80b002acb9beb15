import type { CtwingPlatform } from '../ctwing/ctwing.ts'
import type { OneNetPlatform } from '../onenet/onenet.ts'

const met = new Set<string>()

/** Every device wakes, takes what waits for it, and reports. @param targets where the server takes it; none: not connected */
export async function reportAll(
  { ctwing, onenet }: { ctwing: CtwingPlatform; onenet: OneNetPlatform },
  targets: { ctwing?: string; onenet?: string },
  now: number,
): Promise<void> {
  if (targets.ctwing)
    for (const { deviceId, imei } of ctwing.devices) {
      const waits = ctwing.commands.some(command => command.deviceId === deviceId && command.status === 1)
      if (waits || !met.has(deviceId)) await ctwing.wake(targets.ctwing, deviceId)
      met.add(deviceId)
      await ctwing.report(targets.ctwing, deviceId, waterOf(phaseOf(imei), now))
    }
  if (targets.onenet)
    for (const device of onenet.devices) {
      device.online = true
      const values = smokeOf(phaseOf(device.imei), now)
      const params = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value, time: now }]))
      await onenet.report(targets.onenet, device.did, params)
    }
}

/** Each device at another place of the same day. */
const phaseOf = (imei: string) => Number(imei.slice(-4))
const rounded = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits

/** A water meter: it only goes up, faster by day. */
function waterOf(phase: number, now: number) {
  const days = now / 86_400_000
  const total = 40 * (days - 20_000) + (6 + (phase % 4)) * Math.sin(days * 2 * Math.PI) + phase
  return {
    total: rounded(total, 2),
    pressure: rounded(0.32 + 0.03 * Math.sin(now / 600_000 + phase), 3),
    battery: 90 - (phase % 9),
  }
}

function smokeOf(phase: number, now: number) {
  return {
    smoke: rounded(0.4 + 0.3 * (1 + Math.sin(now / 900_000 + phase)), 2),
    temperature: rounded(24 + 4 * Math.sin((now / 86_400_000) * 2 * Math.PI + phase), 1),
    battery: 96 - (phase % 7),
  }
}
