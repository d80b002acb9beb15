export interface ConnectFacts {
  host: string
  mqttPort: number
  /** Base of the devices' HTTP interface: `http://host:8080/device`. */
  httpUrl: string
  username: string
  /** `things/{productKey}/{deviceNo}/` */
  topicPrefix: string
  /** The secret, or the words that stand in its place. */
  secret: string
  /** Body of the example message. */
  payload: string
  productKey: string
  deviceNo: string
}

export const SNIPPETS = ['mosquitto', 'curl', 'node', 'python', 'arduino'] as const
export type SnippetName = (typeof SNIPPETS)[number]

/** One argument for a shell, whatever it contains. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

const js = (text: string) => JSON.stringify(text)
/** A Python literal: JSON strings are valid Python. */
const py = (text: string) => JSON.stringify(text)
const c = (text: string) => JSON.stringify(text)

/** Code that sends the first message of a device, ready to be pasted. */
export function snippet(name: SnippetName, f: ConnectFacts): string {
  const topic = `${f.topicPrefix}property/post`
  const property = `${f.httpUrl.replace(/\/$/, '')}/v1/${encodeURIComponent(f.productKey)}/${encodeURIComponent(f.deviceNo)}/property`
  switch (name) {
    case 'mosquitto':
      return [
        `mosquitto_pub -h ${shellQuote(f.host)} -p ${f.mqttPort} -q 1 \\`,
        `  -u ${shellQuote(f.username)} -P ${shellQuote(f.secret)} \\`,
        `  -t ${shellQuote(topic)} \\`,
        `  -m ${shellQuote(f.payload)}`,
      ].join('\n')
    case 'curl':
      return [
        `curl -X POST ${shellQuote(property)} \\`,
        `  -H ${shellQuote(`Authorization: Bearer ${f.secret}`)} \\`,
        `  -H ${shellQuote('Content-Type: application/json')} \\`,
        `  -d ${shellQuote(f.payload)}`,
      ].join('\n')
    case 'node':
      return `// npm install mqtt
import mqtt from 'mqtt'

const client = mqtt.connect(${js(`mqtt://${f.host}:${f.mqttPort}`)}, {
  username: ${js(f.username)},
  password: ${js(f.secret)},
})

client.on('connect', () => {
  client.subscribe(${js(`${f.topicPrefix}property/set`)}, { qos: 1 })
  client.publish(${js(topic)}, ${js(f.payload)}, { qos: 1 })
})

client.on('message', (topic, message) => {
  const { id, params } = JSON.parse(message.toString())
  console.log('set', params)
  client.publish(${js(`${f.topicPrefix}property/set_reply`)}, JSON.stringify({ id, code: 0 }), { qos: 1 })
})
`
    case 'python':
      return `# pip install paho-mqtt
import json
import paho.mqtt.client as mqtt

PREFIX = ${py(f.topicPrefix)}

def on_connect(client, userdata, flags, reason_code, properties):
    client.subscribe(PREFIX + "property/set", qos=1)
    client.publish(PREFIX + "property/post", ${py(f.payload)}, qos=1)

def on_message(client, userdata, message):
    command = json.loads(message.payload)
    print("set", command["params"])
    client.publish(PREFIX + "property/set_reply", json.dumps({"id": command["id"], "code": 0}), qos=1)

client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
client.username_pw_set(${py(f.username)}, ${py(f.secret)})
client.on_connect = on_connect
client.on_message = on_message
client.connect(${py(f.host)}, ${f.mqttPort})
client.loop_forever()
`
    case 'arduino':
      return `// Libraries: PubSubClient, WiFi (ESP32)
#include <WiFi.h>
#include <PubSubClient.h>

WiFiClient net;
PubSubClient mqtt(net);
const char* PREFIX = ${c(f.topicPrefix)};

void setup() {
  WiFi.begin("SSID", "PASSWORD");
  while (WiFi.status() != WL_CONNECTED) delay(200);
  mqtt.setServer(${c(f.host)}, ${f.mqttPort});
  mqtt.setBufferSize(1024);
}

void loop() {
  if (!mqtt.connected()) {
    mqtt.connect(${c(f.deviceNo)}, ${c(f.username)}, ${c(f.secret)});
    mqtt.subscribe((String(PREFIX) + "property/set").c_str(), 1);
  }
  mqtt.loop();
  static unsigned long last = 0;
  if (millis() - last > 10000) {
    last = millis();
    mqtt.publish((String(PREFIX) + "property/post").c_str(), ${c(f.payload)});
  }
}
`
  }
}
