import type { ResponseOf } from '@thingwright/contracts'
import type { devicesContract } from '@thingwright/contracts/devices.contract'
import type { LinkType } from '@thingwright/contracts/products.contract'
import type { ThingModel } from '@thingwright/thing-model'
import type { Static } from 'typebox'

/** Code that sends the first message of a device, ready to be pasted; the secret is a word to be replaced. */

export interface ConnectFacts
  extends Pick<
    ResponseOf<(typeof devicesContract)['access']>,
    'host' | 'mqttPort' | 'tcpPort' | 'udpPort' | 'coapPort' | 'wsUrl' | 'httpUrl'
  > {
  productKey: string
  deviceNo: string
  /** The words that stand where the secret belongs. */
  secret: string
  /** JSON of the example message. */
  payload: string
}

export interface Snippet {
  title: string
  language: string
  text: string
}

/** One argument for a shell, whatever it contains. */
function shell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

// JSON strings are literals of both languages.
const literal = (text: string) => JSON.stringify(text)

function mosquitto(f: ConnectFacts): Snippet {
  const prefix = `things/${f.productKey}/${f.deviceNo}/`
  const options = `-h ${shell(f.host)} -p ${f.mqttPort} -q 1 -u ${shell(`${f.productKey}/${f.deviceNo}`)} -P ${shell(f.secret)}`
  return {
    title: 'mosquitto',
    language: 'sh',
    text: `mosquitto_pub ${options} \\\n  -t ${shell(`${prefix}property/post`)} -m ${shell(f.payload)}`,
  }
}

function curl(f: ConnectFacts): Snippet {
  return {
    title: 'curl',
    language: 'sh',
    text: [
      `curl -X POST ${shell(`${f.httpUrl}/property`)} \\`,
      `  -H ${shell(`Authorization: Bearer ${f.secret}`)} \\`,
      `  -H 'Content-Type: application/json' \\`,
      `  -d ${shell(f.payload)}`,
    ].join('\n'),
  }
}

function node(f: ConnectFacts): Snippet {
  const prefix = `things/${f.productKey}/${f.deviceNo}/`
  return {
    title: 'Node.js',
    language: 'js',
    text: `// npm install mqtt
import mqtt from 'mqtt'

const PREFIX = ${literal(prefix)}
const client = mqtt.connect(${literal(`mqtt://${f.host}:${f.mqttPort}`)}, {
  username: ${literal(`${f.productKey}/${f.deviceNo}`)},
  password: ${literal(f.secret)},
})

client.on('connect', () => {
  client.subscribe(PREFIX + 'property/set', { qos: 1 })
  client.publish(PREFIX + 'property/post', ${literal(f.payload)}, { qos: 1 })
})

client.on('message', (topic, message) => {
  const { id, params } = JSON.parse(message.toString())
  console.log('set', params)
  client.publish(PREFIX + 'property/set_reply', JSON.stringify({ id, code: 0 }), { qos: 1 })
})`,
  }
}

function python(f: ConnectFacts): Snippet {
  const prefix = `things/${f.productKey}/${f.deviceNo}/`
  return {
    title: 'Python',
    language: 'python',
    text: `# pip install paho-mqtt
import json
import paho.mqtt.client as mqtt

PREFIX = ${literal(prefix)}

def on_connect(client, userdata, flags, reason_code, properties):
    client.subscribe(PREFIX + "property/set", qos=1)
    client.publish(PREFIX + "property/post", ${literal(f.payload)}, qos=1)

def on_message(client, userdata, message):
    command = json.loads(message.payload)
    print("set", command["params"])
    client.publish(PREFIX + "property/set_reply", json.dumps({"id": command["id"], "code": 0}), qos=1)

client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
client.username_pw_set(${literal(`${f.productKey}/${f.deviceNo}`)}, ${literal(f.secret)})
client.on_connect = on_connect
client.on_message = on_message
client.connect(${literal(f.host)}, ${f.mqttPort})
client.loop_forever()`,
  }
}

/** Text for `printf` of a shell between single quotes: `%` and `\` mean themselves. */
const printed = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll('%', '%%').replaceAll("'", `'\\''`)}`

function tcp(f: ConnectFacts): Snippet {
  const register = printed(`${f.productKey}/${f.deviceNo}/${f.secret}`)
  return {
    title: 'TCP (nc)',
    language: 'sh',
    text: `(printf ${register}\\r\\n'; sleep 1; printf ${printed(f.payload)}\\r\\n'; cat) | nc ${shell(f.host)} ${f.tcpPort}`,
  }
}

