import { parseArgs } from 'node:util'
import { startS3Simulator } from './s3-simulator.ts'

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '9000' },
    host: { type: 'string', default: '127.0.0.1' },
    bucket: { type: 'string', default: 'uploads' },
    region: { type: 'string', default: 'us-east-1' },
    'access-key': { type: 'string', default: 'key' },
    'secret-key': { type: 'string', default: 'secret-of-the-store' },
  },
})
const simulator = await startS3Simulator({
  port: Number(values.port),
  host: values.host,
  bucket: values.bucket,
  region: values.region,
  accessKey: values['access-key'],
  secretKey: values['secret-key'],
})
console.log(
  `OBJECT_STORE_URL=s3://${values['access-key']}:${values['secret-key']}@${values.host}:${simulator.port}/${values.bucket}?region=${values.region}&tls=0`,
)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => simulator.close().catch(() => process.exit(1)))
