import type { Behaviour } from '../cards/behaviour.ts'
import type { Providers } from '../messages/providers.ts'
import type { NetworkOrder, Networks } from '../networks/networks.ts'
import type { Wechat } from '../wechat/wechat.ts'

// All simulators of the product in one process: the server starts it and asks over its channel. Each part is loaded when
// it is first asked for.
type Order =
  | { type: 'account'; ask: number; way: string; name: string; receipts: string | null }
  | { type: 'behave'; way: string; behaviour: Behaviour; times?: number }
  | { type: 'networks'; stateFile: string }
  | NetworkOrder
  | { type: 'stop' }

let providers: Promise<Providers> | null = null
let networks: Promise<Networks> | null = null
/** One for both: what the demo company's account sends must find its followers. */
let wechat: Promise<Wechat> | null = null
const ofWechat = () => {
  wechat ??= import('../wechat/wechat.ts').then(({ startWechat }) => startWechat())
  return wechat
}
const ofProviders = () => {
  providers ??= import('../messages/providers.ts').then(async ({ startProviders }) =>
    startProviders({}, await ofWechat()),
  )
  return providers
}

async function obey(order: Order): Promise<void> {
  switch (order.type) {
    case 'account': {
      const { ask, way, name, receipts } = order
      try {
        process.send?.({ type: 'account', ask, entry: (await ofProviders()).account(way, name, receipts) })
      } catch (error) {
        process.send?.({ type: 'account', ask, error: (error as Error).message })
      }
      return
    }
    case 'behave':
      ;(await ofProviders()).behave(order.way, order.behaviour, order.times)
      return
    case 'networks':
      networks ??= import('../networks/networks.ts').then(async ({ startNetworks }) =>
        startNetworks(order.stateFile, await ofWechat()),
      )
      process.send?.({ type: 'networks', ...(await networks).said })
      return
    case 'stop':
      end()
      return
    default:
      ;(await networks)?.order(order)
  }
}

function end(): void {
  const parts = [
    providers?.then(one => one.close()),
    networks?.then(one => one.end()),
    wechat?.then(one => one.close()),
  ]
  Promise.all(parts)
    .then(() => process.exit(0))
    .catch(() => process.exit(1))
}

process.on('message', (order: Order) => {
  obey(order).catch((error: Error) => {
    process.stderr.write(`${error.stack ?? error.message}\n`)
    process.exit(1)
  })
})
// Whoever started it is gone.
process.once('disconnect', end)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end)
process.send?.({ type: 'ready' })
