import pb from '@chirpstack/chirpstack-api/integration/integration_pb.js'

type Name = 'up' | 'join' | 'ack' | 'txack' | 'log' | 'status' | 'location'
type DeviceInfo = InstanceType<typeof pb.DeviceInfo>
type Fields = Record<string, unknown>

interface Stamp {
  toDate(): Date
}

/** Names of an enum's numbers, as they stand in the JSON. */
const namesOf = (numbers: object) => new Map(Object.entries(numbers).map(([name, number]) => [number, name]))
const CLASSES = ['CLASS_A', 'CLASS_B', 'CLASS_C']
const LEVELS = namesOf(pb.LogLevel)
const CODES = namesOf(pb.LogCode)
const SOURCES = [
  'UNKNOWN',
  'GPS',
  'CONFIG',
  'GEO_RESOLVER_TDOA',
  'GEO_RESOLVER_RSSI',
  'GEO_RESOLVER_GNSS',
  'GEO_RESOLVER_WIFI',
]

const head = (message: { getTime(): Stamp | undefined; getDeviceInfo(): DeviceInfo | undefined }): Fields => {
  const info = message.getDeviceInfo()
  return {
    ...(message.getTime() ? { time: message.getTime()!.toDate().toISOString() } : {}),
    ...(info
      ? {
          deviceInfo: {
            tenantId: info.getTenantId(),
            applicationId: info.getApplicationId(),
            deviceProfileId: info.getDeviceProfileId(),
            deviceName: info.getDeviceName(),
            devEui: info.getDevEui(),
            deviceClassEnabled: CLASSES[info.getDeviceClassEnabled()] ?? '',
          },
        }
      : {}),
  }
}

const READERS: Readonly<Record<Name, (bytes: Uint8Array) => Fields>> = {
  up(bytes) {
    const message = pb.UplinkEvent.deserializeBinary(bytes)
    const object = message.getObject()
    const tx = message.getTxInfo()
    return {
      ...head(message),
      devAddr: message.getDevAddr(),
      dr: message.getDr(),
      fCnt: message.getFCnt(),
      fPort: message.getFPort(),
      confirmed: message.getConfirmed(),
      data: message.getData_asB64(),
      ...(object ? { object: object.toJavaScript() } : {}),
      rxInfo: message.getRxInfoList().map(heard => ({
        gatewayId: heard.getGatewayId(),
        rssi: heard.getRssi(),
        snr: heard.getSnr(),
      })),
      ...(tx ? { txInfo: { frequency: tx.getFrequency() } } : {}),
    }
  },
  join(bytes) {
    const message = pb.JoinEvent.deserializeBinary(bytes)
    return { ...head(message), devAddr: message.getDevAddr() }
  },
  ack(bytes) {
    const message = pb.AckEvent.deserializeBinary(bytes)
    return { ...head(message), queueItemId: message.getQueueItemId(), acknowledged: message.getAcknowledged() }
  },
  txack(bytes) {
    const message = pb.TxAckEvent.deserializeBinary(bytes)
    return { ...head(message), queueItemId: message.getQueueItemId(), gatewayId: message.getGatewayId() }
  },
  log(bytes) {
    const message = pb.LogEvent.deserializeBinary(bytes)
    return {
      ...head(message),
      level: LEVELS.get(message.getLevel()) ?? '',
      code: CODES.get(message.getCode()) ?? String(message.getCode()),
      description: message.getDescription(),
      context: Object.fromEntries(message.getContextMap().toArray()),
    }
  },
  status(bytes) {
    const message = pb.StatusEvent.deserializeBinary(bytes)
    return {
      ...head(message),
      margin: message.getMargin(),
      externalPowerSource: message.getExternalPowerSource(),
      batteryLevelUnavailable: message.getBatteryLevelUnavailable(),
      batteryLevel: message.getBatteryLevel(),
    }
  },
  location(bytes) {
    const message = pb.LocationEvent.deserializeBinary(bytes)
    const at = message.getLocation()
    return {
      ...head(message),
      ...(at
        ? {
            location: {
              latitude: at.getLatitude(),
              longitude: at.getLongitude(),
              altitude: at.getAltitude(),
              source: SOURCES[at.getSource()] ?? 'UNKNOWN',
            },
          }
        : {}),
    }
  },
}

/** `{` of JSON. A message of protobuf would begin a group of field 15 with it, and `integration.proto` has none. */
const JSON_BEGINS = 0x7b

/**
 * The payload of an event's topic, in JSON or protobuf, as the JSON of `integration.proto`.
 * @throws Error when it is neither
 */
export function readEvent(name: string, payload: Uint8Array): unknown {
  if (payload[0] === JSON_BEGINS) return JSON.parse(Buffer.from(payload).toString('utf8'))
  const read = Object.hasOwn(READERS, name) ? READERS[name as Name] : null
  if (!read) throw new Error(`no event ${name}`)
  return read(payload)
}
