/** Ways in whose addresses and code the page shows. */
export const WAYS = ['tcp', 'udp', 'modbus', 'mqtt', 'http', 'websocket', 'coap'] as const
export type Way = (typeof WAYS)[number]

export interface WayFacts {
  host: string
  mqttPort: number
  /** Of the product's own port, else the installation's. */
  tcpPort: number
  udpPort: number
  coapPort: number
  /** Base of the devices' HTTP with the product: `http://host:8080/device/v1/{key}/{deviceNo}`. */
  base: string
  /** MQTT over WebSocket. */
  wsUrl: string
  /** `ws://host:8080/device/ws` */
  deviceWsUrl: string
  productKey: string
  /** An example frame of the product, as one line. */
  payload: string
  /** What stands for number and secret. */
  deviceNo: string
  secret: string
}

export type SnippetName =
  | 'nc'
  | 'python'
  | 'node'
  | 'c'
  | 'quectel'
  | 'usr'
  | 'mosquitto'
  | 'curl'
  | 'arduino'
  | 'wscat'
  | 'coap'

/** Code that can be had for a way in, the handiest first. */
export const SNIPPETS_OF: Readonly<Record<Way, readonly SnippetName[]>> = {
  tcp: ['nc', 'python', 'node', 'c', 'quectel', 'usr'],
  udp: ['nc', 'python', 'node', 'quectel'],
  modbus: ['usr', 'quectel', 'python'],
  mqtt: ['mosquitto', 'python', 'node', 'arduino', 'quectel'],
  http: ['curl', 'python', 'node', 'arduino'],
  websocket: ['wscat', 'node'],
  coap: ['coap', 'python'],
}

const json = (text: string) => JSON.stringify(text)

/** One argument for a shell, whatever it contains. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Code that connects a device this way and sends its first message, ready to be pasted. */
export function snippetOf(way: Way, name: SnippetName, f: WayFacts): string {
  switch (way) {
    case 'tcp':
      return tcp(name, f)
    case 'udp':
      return udp(name, f)
    case 'modbus':
      return modbus(name, f)
    case 'mqtt':
      return mqtt(name, f)
    case 'http':
      return http(name, f)
    case 'websocket':
      return name === 'wscat'
        ? `# npm install -g wscat\nwscat -c ${quoted(f.deviceWsUrl)} -H ${quoted(`Authorization: Bearer ${f.secret}`)}\n> ${f.payload}`
        : `// npm install ws\nimport { WebSocket } from 'ws'\n\nconst socket = new WebSocket(${json(f.deviceWsUrl)}, {\n  headers: { authorization: ${json(`Bearer ${f.secret}`)} },\n})\nsocket.on('open', () => socket.send(${json(f.payload)}))\nsocket.on('message', data => console.log(String(data)))\n`
    case 'coap': {
      const url = `coap://${f.host}:${f.coapPort}/device/v1/${f.productKey}/${f.deviceNo}/property?token=${f.secret}`
      return name === 'coap'
        ? `# libcoap: apt install libcoap3-bin\ncoap-client -m post -t json -e ${quoted(f.payload)} ${quoted(url)}`
        : `# pip install aiocoap\nimport asyncio\nfrom aiocoap import Context, Message, POST\n\nasync def main():\n    context = await Context.create_client_context()\n    answer = await context.request(Message(code=POST, content_format=50,\n        uri=${json(url)}, payload=${json(f.payload)}.encode())).response\n    print(answer.code)\n\nasyncio.run(main())\n`
    }
  }
}

const lineOf = (f: WayFacts) => `${f.productKey}/${f.deviceNo}/${f.secret}`

