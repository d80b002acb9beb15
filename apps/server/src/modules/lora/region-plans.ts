import type { LoraRegionView } from '@thingwright/contracts/lora.contract'
import type { LnsRegionInfo, LoraRegion } from './lns.port.ts'
import plans from './region-plans.json' with { type: 'json' }

interface Plan {
  maxEirp: number
  dataRates: {
    dr: number
    uplink: boolean
    downlink: boolean
    modulation: string
    spreadingFactor?: number
    bandwidth?: number
    bitrate?: number
    codingRate?: string
  }[]
}

/** Channels, data rates and powers of the regional parameters, and the configurations that ChirpStack comes with. */
const REGIONS = plans.regions as Record<LoraRegion, Plan>
const CONFIGS = plans.configs as Omit<LnsRegionInfo, 'userInfo'>[]

export const shippedRegions = (): readonly Omit<LnsRegionInfo, 'userInfo'>[] => CONFIGS

export function shippedRegion(id: string): LnsRegionInfo | undefined {
  const config = CONFIGS.find(one => one.id === id)
  return config && { ...config, userInfo: '' }
}

/** A region's configuration with what its regional parameters say of data rates and power. */
export function regionView(info: LnsRegionInfo, source: LoraRegionView['source']): LoraRegionView {
  const { maxEirp, dataRates } = REGIONS[info.region]
  return {
    ...info,
    source,
    maxEirp,
    dataRates: dataRates.map(rate => ({
      dr: rate.dr,
      uplink: rate.uplink,
      downlink: rate.downlink,
      modulation: rate.modulation as 'LORA' | 'FSK' | 'LR_FHSS',
      spreadingFactor: rate.spreadingFactor ?? null,
      bandwidth: rate.bandwidth ?? null,
      bitrate: rate.bitrate ?? null,
      codingRate: rate.codingRate ?? null,
    })),
  }
}
