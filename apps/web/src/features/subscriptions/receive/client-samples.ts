import type { SubscriptionTargetKind } from '@thingwright/contracts/subscriptions.contract'

/** What a client has to know; everything of it may be seen by whoever may see the subscription. */
export interface ClientFacts {
  subscriptionId: string
  /** `https://iot.example.com`, without a slash at the end. */
  origin: string
  host: string
  mqttPort: number
  username: string
  subject: string
  natsUrl: string
  brokers: string
  topic: string
}

export interface ClientSample {
  /** Name of a tool or language: the same everywhere. */
  name: string
  code: string
}

/** Clients that take the items of a target that is no webhook. Keys and passwords come from the environment. */
export function clientSamples(kind: SubscriptionTargetKind, facts: ClientFacts): ClientSample[] {
  switch (kind) {
    case 'mqtt':
      return mqttSamples(facts)
    case 'websocket':
      return streamSamples(facts)
    case 'pull':
      return pullSamples(facts)
    case 'nats':
      return natsSamples(facts)
    case 'kafka':
      return kafkaSamples(facts)
    case 'webhook':
      return []
  }
}

/** A host as it stands in a URL. */
const urlHost = (host: string) => (host.includes(':') ? `[${host}]` : host)

function mqttSamples({ host, mqttPort, username, subscriptionId: id }: ClientFacts): ClientSample[] {
  return [
    {
      name: 'mosquitto_sub',
      code: `mosquitto_sub -h ${host} -p ${mqttPort} -u ${username} -P "$SUBSCRIPTION_PASSWORD" \\
  -i erp -q 1 -t 'subscriptions/${id}/#' -v
`,
    },
    {
      name: 'Node.js',
      code: `import { connect } from 'mqtt' // npm install mqtt

const client = connect('mqtt://${urlHost(host)}:${mqttPort}', {
  username: '${username}',
  password: process.env.SUBSCRIPTION_PASSWORD,
})
client.on('connect', () => client.subscribe('subscriptions/${id}/#', { qos: 1 }))
// The acknowledgement goes out once this returns: an item that was not acknowledged comes again.
client.on('message', (topic, payload) => console.log(topic, payload.toString()))
`,
    },
    {
      name: 'Python',
      code: `import os
import paho.mqtt.client as mqtt  # pip install paho-mqtt

client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
client.username_pw_set("${username}", os.environ["SUBSCRIPTION_PASSWORD"])
client.on_connect = lambda c, *_: c.subscribe("subscriptions/${id}/#", qos=1)
client.on_message = lambda c, u, message: print(message.topic, message.payload.decode())
client.connect("${host}", ${mqttPort})
client.loop_forever()
`,
    },
  ]
}

function streamSamples({ origin, subscriptionId: id }: ClientFacts): ClientSample[] {
  const url = `${origin.replace(/^http/, 'ws')}/api/v1/subscriptions/${id}/stream`
  return [
    {
      name: 'Node.js',
      code: `import { WebSocket } from 'ws' // npm install ws

function listen() {
  const socket = new WebSocket('${url}')
  socket.on('open', () => socket.send(JSON.stringify({ op: 'auth', token: process.env.API_KEY })))
  socket.on('message', text => {
    const message = JSON.parse(text)
    if (message.op !== 'items') return
    for (const item of message.items) console.log(item.type, item.deviceNo, item.data)
    // Once they are safe; what was not acknowledged comes again.
    socket.send(JSON.stringify({ op: 'ack', cursor: message.cursor }))
  })
  socket.on('error', console.error)
  socket.on('close', () => setTimeout(listen, 2000))
}
listen()
`,
    },
    {
      name: 'Python',
      code: `import asyncio, json, os
import websockets  # pip install websockets

async def main():
    async for socket in websockets.connect("${url}"):
        try:
            await socket.send(json.dumps({"op": "auth", "token": os.environ["API_KEY"]}))
            async for text in socket:
                message = json.loads(text)
                if message["op"] != "items":
                    continue
                for item in message["items"]:
                    print(item["type"], item["deviceNo"], item["data"])
                # Once they are safe; what was not acknowledged comes again.
                await socket.send(json.dumps({"op": "ack", "cursor": message["cursor"]}))
        except websockets.ConnectionClosed:
            await asyncio.sleep(2)

asyncio.run(main())
`,
    },
  ]
}

