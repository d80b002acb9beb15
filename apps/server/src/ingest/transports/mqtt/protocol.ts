/** Words of the MQTT standards that both directions need. Numbers are those of the standards. */

export const PacketType = {
  connect: 1,
  connack: 2,
  publish: 3,
  puback: 4,
  pubrec: 5,
  pubrel: 6,
  pubcomp: 7,
  subscribe: 8,
  suback: 9,
  unsubscribe: 10,
  unsuback: 11,
  pingreq: 12,
  pingresp: 13,
  disconnect: 14,
  auth: 15,
} as const

/** MQTT 5.0 §2.4. Older clients only ever see those that have a 3.1.1 counterpart. */
export const Reason = {
  success: 0x00,
  noMatchingSubscribers: 0x10,
  noSubscriptionExisted: 0x11,
  unspecified: 0x80,
  malformed: 0x81,
  protocolError: 0x82,
  unsupportedVersion: 0x84,
  clientIdInvalid: 0x85,
  badCredentials: 0x86,
  notAuthorised: 0x87,
  serverUnavailable: 0x88,
  serverBusy: 0x89,
  serverStopping: 0x8b,
  badAuthenticationMethod: 0x8c,
  keepAliveTimeout: 0x8d,
  takenOver: 0x8e,
  topicNameInvalid: 0x90,
  receiveMaximumExceeded: 0x93,
  topicAliasInvalid: 0x94,
  packetTooLarge: 0x95,
  quotaExceeded: 0x97,
  administrative: 0x98,
  payloadInvalid: 0x99,
  retainNotSupported: 0x9a,
  sharedNotSupported: 0x9e,
} as const

/** CONNECT's protocol level: 3 = MQTT 3.1, 4 = 3.1.1, 5 = 5.0. */
export type ProtocolLevel = 3 | 4 | 5

export const versionName: Record<ProtocolLevel, string> = { 3: '3.1', 4: '3.1.1', 5: '5.0' }

/** A packet that ends its connection. `reason` is what an MQTT 5.0 client is told. */
export class Fault extends Error {
  constructor(
    readonly reason: number,
    message: string,
  ) {
    super(message)
    this.name = 'Fault'
  }
}

/** A packet of more bytes than are taken. */
export class TooLarge extends Fault {
  constructor(
    readonly size: number,
    readonly limit: number,
  ) {
    super(Reason.packetTooLarge, 'packet too large')
  }
}

/** A CONNECT that is refused; `level` says in which shape the CONNACK has to be, null = none can be sent. */
export class ConnectFault extends Fault {
  constructor(
    readonly level: ProtocolLevel | null,
    reason: number,
    message: string,
  ) {
    super(reason, message)
    this.name = 'ConnectFault'
  }
}

export const malformed = (message: string): Fault => new Fault(Reason.malformed, message)
export const protocolError = (message: string): Fault => new Fault(Reason.protocolError, message)
