import type pb from '@chirpstack/chirpstack-api/api/gateway_pb.js'
import common from '@chirpstack/chirpstack-api/common/common_pb.js'
import type { LoraMetric } from '@thingwright/contracts/lora-gateways.contract'
import type { LnsGateway, LnsGatewayFields, LnsGatewayItem } from '../../../modules/lora/lns.port.ts'
import { timeIn, timeOf } from './channel.ts'
import { GATEWAY_STATE, LOCATION_SOURCE } from './words.ts'

type Message = InstanceType<typeof pb.Gateway>
type Location = InstanceType<typeof common.Location>

/** A location at the very origin with no source is one that was never set. */
function locationOf(location: Location | undefined): Pick<LnsGatewayItem, 'location' | 'locationSource'> {
  if (!location) return { location: null, locationSource: 'unknown' }
  const [lat, lng, alt] = [location.getLatitude(), location.getLongitude(), location.getAltitude()]
  const locationSource = LOCATION_SOURCE.word(location.getSource())
  if (lat === 0 && lng === 0 && alt === 0 && locationSource === 'unknown') return { location: null, locationSource }
  return { location: { lat, lng, alt }, locationSource }
}

export function gatewayItemOf(item: InstanceType<typeof pb.GatewayListItem>): LnsGatewayItem {
  const properties = Object.fromEntries(item.getPropertiesMap().toArray()) as Record<string, string>
  return {
    gatewayId: item.getGatewayId().toLowerCase(),
    name: item.getName(),
    description: item.getDescription(),
    ...locationOf(item.getLocation()),
    downlinkPriority: item.getDownlinkPriority(),
    regionConfigId: properties.region_config_id ?? null,
    state: GATEWAY_STATE.word(item.getState()),
    lastSeenAt: timeOf(item.getLastSeenAt()),
    createdAt: timeIn(item.getCreatedAt()),
    updatedAt: timeIn(item.getUpdatedAt()),
  }
}

export function gatewayOf(reply: InstanceType<typeof pb.GetGatewayResponse>, message: Message): LnsGateway {
  return {
    gatewayId: message.getGatewayId().toLowerCase(),
    name: message.getName(),
    description: message.getDescription(),
    ...locationOf(message.getLocation()),
    statsInterval: message.getStatsInterval(),
    downlinkPriority: message.getDownlinkPriority(),
    tags: Object.fromEntries(message.getTagsMap().toArray()),
    metadata: Object.fromEntries(message.getMetadataMap().toArray()),
    lastSeenAt: timeOf(reply.getLastSeenAt()),
    createdAt: timeIn(reply.getCreatedAt()),
    updatedAt: timeIn(reply.getUpdatedAt()),
  }
}

/** Writes what people change into a message; the rest of it stays. */
export function writeGateway(message: Message, fields: LnsGatewayFields): void {
  message.setName(fields.name)
  message.setDescription(fields.description)
  message.setStatsInterval(fields.statsInterval)
  message.setDownlinkPriority(fields.downlinkPriority)
  message.clearTagsMap()
  for (const [key, value] of Object.entries(fields.tags)) message.getTagsMap().set(key, value)
  const location = new common.Location()
  if (fields.location) {
    const before = locationOf(message.getLocation())
    const same =
      before.location?.lat === fields.location.lat &&
      before.location.lng === fields.location.lng &&
      before.location.alt === fields.location.alt
    location.setLatitude(fields.location.lat)
    location.setLongitude(fields.location.lng)
    location.setAltitude(fields.location.alt)
    location.setSource((same ? message.getLocation()!.getSource() : LOCATION_SOURCE.number('config')) as never)
  }
  message.setLocation(location)
}

type Metric = InstanceType<typeof common.Metric>

export function metricsOf(reply: InstanceType<typeof pb.GetGatewayMetricsResponse>): LoraMetric[] {
  const found: [LoraMetric['metric'], Metric | undefined][] = [
    ['rxPackets', reply.getRxPackets()],
    ['txPackets', reply.getTxPackets()],
    ['rxPerFrequency', reply.getRxPacketsPerFreq()],
    ['txPerFrequency', reply.getTxPacketsPerFreq()],
    ['rxPerDataRate', reply.getRxPacketsPerDr()],
    ['txPerDataRate', reply.getTxPacketsPerDr()],
    ['txPerStatus', reply.getTxPacketsPerStatus()],
  ]
  return found.map(([metric, value]) => ({
    metric,
    times: value?.getTimestampsList().map(stamp => timeOf(stamp)!) ?? [],
    series: value?.getDatasetsList().map(set => ({ label: set.getLabel(), values: set.getDataList() })) ?? [],
  }))
}