function tcpPython(f: ConnectFacts): Snippet {
  return {
    title: 'TCP (Python)',
    language: 'python',
    text: `import socket

link = socket.create_connection((${literal(f.host)}, ${f.tcpPort}))
link.sendall(${literal(`${f.productKey}/${f.deviceNo}/${f.secret}\r\n`)}.encode())
link.sendall(${literal(`${f.payload}\r\n`)}.encode())
while data := link.recv(4096):
    print(data)`,
  }
}

function udp(f: ConnectFacts): Snippet {
  return {
    title: 'UDP (Python)',
    language: 'python',
    text: `import socket

link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
platform = (${literal(f.host)}, ${f.udpPort})
link.sendto(${literal(`${f.productKey}/${f.deviceNo}/${f.secret}\r\n`)}.encode(), platform)
link.sendto(${literal(`${f.payload}\r\n`)}.encode(), platform)
print(link.recv(4096))`,
  }
}

/** What a DTU sends when it connects; afterwards it answers the platform's questions. */
function modbus(f: ConnectFacts): Snippet {
  return {
    title: 'DTU',
    language: 'text',
    text: `TCP client  ${f.host}:${f.tcpPort}\nRegister packet (text, once per connection)  ${f.productKey}/${f.deviceNo}/${f.secret}\\r\\n`,
  }
}

function coap(f: ConnectFacts): Snippet {
  const path = `/device/v1/${encodeURIComponent(f.productKey)}/${encodeURIComponent(f.deviceNo)}/property`
  const address = `coap://${f.host}:${f.coapPort}${path}?token=${f.secret}`
  return {
    title: 'coap-client',
    language: 'sh',
    text: `coap-client -m post -t json -e ${shell(f.payload)} ${shell(address)}`,
  }
}

function webSocket(f: ConnectFacts): Snippet {
  return {
    title: 'Node.js (WebSocket)',
    language: 'js',
    text: `const socket = new WebSocket(${literal(f.wsUrl.replace(/\/mqtt$/, '/device/ws'))})

socket.onopen = () => {
  socket.send(JSON.stringify({ username: ${literal(`${f.productKey}/${f.deviceNo}`)}, password: ${literal(f.secret)} }))
  socket.send(JSON.stringify({ id: 1, topic: 'property/post', payload: ${f.payload} }))
}
socket.onmessage = ({ data }) => console.log(data)`,
  }
}

/** The snippets that fit the product's link; empty where this installation does not listen for it. */
export function snippetsFor(linkType: Static<typeof LinkType>, f: ConnectFacts): Snippet[] {
  switch (linkType) {
    case 'mqtt':
      return [mosquitto(f), node(f), python(f), curl(f)]
    case 'http':
      return [curl(f)]
    case 'tcp':
      return f.tcpPort === null ? [] : [tcp(f), tcpPython(f)]
    case 'udp':
      return f.udpPort === null ? [] : [udp(f)]
    case 'modbus_rtu':
    case 'modbus_tcp':
      return f.tcpPort === null ? [] : [modbus(f)]
    case 'coap':
      return f.coapPort === null ? [] : [coap(f)]
    case 'websocket':
      return [webSocket(f)]
    default:
      return []
  }
}

/** A first message: up to two simple properties of the model. */
export function examplePayload(model: ThingModel): string {
  const values: Record<string, unknown> = {}
  for (const { identifier, access, dataType } of model.properties) {
    if (access === 'w' || Object.keys(values).length >= 2) continue
    if (dataType.type === 'bool') values[identifier] = true
    else if (dataType.type === 'string') values[identifier] = 'ok'.slice(0, dataType.maxLength)
    else if (dataType.type === 'enum' && dataType.items[0]) values[identifier] = dataType.items[0].value
    else if (dataType.type === 'int32') values[identifier] = Math.round(within(dataType, 42))
    else if (dataType.type === 'float' || dataType.type === 'double') values[identifier] = within(dataType, 21.5)
  }
  return JSON.stringify(Object.keys(values).length > 0 ? values : { temperature: 21.5 })
}

/** The usual number where it is allowed, else one that is. */
function within({ min = -Infinity, max = Infinity }: { min?: number; max?: number }, usual: number): number {
  return Math.min(Math.max(usual, min), max)
}
