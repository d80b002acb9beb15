/**
 * A Modbus slave to try a Modbus product with by hand:
 * `tsx tools/simulators/modbus-slave/main.ts --port 6001 --mode rtu --register '{productKey}/{deviceNo}/{deviceSecret}\r\n'`.
 * Holding registers 0-9 wander; what is written is printed.
 */
import { parseArgs } from 'node:util'
import { ModbusSlave } from './modbus-slave.ts'

const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '6001' },
    mode: { type: 'string', default: 'rtu' },
    register: { type: 'string' },
  },
})
if (!values.register || (values.mode !== 'rtu' && values.mode !== 'tcp')) {
  process.stderr.write('--register is the first packet; --mode is rtu or tcp\n')
  process.exit(2)
}
const slave = new ModbusSlave({
  host: values.host,
  port: Number(values.port),
  mode: values.mode,
  register: values.register.replaceAll('\\r', '\r').replaceAll('\\n', '\n'),
})
for (let i = 0; i < 10; i++) slave.set(i, 200 + i * 10)
slave.start()
let before = Buffer.from(slave.holding.subarray(20))
setInterval(() => {
  for (let i = 0; i < 10; i++) slave.set(i, Math.max(0, slave.get(i) + Math.round(Math.random() * 4 - 2)))
  const now = slave.holding.subarray(20)
  for (let i = 0; i < now.length; i += 2)
    if (now.readUInt16BE(i) !== before.readUInt16BE(i))
      process.stdout.write(`holding ${10 + i / 2} = ${now.readUInt16BE(i)}\n`)
  before = Buffer.from(now)
}, 1_000)
