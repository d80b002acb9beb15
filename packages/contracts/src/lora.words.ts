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
export const LORA_LOCATION_SOURCES = [
  'unknown',
  'gps',
  'config',
  'geo_resolver_tdoa',
  'geo_resolver_rssi',
  'geo_resolver_gnss',
  'geo_resolver_wifi',
] as const
export const LORA_CONNECTION_STATES = ['untested', 'ok', 'failed', 'disabled'] as const
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
