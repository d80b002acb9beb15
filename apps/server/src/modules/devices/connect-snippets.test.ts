import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { type ConnectFacts, examplePayload, snippetsFor } from './connect-snippets.ts'

const FACTS: ConnectFacts = {
  host: 'iot.example',
  mqttPort: 1883,
  tcpPort: 6001,
  udpPort: 6002,
  coapPort: 5683,
  wsUrl: 'ws://iot.example:8080/mqtt',
  httpUrl: 'http://iot.example:8080/device/v1/K/D-1',
  productKey: 'K',
  deviceNo: 'D-1',
  secret: 'DEVICE_SECRET',
  payload: `{"note":"100% it's \\\\ ok"}`,
}
const titles = (link: Parameters<typeof snippetsFor>[0], over = {}) =>
  snippetsFor(link, { ...FACTS, ...over }).map(({ title }) => title)
/** What a shell makes of the words of a command. */
const words = (command: string) =>
  execFileSync('sh', ['-c', `for word in ${command}; do printf '%s\\n' "$word"; done`], { encoding: 'utf8' }).split(
    '\n',
  )

describe('snippets to connect', () => {
  it('fit the link, and are none where nobody listens', () => {
    expect(titles('mqtt')).toEqual(['mosquitto', 'Node.js', 'Python', 'curl'])
    expect(titles('http')).toEqual(['curl'])
    expect(titles('tcp')).toEqual(['TCP (nc)', 'TCP (Python)'])
    expect(titles('udp')).toEqual(['UDP (Python)'])
    expect(titles('modbus_rtu')).toEqual(['DTU'])
    expect(titles('coap')).toEqual(['coap-client'])
    expect(titles('websocket')).toEqual(['Node.js (WebSocket)'])
    expect(titles('tcp', { tcpPort: null })).toEqual([])
    expect(titles('video')).toEqual([])
  })

  it('hold the secret’s place and nothing that a shell takes otherwise', () => {
    for (const link of ['mqtt', 'http', 'tcp', 'udp', 'modbus_tcp', 'coap', 'websocket'] as const)
      for (const { text, title } of snippetsFor(link, FACTS)) expect(text, title).toContain('DEVICE_SECRET')
    const [mosquitto] = snippetsFor('mqtt', FACTS)
    const [curl] = snippetsFor('http', FACTS)
    for (const snippet of [mosquitto!, curl!])
      expect(words(snippet.text.replaceAll('\\\n', ' ')), snippet.title).toContain(FACTS.payload)
  })

  it('print over TCP exactly the register line and the message', () => {
    const [nc] = snippetsFor('tcp', FACTS)
    const printing = nc!.text
      .replace('sleep 1; ', '')
      .replace('; cat)', ')')
      .replace(/ \| nc .*/, '')
    expect(execFileSync('sh', ['-c', printing], { encoding: 'utf8' })).toBe(
      `K/D-1/DEVICE_SECRET\r\n${FACTS.payload}\r\n`,
    )
  })
})

it('an example message keeps to the model', () => {
  const property = (identifier: string, dataType: object, access = 'r') => ({
    identifier,
    name: identifier,
    dataType,
    access,
  })
  const model = (properties: object[]) => ({ properties, events: [], services: [] }) as never
  expect(JSON.parse(examplePayload(model([])))).toEqual({ temperature: 21.5 })
  expect(
    JSON.parse(
      examplePayload(
        model([
          property('pin', { type: 'string' }, 'w'),
          property('low', { type: 'double', max: -10 }),
          property('on', { type: 'bool' }),
          property('third', { type: 'int32' }),
        ]),
      ),
    ),
  ).toEqual({ low: -10, on: true })
})