function tcp(name: SnippetName, f: WayFacts): string {
  const line = lineOf(f)
  switch (name) {
    case 'nc':
      return `(printf ${quoted(`${line}\\r\\n`)}; sleep 1; printf ${quoted(`${f.payload}\\r\\n`)}; cat) | nc ${f.host} ${f.tcpPort}`
    case 'python':
      return `import socket, time\n\ns = socket.create_connection((${json(f.host)}, ${f.tcpPort}))\ns.sendall(${json(`${line}\r\n`)}.encode())  # register packet\nwhile True:\n    s.sendall(${json(`${f.payload}\r\n`)}.encode())\n    time.sleep(10)\n`
    case 'node':
      return `import { connect } from 'node:net'\n\nconst socket = connect(${f.tcpPort}, ${json(f.host)}, () => {\n  socket.write(${json(`${line}\r\n`)}) // register packet\n  setInterval(() => socket.write(${json(`${f.payload}\r\n`)}), 10_000)\n})\nsocket.on('data', bytes => console.log(bytes.toString('hex')))\n`
    case 'c':
      return `#include <arpa/inet.h>\n#include <string.h>\n#include <sys/socket.h>\n#include <unistd.h>\n\nint main(void) {\n  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(${f.tcpPort})};\n  inet_pton(AF_INET, ${json(f.host)}, &to.sin_addr);\n  int s = socket(AF_INET, SOCK_STREAM, 0);\n  if (connect(s, (struct sockaddr *)&to, sizeof to) != 0) return 1;\n  const char *hello = ${json(`${line}\r\n`)};\n  write(s, hello, strlen(hello));\n  for (;;) {\n    const char *frame = ${json(`${f.payload}\r\n`)};\n    write(s, frame, strlen(frame));\n    sleep(10);\n  }\n}\n`
    case 'usr':
      return usr(f, 'TCPC')
    default:
      return quectel(f, 'TCP', f.tcpPort, line)
  }
}

function udp(name: SnippetName, f: WayFacts): string {
  const line = lineOf(f)
  switch (name) {
    case 'nc':
      return `(printf ${quoted(`${line}\\n`)}; sleep 1; printf ${quoted(f.payload)}; sleep 1) | nc -u -q 1 ${f.host} ${f.udpPort}`
    case 'python':
      return `import socket, time\n\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\nto = (${json(f.host)}, ${f.udpPort})\ns.sendto(${json(line)}.encode(), to)  # register packet\nwhile True:\n    s.sendto(${json(f.payload)}.encode(), to)\n    time.sleep(10)\n`
    case 'node':
      return `import { createSocket } from 'node:dgram'\n\nconst socket = createSocket('udp4')\nconst send = text => socket.send(text, ${f.udpPort}, ${json(f.host)})\nsend(${json(line)}) // register packet\nsetInterval(() => send(${json(f.payload)}), 10_000)\nsocket.on('message', bytes => console.log(bytes.toString('hex')))\n`
    default:
      return quectel(f, 'UDP', f.udpPort, line)
  }
}

function modbus(name: SnippetName, f: WayFacts): string {
  if (name === 'usr') return usr(f, 'TCPC')
  if (name === 'quectel') return quectel(f, 'TCP', f.tcpPort, lineOf(f))
  return `# A serial Modbus line behind a small computer. pip install pyserial\nimport select, serial, socket\n\nline = serial.Serial("/dev/ttyUSB0", 9600, timeout=0)\ns = socket.create_connection((${json(f.host)}, ${f.tcpPort}))\ns.sendall(${json(`${lineOf(f)}\r\n`)}.encode())  # register packet\nwhile True:\n    ready, _, _ = select.select([s, line], [], [])\n    if s in ready:\n        line.write(s.recv(512))\n    if line in ready:\n        s.sendall(line.read(512))\n`
}

/** AT commands of Quectel modules (EC20/EC200/BC26 TCP/IP application notes: AT+QIOPEN, AT+QISEND). */
function quectel(f: WayFacts, service: 'TCP' | 'UDP', port: number, line: string): string {
  return `AT+QICSGP=1,1,"CMNET","","",1\nAT+QIACT=1\nAT+QIOPEN=1,0,"${service}","${f.host}",${port},0,1\n# +QIOPEN: 0,0\nAT+QISEND=0,${line.length + 2}\n> ${line}<CR><LF>\nAT+QISEND=0,${f.payload.length + 2}\n> ${f.payload}<CR><LF>`
}

/** AT commands of USR DTUs (USR-G770/G780 software manual: SOCKA, REGEN, REGTP, REGUSR, HEARTEN). */
function usr(f: WayFacts, kind: string): string {
  return `+++\na\nAT+WKMOD="NET"\nAT+SOCKAEN="ON"\nAT+SOCKA="${kind === 'TCPC' ? 'TCP' : kind}","${f.host}",${f.tcpPort}\nAT+REGEN="ON"\nAT+REGTP="REGUSR"\nAT+REGUSR="${lineOf(f)}\\r\\n"\nAT+REGSND="LINK"\nAT+HEARTEN="OFF"\nAT+S`
}

