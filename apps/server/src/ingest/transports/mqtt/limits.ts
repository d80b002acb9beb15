/** Bounds of the session layer. Every queue and every count a client can drive has one here. */
export interface MqttLimits {
  /** Bytes of one packet after sign-in, header included; announced as Maximum Packet Size. */
  maxPacketBytes: number
  /** Bytes of the CONNECT packet: nobody has signed in yet. */
  maxConnectBytes: number
  /** Bytes that all connections without sign-in may hold together in half-received packets. */
  maxUnauthenticatedBytes: number
  /** Connections without sign-in, from one address and in all. */
  maxUnauthenticatedPerAddress: number
  maxUnauthenticated: number
  /** From the first byte to a complete CONNECT. */
  connectTimeoutMs: number
  /** Messages, and bytes of messages, that one connection may have taken but not yet committed: above it is not read. */
  maxInFlight: number
  maxInFlightBytes: number
  /** Announced to MQTT 5.0 clients: unacknowledged QoS 1 plus unreleased QoS 2 publishes. */
  receiveMaximum: number
  /** Unreleased QoS 2 packet ids of a 3.1.1 client, which knows no Receive Maximum. */
  maxUnreleased: number
  topicAliasMaximum: number
  maxTopicLevels: number
  maxUserProperties: number
  maxSubscriptions: number
  /** Commands on their way to one device at QoS 1 and 2. */
  outboundWindow: number
  /** Messages kept for a client that is away or full. 0 on the device path: only the commands table queues. */
  maxQueued: number
  /** Longest session expiry, seconds; a 3.1.1 client with clean session 0 gets exactly this. */
  maxSessionExpirySeconds: number
  /** Longest keep-alive granted to a 5.0 client, seconds; 0 = any, none included. */
  maxKeepAliveSeconds: number
  /** Bytes waiting in a socket's write buffer above which its reading stops, and for how long that may last. */
  maxWriteBacklogBytes: number
  writeStallMs: number
  /** How long `stop` waits for acknowledgements, and an opening session for the commits of the one before it. */
  drainTimeoutMs: number
}

export const defaultLimits: MqttLimits = {
  maxPacketBytes: 1024 * 1024,
  maxConnectBytes: 128 * 1024,
  maxUnauthenticatedBytes: 64 * 1024 * 1024,
  maxUnauthenticatedPerAddress: 8192,
  maxUnauthenticated: 16384,
  connectTimeoutMs: 10_000,
  maxInFlight: 256,
  maxInFlightBytes: 1024 * 1024,
  receiveMaximum: 1024,
  maxUnreleased: 16384,
  topicAliasMaximum: 10,
  maxTopicLevels: 128,
  maxUserProperties: 100,
  maxSubscriptions: 100,
  outboundWindow: 32,
  maxQueued: 0,
  maxSessionExpirySeconds: 7 * 24 * 3600,
  maxKeepAliveSeconds: 1200,
  maxWriteBacklogBytes: 256 * 1024,
  writeStallMs: 5_000,
  drainTimeoutMs: 10_000,
}
