export interface StorageSources {
  /** Of the gateway; null while it does not answer. */
  metrics(): Promise<Record<string, number> | null>
  /** Room on the volume of the embedded database; null with a database of somebody else's. */
  disk(): { low: boolean } | null
}

/** Checks of /readyz: whether what devices send can be stored, and if not, whether for want of room. */
export function storageChecks(sources: StorageSources): Record<'stream' | 'disk', () => Promise<true | string>> {
  const lanes = async (state: string) => (await sources.metrics())?.[`gateway_lanes_${state}`] ?? 0
  return {
    stream: async () => (await lanes('faulted_state')) === 0 || 'messages cannot be stored',
    disk: async () => {
      if ((await lanes('disk_full_state')) > 0) return 'full: messages are not taken'
      return !sources.disk()?.low || 'nearly full'
    },
  }
}
