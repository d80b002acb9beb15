/** As ChirpStack names them (`common.proto`). */
export const LORA_REGIONS = [
  'EU868',
  'US915',
  'CN779',
  'EU433',
  'AU915',
  'CN470',
  'AS923',
  'AS923_2',
  'AS923_3',
  'AS923_4',
  'KR920',
  'IN865',
  'RU864',
  'ISM2400',
] as const
export const LORA_MAC_VERSIONS = ['1.0.0', '1.0.1', '1.0.2', '1.0.3', '1.0.4', '1.1.0'] as const
export const LORA_REG_PARAMS = [
  'A',
  'B',
  'RP002-1.0.0',
  'RP002-1.0.1',
  'RP002-1.0.2',
  'RP002-1.0.3',
  'RP002-1.0.4',
  'RP002-1.0.5',
] as const
export const LORA_CODECS = ['none', 'cayenne_lpp', 'js'] as const
export const LORA_MEASUREMENTS = ['unknown', 'counter', 'absolute', 'gauge', 'string'] as const
export const LORA_APP_LAYERS = ['none', '1.0.0', '2.0.0'] as const
export const LORA_GATEWAY_STATES = ['never_seen', 'online', 'offline'] as const
export const LORA_MULTICAST_TYPES = ['class_c', 'class_b'] as const
/** What is shown of a device's traffic: what was in the air, or what ChirpStack said of it. */
export const LORA_TRAFFIC = ['frames', 'events'] as const
/** How the broker of a connection is listened to. */
export const LORA_FEED_STATES = ['off', 'waiting', 'connected', 'failed'] as const
export const LORA_LOCATION_SOURCES = [
  'unknown',
  'gps',
  'config',
  'geo_resolver_tdoa',
  'geo_resolver_rssi',
  'geo_resolver_gnss',
  'geo_resolver_wifi',
] as const
/** Steps of the metrics of a gateway. */
export const LORA_METRIC_STEPS = ['minute', 'hour', 'day', 'month'] as const
/** By what the packets of a gateway are counted. */
export const LORA_METRICS = [
  'rxPackets',
  'txPackets',
  'rxPerFrequency',
  'txPerFrequency',
  'rxPerDataRate',
  'txPerDataRate',
  'txPerStatus',
] as const

/** What ChirpStack's own form begins with. */
export const LORA_PROFILE_DEFAULTS = {
  description: '',
  regionConfigId: '',
  macVersion: '1.0.3' as (typeof LORA_MAC_VERSIONS)[number],
  regParamsRevision: 'A' as (typeof LORA_REG_PARAMS)[number],
  adrAlgorithmId: 'default',
  flushQueueOnActivate: true,
  uplinkInterval: 3600,
  deviceStatusReqInterval: 1,
  allowRoaming: false,
  rx1Delay: 0,
  supportsOtaa: true,
  abpRx1Delay: 0,
  abpRx1DrOffset: 0,
  abpRx2Dr: 0,
  abpRx2Freq: 0,
  supportsClassB: false,
  classBTimeout: 0,
  classBPingSlotPeriodicity: 0,
  classBPingSlotDr: 0,
  classBPingSlotFreq: 0,
  classBDownlinkOnly: false,
  supportsClassC: false,
  classCTimeout: 0,
  codecRuntime: 'none' as (typeof LORA_CODECS)[number],
  codecScript: '',
  tags: {} as Record<string, string>,
  measurements: [] as { key: string; name: string; kind: (typeof LORA_MEASUREMENTS)[number] }[],
  autoDetectMeasurements: true,
  appLayer: {
    ts003Version: 'none' as (typeof LORA_APP_LAYERS)[number],
    ts003Port: 202,
    ts004Version: 'none' as (typeof LORA_APP_LAYERS)[number],
    ts004Port: 201,
    ts005Version: 'none' as (typeof LORA_APP_LAYERS)[number],
    ts005Port: 200,
  },
}
export const LORA_CLASSES = ['a', 'b', 'c'] as const
/** How a device comes by its session: it joins, or the session is given to it. */
export const LORA_ACTIVATIONS = ['otaa', 'abp'] as const
export const LORA_KEY_NAMES = ['appKey', 'nwkKey', 'genAppKey', 'devAddr', 'appSKey', 'nwkSKey'] as const
/** How a device of ours stands at ChirpStack. */
export const LORA_LINK_STATES = ['none', 'pending', 'registered', 'failed'] as const
