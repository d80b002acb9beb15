import type { ConnectSnippetName, ConnectWay, ConnectWayName } from '@thingwright/contracts/connect-schemas'
import { arduinoHttp, arduinoMqtt, cTcp, quectelMqtt, quectelSocket, usrDtu } from './connect-modules.ts'
import { printf, quoted, shell } from './connect-quoting.ts'

/** The one place where code to connect a device is made: console, assistant and tests show what it gives. */

/** Everything that the code is made of. */
export interface ConnectFacts {
  /** A name or an address, without brackets. */
  host: string
  mqttPort: number
  mqttsPort: number | null
  /** Of the product's own port, else the installation's; null: nobody listens. */
  tcpPort: number | null
  udpPort: number | null
  coapPort: number | null
  /** MQTT over WebSocket. */
  wsUrl: string
  /** Base of the device's HTTP addresses: `http://host:8080/device/v1/{productKey}/{deviceNo}`. */
  httpUrl: string
  productKey: string
  deviceNo: string
  /** The word that stands where the secret belongs. */
  secret: string
  /** The example message as JSON, and as it crosses a raw link. */
  payload: string
  frame: string
}

/** A host as it stands in a URL. */
export const urlHost = (host: string) => (host.includes(':') ? `[${host}]` : host)
export const usernameOf = (f: ConnectFacts) => `${f.productKey}/${f.deviceNo}`
export const registerOf = (f: ConnectFacts) => `${usernameOf(f)}/${f.secret}`
const propertyTopic = (f: ConnectFacts) => `things/${usernameOf(f)}/property/post`
const deviceSocket = (f: ConnectFacts) => f.wsUrl.replace(/\/mqtt$/, '/device/ws')
const coapUrl = (f: ConnectFacts, query: string) =>
  `coap://${urlHost(f.host)}:${f.coapPort}/device/v1/${encodeURIComponent(f.productKey)}/${encodeURIComponent(f.deviceNo)}/property${query}`

type Writers = Partial<Record<ConnectSnippetName, (f: ConnectFacts) => string>>

const TCP: Writers = {
  nc: f =>
    `(printf ${printf(registerOf(f), '\\r\\n')}; sleep 1; printf ${printf(f.frame, '\\r\\n')}; cat) | nc ${shell(f.host)} ${f.tcpPort}`,
  python: f => `import socket

link = socket.create_connection((${quoted(f.host)}, ${f.tcpPort}))
link.sendall(${quoted(`${registerOf(f)}\r\n`)}.encode())
link.sendall(${quoted(`${f.frame}\r\n`)}.encode())
while data := link.recv(4096):
    print(data)
`,
  node: f => `import { connect } from 'node:net'

const socket = connect(${f.tcpPort}, ${quoted(f.host)}, () => {
  socket.write(${quoted(`${registerOf(f)}\r\n`)})
  socket.write(${quoted(`${f.frame}\r\n`)})
})
socket.on('data', bytes => console.log(bytes.toString('hex')))
`,
  c: cTcp,
  quectel: f => quectelSocket(f, 'TCP', f.tcpPort ?? 0, registerOf(f)),
  usr: usrDtu,
}

const UDP: Writers = {
  python: f => `import socket

family, kind, _, _, platform = socket.getaddrinfo(${quoted(f.host)}, ${f.udpPort}, type=socket.SOCK_DGRAM)[0]
link = socket.socket(family, kind)
link.sendto(${quoted(`${registerOf(f)}\r\n`)}.encode(), platform)
link.sendto(${quoted(`${f.frame}\r\n`)}.encode(), platform)
print(link.recv(4096))
`,
  node: f => `import { createSocket } from 'node:dgram'

const socket = createSocket('${f.host.includes(':') ? 'udp6' : 'udp4'}')
const send = text => socket.send(text, ${f.udpPort}, ${quoted(f.host)})
socket.on('message', bytes => console.log(bytes.toString('hex')))
send(${quoted(registerOf(f))})
setTimeout(() => send(${quoted(f.frame)}), 500)
`,
  nc: f =>
    `(printf ${printf(registerOf(f))}; sleep 1; printf ${printf(f.frame)}; sleep 1) | nc -u -q 1 ${shell(f.host)} ${f.udpPort}`,
  quectel: f => quectelSocket(f, 'UDP', f.udpPort ?? 0, registerOf(f)),
}

