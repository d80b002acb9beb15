import { type Static, Type } from 'typebox'

/** Ways in for devices whose addresses and code are shown. */
export const ConnectWayName = Type.Union([
  Type.Literal('tcp'),
  Type.Literal('udp'),
  Type.Literal('modbus'),
  Type.Literal('mqtt'),
  Type.Literal('http'),
  Type.Literal('websocket'),
  Type.Literal('coap'),
])
export type ConnectWayName = Static<typeof ConnectWayName>

export const ConnectSnippetName = Type.Union([
  Type.Literal('nc'),
  Type.Literal('python'),
  Type.Literal('node'),
  Type.Literal('c'),
  Type.Literal('quectel'),
  Type.Literal('usr'),
  Type.Literal('mosquitto'),
  Type.Literal('curl'),
  Type.Literal('arduino'),
  Type.Literal('wscat'),
  Type.Literal('coap'),
])
export type ConnectSnippetName = Static<typeof ConnectSnippetName>

/** One way in: where it is and code that sends a first message. */
export const ConnectWay = Type.Object({
  way: ConnectWayName,
  addresses: Type.Array(
    Type.Object({
      kind: Type.Union([
        Type.Literal('mqtt'),
        Type.Literal('mqtts'),
        Type.Literal('mqtt_ws'),
        Type.Literal('http'),
        Type.Literal('websocket'),
        Type.Literal('tcp'),
        Type.Literal('udp'),
        Type.Literal('coap'),
      ]),
      url: Type.String(),
    }),
  ),
  register: Type.Union([Type.String(), Type.Null()], {
    description: 'What a device says first over TCP and UDP; null: nothing',
  }),
  snippets: Type.Array(Type.Object({ name: ConnectSnippetName, text: Type.String() })),
})
export type ConnectWay = Static<typeof ConnectWay>

/** Where devices find this installation, and code for each way in; the product's own way comes first. */
export const connectFields = {
  host: Type.String({ description: 'A name or an address, without brackets' }),
  mqttPort: Type.Integer(),
  mqttsPort: Type.Union([Type.Integer(), Type.Null()]),
  tcpPort: Type.Union([Type.Integer(), Type.Null()]),
  udpPort: Type.Union([Type.Integer(), Type.Null()]),
  coapPort: Type.Union([Type.Integer(), Type.Null()]),
  wsUrl: Type.String({ description: 'MQTT over WebSocket' }),
  httpUrl: Type.String({ description: 'Base of the device’s own HTTP addresses: …/device/v1/{productKey}/{deviceNo}' }),
  username: Type.String(),
  topicPrefix: Type.String(),
  secretPlace: Type.String({ description: 'The word that stands for the secret in the code' }),
  ways: Type.Array(ConnectWay),
}
