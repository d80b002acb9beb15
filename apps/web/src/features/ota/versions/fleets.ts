import type { FirmwareVersionCount } from '@thingwright/contracts/firmware.contract'

export interface FleetRow extends FirmwareVersionCount {
  /** Of the fleet's devices, with one decimal. */
  percent: number
  /** Length of the bar in percent of the longest one; never nothing for one device. */
  width: number
  /** The highest order number that has a package. */
  newest: boolean
}

/** The devices of one product and module by the version they run. */
export interface Fleet {
  productId: string
  productName: string
  module: string
  devices: number
  newest: string | null
  newestPackage: string | null
  rows: FleetRow[]
}

/** Groups the counts by product and module: newest version first, versions without a package by their numbers after them, unknown last. */
export function fleets(items: readonly FirmwareVersionCount[]): Fleet[] {
  const groups = new Map<string, FirmwareVersionCount[]>()
  for (const item of items) {
    const key = `${item.productId} ${item.module}`
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return [...groups.values()].map(group => {
    const [first] = group as [FirmwareVersionCount]
    const devices = group.reduce((sum, each) => sum + each.devices, 0)
    const longest = Math.max(...group.map(each => each.devices), 1)
    const sorted = [...group].sort(
      (a, b) =>
        Number(a.version === null) - Number(b.version === null) ||
        (b.orderNo ?? -1) - (a.orderNo ?? -1) ||
        (b.version ?? '').localeCompare(a.version ?? '', 'en', { numeric: true }),
    )
    const newest = sorted.find(each => each.orderNo !== null && each.packageId !== null) ?? null
    return {
      productId: first.productId,
      productName: first.productName,
      module: first.module,
      devices,
      newest: newest?.version ?? null,
      newestPackage: newest?.packageId ?? null,
      rows: sorted.map(each => ({
        ...each,
        percent: devices === 0 ? 0 : Math.round((each.devices / devices) * 1000) / 10,
        width: each.devices === 0 ? 0 : Math.max(1, (each.devices / longest) * 100),
        newest: each === newest,
      })),
    }
  })
}