function pullSamples({ origin, subscriptionId: id }: ClientFacts): ClientSample[] {
  const url = `${origin}/api/v1/subscriptions/${id}`
  return [
    {
      name: 'curl',
      code: `# What waits, waiting up to 30 seconds for something to come
curl -s -H "Authorization: Bearer $API_KEY" '${url}/items?limit=100&wait=30'

# Everything up to this cursor is safe
curl -s -H "Authorization: Bearer $API_KEY" -H 'Content-Type: application/json' \\
  -d '{"cursor": 100}' '${url}/acknowledge'
`,
    },
    {
      name: 'Node.js',
      code: `const url = '${url}'
const headers = { authorization: \`Bearer \${process.env.API_KEY}\`, 'content-type': 'application/json' }

for (;;) {
  const reply = await fetch(\`\${url}/items?limit=100&wait=30\`, { headers })
  if (!reply.ok) throw new Error(\`\${reply.status} \${await reply.text()}\`)
  const { items, cursor } = await reply.json()
  for (const item of items) console.log(item.type, item.deviceNo, item.data)
  // Once they are safe; what was not acknowledged comes again.
  if (items.length > 0)
    await fetch(\`\${url}/acknowledge\`, { method: 'POST', headers, body: JSON.stringify({ cursor }) })
}
`,
    },
    {
      name: 'Python',
      code: `import json, os, urllib.request

URL = "${url}"
HEADERS = {"Authorization": f"Bearer {os.environ['API_KEY']}", "Content-Type": "application/json"}

def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(URL + path, data, HEADERS), timeout=60) as reply:
        return json.load(reply)

while True:
    page = call("/items?limit=100&wait=30")
    for item in page["items"]:
        print(item["type"], item["deviceNo"], item["data"], flush=True)
    # Once they are safe; what was not acknowledged comes again.
    if page["items"]:
        call("/acknowledge", {"cursor": page["cursor"]})
`,
    },
  ]
}

function natsSamples({ natsUrl, subject }: ClientFacts): ClientSample[] {
  // The parts of the subject that stand for an item's facts are any token to a subscriber.
  const filter = subject.replace(/[^.]*\{[^}]*\}[^.]*/g, '*')
  return [
    { name: 'nats', code: `nats sub '${filter}' --server ${natsUrl}\n` },
    {
      name: 'Node.js',
      code: `import { connect } from '@nats-io/transport-node' // npm install @nats-io/transport-node

const connection = await connect({ servers: '${natsUrl}' })
for await (const message of connection.subscribe('${filter}'))
  console.log(message.subject, message.headers?.get('Nats-Msg-Id'), message.json())
`,
    },
    {
      name: 'Python',
      code: `import asyncio
import nats  # pip install nats-py

async def main():
    connection = await nats.connect("${natsUrl}")
    subscription = await connection.subscribe("${filter}")
    async for message in subscription.messages:
        print(message.subject, (message.headers or {}).get("Nats-Msg-Id"), message.data.decode())

asyncio.run(main())
`,
    },
  ]
}

function kafkaSamples({ brokers, topic }: ClientFacts): ClientSample[] {
  return [
    { name: 'kcat', code: `kcat -b ${brokers} -G erp ${topic} -f '%k %h %s\\n'\n` },
    {
      name: 'Java',
      code: `// org.apache.kafka:kafka-clients
var settings = new Properties();
settings.put("bootstrap.servers", "${brokers}");
settings.put("group.id", "erp");
settings.put("key.deserializer", StringDeserializer.class.getName());
settings.put("value.deserializer", StringDeserializer.class.getName());
try (var consumer = new KafkaConsumer<String, String>(settings)) {
  consumer.subscribe(List.of("${topic}"));
  while (true)
    for (var record : consumer.poll(Duration.ofSeconds(1))) // one device, one partition: in order
      System.out.println(record.key() + " " + record.value());
}
`,
    },
    {
      name: 'Python',
      code: `from kafka import KafkaConsumer  # pip install kafka-python

for record in KafkaConsumer("${topic}", bootstrap_servers="${brokers}".split(","), group_id="erp"):
    print(record.key.decode(), dict(record.headers)["id"].decode(), record.value.decode())
`,
    },
  ]
}
