import type { CompiledModel } from '@thingwright/thing-model'
import type { SessionInfo } from '../../modules/devices/gateway.port.ts'
import { dialectsOf } from '../dialects/index.ts'
import type { ProductEntry } from '../directory/product-cache.ts'
import { matches } from '../topics/topic-filter.ts'
import type { DownlinkMessage } from '../transport.port.ts'
import { waysOf } from '../transports/mqtt/sayings.ts'
import { devicePrefix } from '../transports/mqtt/topics.ts'
import type { DeviceRecord } from '../uplink.ts'

const MQTT: ReadonlySet<string> = new Set(['mqtt', 'mqtts', 'mqtt-ws'])
/** Topics named at most. */
const MOST = 20

/**
 * Where commands of a device's model would be said, and its MQTT session listens to none of the ways to say them: topics
 * below its prefix, `service/+/invoke` where no service is heard. Empty on other links.
 * @param speaker the device that holds the session: itself, or its gateway
 */
export function unheardTopics(
  device: DeviceRecord,
  speaker: { device: DeviceRecord; session: SessionInfo; product: Pick<ProductEntry, 'settings'> },
  own: { model: CompiledModel; codec: ProductEntry['codec'] },
): string[] {
  if (!MQTT.has(speaker.session.transport)) return []
  const filters = speaker.session.subscriptions.map(({ filter }) => filter)
  const dialects = dialectsOf(speaker.product.settings)
  const prefix = devicePrefix(speaker.device)
  const hears = (kind: 'property_set' | 'service', identifier: string | null, suffix: string): boolean => {
    const message: DownlinkMessage = {
      commandId: NO_COMMAND,
      suffix,
      payload: Buffer.alloc(0),
      command: { kind, identifier, params: {} },
      // What the product's format makes of a command goes as bytes to whoever listens to them.
      ...(own.codec ? { frames: [Buffer.alloc(0)] } : {}),
      ...(speaker.device === device ? {} : { sub: device }),
    }
    return waysOf(speaker.device, prefix, message, dialects).some(({ topic }) =>
      filters.some(filter => matches(filter, topic)),
    )
  }
  const { model } = own
  const writable = model.model.properties.some(({ access }) => access !== 'r')
  const services = [...model.services.keys()]
  const deaf = services.filter(identifier => !hears('service', identifier, `service/${identifier}/invoke`))
  return [
    ...(writable && !hears('property_set', null, 'property/set') ? ['property/set'] : []),
    ...(deaf.length > 0 && deaf.length === services.length
      ? ['service/+/invoke']
      : deaf.slice(0, MOST).map(identifier => `service/${identifier}/invoke`)),
  ]
}

const NO_COMMAND = '00000000-0000-0000-0000-000000000000'
