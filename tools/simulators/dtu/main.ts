/**
 * A DTU to try a TCP product with by hand:
 * `tsx tools/simulators/dtu/main.ts --port 6001 --register '{productKey}/{deviceNo}/{deviceSecret}\r\n' --frame '#DTU,{n},{n}\r\n'`.
 * `{n}` in the frame is a number that wanders; \r and \n are written as two signs. Prints what the platform sends as hex.
 */
import { parseArgs } from 'node:util'
import { Dtu } from './dtu.ts'

const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '6001' },
    register: { type: 'string' },
    frame: { type: 'string', default: '#DTU,{n},{n}\\r\\n' },
    every: { type: 'string', default: '5' },
    heartbeat: { type: 'string' },
  },
})
if (!values.register) {
  process.stderr.write('--register is the first packet, for example PRODUCT/SN-1/SECRET\\r\\n\n')
  process.exit(2)
}
const plain = (text: string) => text.replaceAll('\\r', '\r').replaceAll('\\n', '\n')
let level = 20
const dtu = new Dtu({
  host: values.host,
  port: Number(values.port),
  register: plain(values.register),
  ...(values.heartbeat ? { heartbeat: Buffer.from(values.heartbeat, 'hex') } : {}),
  everyMs: Number(values.every) * 1_000,
  frame() {
    level += Math.random() - 0.5
    return plain(values.frame).replaceAll('{n}', () => level.toFixed(1))
  },
  onBytes: bytes => process.stdout.write(`< ${bytes.toString('hex')}\n`),
})
dtu.start()
process.on('SIGINT', () => {
  dtu.stop()
  process.exit(0)
})
