import { expect, it } from 'vitest'
import type { ToGateway } from '../ingest/channel/ipc.ts'
import { createGatewaySubscribers } from './gateway-subscribers.ts'

const ID = '0190b6c2-7b1e-7aaa-8000-00000000000a'
const news = { type: 'subscriber_ready', subscriptionId: ID } as const

/** A gateway that is up or not, and how often the queue of the subscription was woken. */
function world() {
  const state = { up: false, woken: 0, posted: [] as ToGateway[] }
  const subscribers = createGatewaySubscribers(() => (state.up ? message => void state.posted.push(message) : null))
  subscribers.onSubscriberReady(ID, () => void state.woken++)
  return { state, subscribers }
}

it('wakes a queue only when the gateway can be given its messages', () => {
  const { state, subscribers } = world()
  subscribers.receive(news)
  subscribers.receive(news)
  expect(state.woken).toBe(0)
  state.up = true
  subscribers.began()
  expect(state.woken).toBe(1)
  subscribers.receive(news)
  expect(state.woken).toBe(2)
})

it('forgets the clients of a gateway that ended before it was up', () => {
  const { state, subscribers } = world()
  subscribers.receive(news)
  subscribers.lost()
  state.up = true
  subscribers.began()
  expect(state.woken).toBe(0)
})

it('answers what was under way when the gateway ends', async () => {
  const { state, subscribers } = world()
  state.up = true
  const delivery = subscribers.deliver(ID, 'flow', [], new AbortController().signal)
  expect(state.posted).toHaveLength(1)
  subscribers.lost()
  expect(await delivery).toEqual({ kind: 'away' })
})
