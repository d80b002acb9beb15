import { beforeAll, describe, expect, it } from 'vitest'
import { changeLocale, loadTexts, startI18n } from '../lib/i18n.ts'
import { registerAllTexts } from '../texts.ts'
import { connectionName, transportName } from './transport-words.ts'

/** What the gateway says of a session (`protocolVersion` of each transport), and what people read. */
const SESSIONS: [transport: string, version: string, zh: string, en: string][] = [
  ['mqtt', '3.1.1', 'MQTT 3.1.1', 'MQTT 3.1.1'],
  ['mqtts', '5.0', 'MQTT (TLS) 5.0', 'MQTT (TLS) 5.0'],
  ['mqtt-ws', '5.0', 'MQTT (WebSocket) 5.0', 'MQTT (WebSocket) 5.0'],
  ['http', '1.1', 'HTTP 1.1', 'HTTP 1.1'],
  ['tcp', 'raw', 'TCP', 'TCP'],
  ['tcp', 'modbus-rtu', 'Modbus RTU (TCP)', 'Modbus RTU (TCP)'],
  ['udp', 'raw', 'UDP', 'UDP'],
  ['coap', '', 'CoAP', 'CoAP'],
  ['websocket', '13', 'WebSocket', 'WebSocket'],
  ['lora', 'A', 'LoRaWAN（A 类）', 'LoRaWAN (class A)'],
  ['lora', '', 'LoRaWAN', 'LoRaWAN'],
  ['gateway', '', '经网关', 'Through its gateway'],
  ['platform', '', '经电信平台', 'Through the carrier’s platform'],
  ['simulator', '', '浏览器模拟', 'Simulated in the browser'],
  ['pigeon', '2', 'PIGEON 2', 'PIGEON 2'],
]

describe('the words for how a device is connected', () => {
  beforeAll(async () => {
    registerAllTexts()
    await startI18n()
  })

  it.each(['zh', 'en'] as const)('say transport and protocol (%s)', async language => {
    await changeLocale(language)
    await loadTexts('ui')
    expect(SESSIONS.map(([transport, version]) => connectionName(transport, version))).toEqual(
      SESSIONS.map(([, , zh, en]) => (language === 'zh' ? zh : en)),
    )
    expect(transportName('lora')).toBe('LoRaWAN')
  })
})
