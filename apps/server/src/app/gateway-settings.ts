import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { PreparedDatabase } from '../db/prepare.ts'
import type { GatewayStart } from '../ingest/channel/ipc.ts'
import type { Config } from '../lib/config.ts'
import { deriveKey } from '../lib/crypto/crypto-box.ts'

/** The settings that the process of the gateway receives at its start. */
export function gatewaySettings(
  config: Config,
  prepared: PreparedDatabase,
  dataDir: string,
  secretKey: string,
): GatewayStart {
  return {
    database: prepared.access.telemetry,
    node: 'local',
    host: config.host,
    mqtt: config.mqtt,
    mqtts: config.mqtts,
    tcp: config.tcp,
    udp: config.udp,
    coap: config.coap,
    tcpRange: config.tcpRange,
    tls: config.tls,
    keysDir: join(dataDir, 'keys'),
    dataDir,
    socketPath: join(prepared.embedded?.address.socketDir ?? dataDir, `gateway-${randomUUID().slice(0, 8)}.sock`),
    log: { level: config.logLevel, format: config.logFormat },
    deviceSecretKey: deriveKey(secretKey, 'device-secret').toString('base64'),
  }
}