const MODBUS: Writers = {
  usr: usrDtu,
  quectel: f => quectelSocket(f, 'TCP', f.tcpPort ?? 0, registerOf(f)),
  python: f => `# A serial Modbus line behind a small computer. pip install pyserial
import select, serial, socket

line = serial.Serial("/dev/ttyUSB0", 9600, timeout=0)
link = socket.create_connection((${quoted(f.host)}, ${f.tcpPort}))
link.sendall(${quoted(`${registerOf(f)}\r\n`)}.encode())
while True:
    ready, _, _ = select.select([link, line], [], [])
    if link in ready:
        line.write(link.recv(512))
    if line in ready:
        link.sendall(line.read(512))
`,
}

const MQTT: Writers = {
  mosquitto: f =>
    [
      `mosquitto_pub -h ${shell(f.host)} -p ${f.mqttPort} -q 1 \\`,
      `  -u ${shell(usernameOf(f))} -P ${shell(f.secret)} \\`,
      `  -t ${shell(propertyTopic(f))} \\`,
      `  -m ${shell(f.payload)}`,
    ].join('\n'),
  curl,
  node: f => `// npm install mqtt
import mqtt from 'mqtt'

const PREFIX = ${quoted(`things/${usernameOf(f)}/`)}
const client = mqtt.connect(${quoted(`mqtt://${urlHost(f.host)}:${f.mqttPort}`)}, {
  username: ${quoted(usernameOf(f))},
  password: ${quoted(f.secret)},
})

client.on('connect', () => {
  client.subscribe(PREFIX + 'property/set', { qos: 1 })
  client.publish(PREFIX + 'property/post', ${quoted(f.payload)}, { qos: 1 })
})

client.on('message', (topic, message) => {
  const { id, params } = JSON.parse(message.toString())
  console.log('set', params)
  client.publish(PREFIX + 'property/set_reply', JSON.stringify({ id, code: 0 }), { qos: 1 })
})
`,
  python: f => `# pip install paho-mqtt
import json
import paho.mqtt.client as mqtt

PREFIX = ${quoted(`things/${usernameOf(f)}/`)}

def on_connect(client, userdata, flags, reason_code, properties):
    client.subscribe(PREFIX + "property/set", qos=1)
    client.publish(PREFIX + "property/post", ${quoted(f.payload)}, qos=1)

def on_message(client, userdata, message):
    command = json.loads(message.payload)
    print("set", command["params"])
    client.publish(PREFIX + "property/set_reply", json.dumps({"id": command["id"], "code": 0}), qos=1)

client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
client.username_pw_set(${quoted(usernameOf(f))}, ${quoted(f.secret)})
client.on_connect = on_connect
client.on_message = on_message
client.connect(${quoted(f.host)}, ${f.mqttPort})
client.loop_forever()
`,
  arduino: arduinoMqtt,
  quectel: quectelMqtt,
}

function curl(f: ConnectFacts): string {
  return [
    `curl -X POST ${shell(`${f.httpUrl}/property`)} \\`,
    `  -H ${shell(`Authorization: Bearer ${f.secret}`)} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${shell(f.payload)}`,
  ].join('\n')
}

const HTTP: Writers = {
  curl,
  python: f => `import urllib.request

request = urllib.request.Request(${quoted(`${f.httpUrl}/property`)}, data=${quoted(f.payload)}.encode(),
    headers={"Authorization": ${quoted(`Bearer ${f.secret}`)}, "Content-Type": "application/json"})
