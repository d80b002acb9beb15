import { mayPublish } from '../topics/topic-rights.ts'
import type { AcceptUplink, UplinkChannel } from '../uplink.ts'

/**
 * Holds every message against the rights of the device that it speaks for, whatever transport or dialect it came by: a
 * message on a channel that the device may not use is refused and kept like one on an unknown topic.
 */
export function guardedAccept(accept: AcceptUplink): AcceptUplink {
  return (raw, done) => {
    const { device, channel } = raw
    const suffix = device.rights ? suffixOf(channel) : null
    if (suffix === null || mayPublish(device.rights, suffix)) accept(raw, done)
    else accept({ ...raw, channel: { kind: 'unknown', topic: suffix } }, done)
  }
}

/** The topic below the device's prefix that a channel stands for; null: not one that rights speak of. */
function suffixOf(channel: UplinkChannel): string | null {
  switch (channel.kind) {
    case 'property':
      return 'property/post'
    case 'raw':
      return 'raw/up'
    case 'event':
      return `event/${channel.identifier}/post`
    case 'property_set_reply':
      return 'property/set_reply'
    case 'service_reply':
      return `service/${channel.identifier}/invoke_reply`
    case 'firmware':
      return `ota/${channel.message}`
    default:
      return null
  }
}
