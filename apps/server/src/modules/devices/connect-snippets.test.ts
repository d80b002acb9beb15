import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { examplePayload, snippetsFor } from './connect-snippets.ts'
import { type ConnectFacts, connectWays } from './connect-ways.ts'

const FACTS: ConnectFacts = {
  host: 'iot.example',
  mqttPort: 1883,
  mqttsPort: 8883,
  tcpPort: 6001,
  udpPort: 6002,
  coapPort: 5683,
  wsUrl: 'ws://iot.example:8080/mqtt',
  httpUrl: 'http://iot.example:8080/device/v1/K/D-1',
  productKey: 'K',
  deviceNo: 'D-1',
  secret: 'DEVICE_SECRET',
  payload: `{"note":"100% it's \\\\ ok"}`,
  frame: `{"note":"100% it's \\\\ ok"}`,
}
const codeFor = (link: string, over = {}) => snippetsFor(link, connectWays(link, { ...FACTS, ...over }))
const titles = (link: string, over = {}) => codeFor(link, over).map(({ title }) => title)
/** What a shell makes of the words of a command. */
const words = (command: string) =>
  execFileSync('sh', ['-c', `for word in ${command}; do printf '%s\\n' "$word"; done`], { encoding: 'utf8' }).split(
    '\n',
  )

describe('snippets to connect', () => {
  it('fit the link, and are none where nobody listens', () => {
    expect(titles('mqtt')).toEqual(['mosquitto', 'Node.js', 'Python', 'curl'])
    expect(titles('http')).toEqual(['curl'])
    expect(titles('tcp')).toEqual(['nc', 'Python'])
    expect(titles('udp')).toEqual(['Python'])
    expect(titles('modbus_rtu')).toEqual(['DTU'])
    expect(titles('coap')).toEqual(['coap-client'])
    expect(titles('websocket')).toEqual(['Node.js'])
    expect(titles('tcp', { tcpPort: null })).toEqual([])
    expect(titles('video')).toEqual([])
  })

  it('hold the secret’s place and nothing that a shell takes otherwise', () => {
    for (const link of ['mqtt', 'http', 'tcp', 'udp', 'modbus_tcp', 'coap', 'websocket'] as const)
      for (const { text, title } of codeFor(link)) expect(text, title).toContain('DEVICE_SECRET')
    const [mosquitto] = codeFor('mqtt')
    const [curl] = codeFor('http')
    for (const snippet of [mosquitto!, curl!])
      expect(words(snippet.text.replaceAll('\\\n', ' ')), snippet.title).toContain(FACTS.payload)
  })

  it('name a host of IPv6 with brackets in URLs, and without them where a host alone is wanted', () => {
    const six = { host: '::1', wsUrl: 'ws://[::1]:8080/mqtt', httpUrl: 'http://[::1]:8080/device/v1/K/D-1' }
    const ways = connectWays('mqtt', { ...FACTS, ...six })
    const urls = ways.flatMap(way => way.addresses.map(({ url }) => url))
    for (const url of urls) expect(new URL(url.replace(/^\w+:/, 'http:')).hostname, url).toBe('[::1]')
    const text = (way: string, name: string) =>
      ways.find(each => each.way === way)!.snippets.find(each => each.name === name)!.text
    expect(text('mqtt', 'mosquitto')).toContain('-h ::1 -p 1883')
    expect(text('mqtt', 'node')).toContain('mqtt://[::1]:1883')
    expect(text('mqtt', 'python')).toContain('client.connect("::1", 1883)')
    expect(text('udp', 'node')).toContain("createSocket('udp6')")
    expect(text('tcp', 'nc')).toContain('nc ::1 6001')
    for (const { snippets } of ways) for (const snippet of snippets) expect(snippet.text).not.toContain('[[')
  })

  it('count the bytes that follow for modules, not the letters', () => {
    const ways = connectWays('mqtt', { ...FACTS, payload: '{"n":"水"}', frame: '{"n":"水"}' })
    const quectel = ways[0]!.snippets.find(({ name }) => name === 'quectel')!.text
    expect(quectel).toContain('property/post",11\n')
  })

  it('print over TCP exactly the register line and the message', () => {
    const [nc] = codeFor('tcp')
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
