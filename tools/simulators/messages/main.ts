import { createInterface } from 'node:readline'
import type { Behaviour } from '../cards/behaviour.ts'
import { startProviders } from './providers.ts'

// The simulated providers of messages by hand: it shows an account of every provider, and lines of the terminal tell
// providers how to behave. A server starts them as a part of ../all.
const WAYS = [
  'sms.aliyun',
  'voice.aliyun',
  'sms.tencent',
  'voice.tencent',
  'dingtalk.robot',
  'wecom.robot',
  'feishu.robot',
  'webhook.webhook',
  'email.smtp',
  'wechat.wechat',
]
const providers = await startProviders()

function end(): void {
  providers
    .close()
    .then(() => process.exit(0))
    .catch(() => process.exit(1))
}

for (const way of WAYS) {
  const { address, ...account } = providers.account(way, 'by-hand', null)
  console.log(`${address}   ${way} ${JSON.stringify(account)}`)
}
// Such as: sms.aliyun error isv.OUT_OF_SERVICE out of service / dingtalk.robot slow 2000 / feishu.robot well
createInterface({ input: process.stdin }).on('line', line => {
  const [way = '', kind = '', code = '', ...message] = line.trim().split(/\s+/)
  const behaviour: Record<string, Behaviour> = {
    well: { kind: 'well' },
    silent: { kind: 'silent' },
    half: { kind: 'half' },
    slow: { kind: 'slow', ms: Number(code) },
    status: { kind: 'status', status: Number(code) },
    error: { kind: 'error', code, message: message.join(' ') },
  }
  try {
    const wanted = behaviour[kind]
    if (!wanted) throw new Error(`well, silent, half, slow MS, status N or error CODE WORDS, not ${kind}`)
    providers.behave(way, wanted)
    console.log(`${way}: ${kind}`)
  } catch (error) {
    console.log((error as Error).message)
  }
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