print(urllib.request.urlopen(request).status)
`,
  node: f => `const answer = await fetch(${quoted(`${f.httpUrl}/property`)}, {
  method: 'POST',
  headers: { authorization: ${quoted(`Bearer ${f.secret}`)}, 'content-type': 'application/json' },
  body: ${quoted(f.payload)},
})
console.log(answer.status)
`,
  arduino: arduinoHttp,
}

const WEBSOCKET: Writers = {
  wscat: f =>
    `# npm install -g wscat\nwscat -c ${shell(deviceSocket(f))} --auth ${shell(`${usernameOf(f)}:${f.secret}`)} \\\n  -x ${shell(`{"topic":"property/post","payload":${f.payload}}`)}`,
  node: f => `// npm install ws
import { WebSocket } from 'ws'

const socket = new WebSocket(${quoted(deviceSocket(f))})
socket.on('open', () => {
  socket.send(JSON.stringify({ username: ${quoted(usernameOf(f))}, password: ${quoted(f.secret)} }))
  socket.send(JSON.stringify({ id: 1, topic: 'property/post', payload: ${f.payload} }))
})
socket.on('message', data => console.log(String(data)))
`,
}

const COAP: Writers = {
  coap: f =>
    `# libcoap: apt install libcoap3-bin\ncoap-client -m post -t json -e ${shell(f.payload)} ${shell(coapUrl(f, `?token=${f.secret}`))}`,
  python: f => `# pip install aiocoap
import asyncio
from aiocoap import Context, Message, POST

async def main():
    context = await Context.create_client_context()
    answer = await context.request(Message(code=POST, content_format=50,
        uri=${quoted(coapUrl(f, `?token=${f.secret}`))}, payload=${quoted(f.payload)}.encode())).response
    print(answer.code)

asyncio.run(main())
`,
}

const WRITERS: Readonly<Record<ConnectWayName, Writers>> = {
  tcp: TCP,
  udp: UDP,
  modbus: MODBUS,
  mqtt: MQTT,
  http: HTTP,
  websocket: WEBSOCKET,
  coap: COAP,
}

const FIRST: Readonly<Record<string, ConnectWayName>> = {
  tcp: 'tcp',
  udp: 'udp',
  modbus_rtu: 'modbus',
  modbus_tcp: 'modbus',
  http: 'http',
  websocket: 'websocket',
  coap: 'coap',
}

/** The way in that belongs to a product's link. */
export const wayOf = (linkType: string): ConnectWayName => FIRST[linkType] ?? 'mqtt'

/** All ways in to this installation, that of the product's link first; Modbus only where it is that. */
export function connectWays(linkType: string, facts: ConnectFacts): ConnectWay[] {
  const first = wayOf(linkType)
  const names = Object.keys(WRITERS) as ConnectWayName[]
  return [first, ...names.filter(name => name !== first && name !== 'modbus')]
    .filter(name => listens(name, facts))
    .map(name => ({
      way: name,
      addresses: addressesOf(name, facts),
      register: name === 'tcp' || name === 'udp' || name === 'modbus' ? registerOf(facts) : null,
      snippets: Object.entries(WRITERS[name]).map(([key, write]) => ({
        name: key as ConnectSnippetName,
        text: write(facts),
      })),
    }))
}

function listens(way: ConnectWayName, f: ConnectFacts): boolean {
  switch (way) {
    case 'tcp':
    case 'modbus':
      return f.tcpPort !== null
    case 'udp':
      return f.udpPort !== null
    case 'coap':
      return f.coapPort !== null
    default:
      return true
  }
}

function addressesOf(way: ConnectWayName, f: ConnectFacts): ConnectWay['addresses'] {
  const host = urlHost(f.host)
  switch (way) {
    case 'tcp':
    case 'modbus':
      return [{ kind: 'tcp', url: `tcp://${host}:${f.tcpPort}` }]
    case 'udp':
      return [{ kind: 'udp', url: `udp://${host}:${f.udpPort}` }]
    case 'mqtt':
      return [
        { kind: 'mqtt', url: `mqtt://${host}:${f.mqttPort}` },
        ...(f.mqttsPort === null ? [] : [{ kind: 'mqtts' as const, url: `mqtts://${host}:${f.mqttsPort}` }]),
        { kind: 'mqtt_ws', url: f.wsUrl },
      ]
    case 'http':
      return [{ kind: 'http', url: f.httpUrl }]
    case 'websocket':
      return [{ kind: 'websocket', url: deviceSocket(f) }]
    case 'coap':
      return [{ kind: 'coap', url: coapUrl(f, '') }]
  }
}
