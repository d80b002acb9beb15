import { createInterface } from 'node:readline'
import type { Behaviour } from '../cards/behaviour.ts'
import { startProviders } from './providers.ts'

// The one process of simulated providers. The server starts it and asks for accounts over its channel; started by hand
// it shows an account of every provider, and lines of the terminal tell providers how to behave.
type Order =
  | { type: 'account'; ask: number; way: string; name: string; receipts: string | null }
  | { type: 'behave'; way: string; behaviour: Behaviour; times?: number }
  | { type: 'stop' }

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

if (process.send) {
  process.on('message', (order: Order) => {
    if (order.type === 'stop') end()
    else if (order.type === 'behave') providers.behave(order.way, order.behaviour, order.times)
    else {
      const { ask, way, name, receipts } = order
      try {
        process.send?.({ type: 'account', ask, entry: providers.account(way, name, receipts) })
      } catch (error) {
        process.send?.({ type: 'account', ask, error: (error as Error).message })
      }
    }
  })
  // Whoever started it is gone.
  process.once('disconnect', end)
  process.send({ type: 'ready' })
} else {
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
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
