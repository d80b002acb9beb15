// CPU of the MQTT session layer alone per QoS 1 message: node tools/conformance/mqtt-layer-cpu.mjs [CONNECTIONS] [RATE] [SECONDS]
// The server is a process of its own that forgets messages and acknowledges them every 10 ms; this process generates,
// one message per write, open loop.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'

const [connections, rate, seconds] = [process.argv[2] ?? 1000, process.argv[3] ?? 10_000, process.argv[4] ?? 10].map(
  Number,
)
const server = fork(
  fileURLToPath(new URL('../../apps/server/src/ingest/transports/mqtt/testing/null-gateway-main.ts', import.meta.url)),
  { execArgv: ['--import', 'tsx'] },
)
const [{ port }] = await once(server, 'message')

const u16 = n => Buffer.from([n >> 8, n & 255])
const text = s => Buffer.concat([u16(Buffer.byteLength(s)), Buffer.from(s)])
const packet = (first, ...parts) => {
  const body = Buffer.concat(parts)
  const size = body.length < 128 ? [body.length] : [(body.length & 127) | 128, body.length >> 7]
  return Buffer.concat([Buffer.from([first, ...size]), body])
}
const payload = Buffer.from('{"temperature":21.53,"humidity":40.25,"pressure":1013.2}')
let acked = 0
const devices = await Promise.all(
  Array.from({ length: connections }, async (_, i) => {
    const no = `d${i + 1}`
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    socket.write(
      packet(0x10, text('MQTT'), Buffer.from([4, 0xc2]), u16(60), text(no), text(`P1/${no}`), text('secret')),
    )
    await once(socket, 'data')
    socket.on('data', chunk => {
      acked += chunk.length / 4
    })
    const publish = packet(0x32, text(`things/P1/${no}/property/post`), u16(1), payload)
    return { socket, publish }
  }),
)

let sent = 0
let next = 0
const started = performance.now()
const tick = () => {
  const due = ((performance.now() - started) / 1000) * rate
  while (sent < due) {
    const { socket, publish } = devices[next++ % connections]
    socket.write(publish)
    sent++
  }
}
const ask = async () => {
  server.send('cpu')
  return (await once(server, 'message'))[0]
}
const timer = setInterval(tick, 1)
await new Promise(resolve => setTimeout(resolve, 2000))
const before = await ask()
await new Promise(resolve => setTimeout(resolve, seconds * 1000))
const after = await ask()
clearInterval(timer)
const messages = after.messages - before.messages
console.log(
  JSON.stringify({
    connections,
    rate: Math.round(messages / seconds),
    microsPerMessage: +((after.user + after.system - before.user - before.system) / messages).toFixed(2),
    user: +((after.user - before.user) / messages).toFixed(2),
    system: +((after.system - before.system) / messages).toFixed(2),
    serverRssMb: Math.round(after.rss / 1e6),
    acked,
    node: process.version,
  }),
)
process.exit(0)
