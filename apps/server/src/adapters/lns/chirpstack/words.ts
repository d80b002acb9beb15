import {
  LORA_LOCATION_SOURCES,
  LORA_MAC_VERSIONS,
  LORA_MEASUREMENTS,
  LORA_MULTICAST_TYPES,
  LORA_REG_PARAMS,
} from '@thingwright/contracts/lora.words'
import type { LoraGatewayView } from '@thingwright/contracts/lora-gateways.contract'
import type { LoraProfileFields } from '@thingwright/contracts/lora-profiles.contract'
import { LnsError } from '../../../modules/lora/lns.port.ts'

/** Numbers of ChirpStack's enums (`common.proto`, `device_profile.proto`) and our words for them. */
function wordsOf<W extends string>(name: string, numbers: Readonly<Record<W, number>>) {
  const words = new Map(Object.entries<number>(numbers).map(([word, number]) => [number, word as W]))
  return {
    /** @throws LnsError answer for a number that is not known: a newer ChirpStack */
    word(number: number): W {
      const word = words.get(number)
      if (word === undefined) throw new LnsError('answer', `${name} ${number}`)
      return word
    },
    number: (word: W) => numbers[word],
  }
}

const counted = <W extends string>(words: readonly W[]) =>
  Object.fromEntries(words.map((word, number) => [word, number])) as Record<W, number>

export const REGION = wordsOf<LoraProfileFields['region']>('Region', {
  EU868: 0,
  US915: 2,
  CN779: 3,
  EU433: 4,
  AU915: 5,
  CN470: 6,
  AS923: 7,
  KR920: 8,
  IN865: 9,
  RU864: 10,
  ISM2400: 11,
  AS923_2: 12,
  AS923_3: 13,
  AS923_4: 14,
})
export const MAC_VERSION = wordsOf('MacVersion', counted(LORA_MAC_VERSIONS))
export const REG_PARAMS = wordsOf('RegParamsRevision', counted(LORA_REG_PARAMS))
export const CODEC = wordsOf<LoraProfileFields['codecRuntime']>('CodecRuntime', { none: 0, cayenne_lpp: 1, js: 2 })
export const MEASUREMENT = wordsOf('MeasurementKind', counted(LORA_MEASUREMENTS))
export const APP_LAYER = wordsOf<LoraProfileFields['appLayer']['ts003Version']>('AppLayerVersion', {
  none: 0,
  '1.0.0': 1,
  '2.0.0': 2,
})
export const GATEWAY_STATE = wordsOf<LoraGatewayView['state']>('GatewayState', { never_seen: 0, online: 1, offline: 2 })
export const LOCATION_SOURCE = wordsOf('LocationSource', counted(LORA_LOCATION_SOURCES))
export const MULTICAST_TYPE = wordsOf('MulticastGroupType', counted(LORA_MULTICAST_TYPES))
export const AGGREGATION = { hour: 0, day: 1, month: 2, minute: 3 } as const