function mqtt(name: SnippetName, f: WayFacts): string {
  const username = `${f.productKey}/${f.deviceNo}`
  const topic = `things/${username}/property/post`
  switch (name) {
    case 'mosquitto':
      return `mosquitto_pub -h ${f.host} -p ${f.mqttPort} -q 1 \\\n  -u ${quoted(username)} -P ${quoted(f.secret)} \\\n  -t ${quoted(topic)} -m ${quoted(f.payload)}`
    case 'python':
      return `# pip install paho-mqtt\nimport paho.mqtt.client as mqtt\n\nclient = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)\nclient.username_pw_set(${json(username)}, ${json(f.secret)})\nclient.connect(${json(f.host)}, ${f.mqttPort})\nclient.loop_start()\nclient.publish(${json(topic)}, ${json(f.payload)}, qos=1).wait_for_publish()\n`
    case 'node':
      return `// npm install mqtt\nimport mqtt from 'mqtt'\n\nconst client = await mqtt.connectAsync(${json(`mqtt://${f.host}:${f.mqttPort}`)}, {\n  username: ${json(username)},\n  password: ${json(f.secret)},\n})\nawait client.publishAsync(${json(topic)}, ${json(f.payload)}, { qos: 1 })\n`
    case 'arduino':
      return `// Libraries: WiFi (ESP32), PubSubClient\n#include <WiFi.h>\n#include <PubSubClient.h>\n\nWiFiClient net;\nPubSubClient mqtt(net);\n\nvoid setup() {\n  WiFi.begin("SSID", "PASSWORD");\n  while (WiFi.status() != WL_CONNECTED) delay(200);\n  mqtt.setServer(${json(f.host)}, ${f.mqttPort});\n  mqtt.setBufferSize(1024);\n}\n\nvoid loop() {\n  if (!mqtt.connected()) mqtt.connect(${json(f.deviceNo)}, ${json(username)}, ${json(f.secret)});\n  mqtt.loop();\n  mqtt.publish(${json(topic)}, ${json(f.payload)});\n  delay(10000);\n}\n`
    default:
      return `AT+QMTOPEN=0,"${f.host}",${f.mqttPort}\n# +QMTOPEN: 0,0\nAT+QMTCONN=0,"${f.deviceNo}","${username}","${f.secret}"\n# +QMTCONN: 0,0,0\nAT+QMTPUBEX=0,1,1,0,"${topic}",${f.payload.length}\n> ${f.payload}`
  }
}

function http(name: SnippetName, f: WayFacts): string {
  const url = `${f.base}/property`
  switch (name) {
    case 'curl':
      return `curl -X POST ${quoted(url)} \\\n  -H ${quoted(`Authorization: Bearer ${f.secret}`)} \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(f.payload)}`
    case 'python':
      return `# pip install requests\nimport requests\n\nprint(requests.post(${json(url)}, data=${json(f.payload)},\n    headers={"Authorization": ${json(`Bearer ${f.secret}`)}, "Content-Type": "application/json"}).status_code)\n`
    case 'node':
      return `const answer = await fetch(${json(url)}, {\n  method: 'POST',\n  headers: { authorization: ${json(`Bearer ${f.secret}`)}, 'content-type': 'application/json' },\n  body: ${json(f.payload)},\n})\nconsole.log(answer.status)\n`
    default:
      return `// Libraries: WiFi, HTTPClient (ESP32)\n#include <WiFi.h>\n#include <HTTPClient.h>\n\nvoid setup() {\n  WiFi.begin("SSID", "PASSWORD");\n  while (WiFi.status() != WL_CONNECTED) delay(200);\n}\n\nvoid loop() {\n  HTTPClient http;\n  http.begin(${json(url)});\n  http.addHeader("Authorization", ${json(`Bearer ${f.secret}`)});\n  http.addHeader("Content-Type", "application/json");\n  http.POST(${json(f.payload)});\n  http.end();\n  delay(10000);\n}\n`
  }
}
